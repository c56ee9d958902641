import type { JournalEvent } from '../api/shapes.ts';
import { calmMessage } from './calm-message.ts';
import { duration } from './durations.ts';
import { count, figure } from './numbers.ts';

/** What an event means for an operator: calm news, something to know, something that went wrong. */
export type Weight = 'news' | 'notice' | 'trouble';

export interface Sentence {
  readonly text: string;
  readonly weight: Weight;
}

type Data = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const machinesOf = ({ machine_ids, machine_id, told }: Data): number =>
  typeof told === 'number' ? told : Array.isArray(machine_ids) ? machine_ids.length : machine_id === undefined ? 0 : 1;

const machines = (data: Data): string => count(Math.max(1, machinesOf(data)), 'machine');
const at = ({ provider_instance }: Data): string => (provider_instance ? ` at ${text(provider_instance)}` : '');
const why = ({ message, code, reason }: Data): string => {
  const said = text(message) || text(code) || text(reason);
  return said ? `: ${calmMessage(said)}` : '';
};

const used = ({ used: amount, max, limit }: Data): string =>
  text(limit) ? `: ${figure(number(amount))} of ${figure(number(max))} (${text(limit)})` : '';

type Tell = (data: Data) => string;
const told = (weight: Weight, tell: Tell): readonly [Weight, Tell] => [weight, tell];

const sentences: Readonly<Record<string, readonly [Weight, Tell]>> = {
  'request.created': told(
    'news',
    (data) => `${count(number(data['machine_count']), 'machine')} of ${text(data['template_id'])} requested`,
  ),
  'request.completed': told('news', (data) =>
    number(data['delivered']) < number(data['requested'])
      ? `Completed with ${number(data['delivered'])} of ${count(number(data['requested']), 'machine')}`
      : `Completed: ${count(number(data['delivered']), 'machine')} delivered`,
  ),
  'request.failed': told('trouble', (data) =>
    data['requested'] === undefined
      ? `Failed${why(data)}`
      : `Failed: none of ${count(number(data['requested']), 'machine')} delivered`,
  ),
  'request.cancelled': told('notice', () => 'Cancelled'),
  'request.cancel_requested': told('notice', (data) => `Cancellation asked for${why(data)}`),
  'request.complete_requested': told('notice', () => 'Completion asked for'),
  'request.handed_over': told('notice', (data) => `Handed over${at(data)}`),
  'request.purged': told('news', () => 'Removed from the records'),
  'return.created': told('news', (data) => `Return of ${machines(data)} asked for`),
  'return.completed': told('news', () => 'Return completed'),
  'return.failed': told('trouble', (data) => `Return failed${why(data)}`),
  'return.cancelled': told('notice', () => 'Return cancelled'),
  'attempt.opened': told(
    'news',
    (data) => `Order made${at(data)}: ${count(number(data['machine_count'] ?? data['machines']), 'machine')}`,
  ),
  'attempt.launched': told(
    'news',
    (data) => `Order accepted${at(data)}: ${count(number(data['machines']), 'machine')}`,
  ),
  'attempt.refused': told('notice', (data) => `Order refused${at(data)}${why(data)}`),
  'attempt.unknown': told('notice', (data) => `Outcome of the order unknown${at(data)}${why(data)}`),
  'attempt.lost': told('trouble', (data) => `Outcome of the order lost${at(data)}`),
  'attempt.left': told('notice', (data) => `Instance left${at(data)}${why(data)}`),
  'machine.launched': told('news', (data) => `${machines(data)} launched${at(data)}`),
  'machine.ready': told('news', (data) => `${machines(data)} ready${at(data)}`),
  'machine.gone': told('news', (data) => `${machines(data)} gone${at(data)}`),
  'machine.lost': told('trouble', (data) => `${machines(data)} lost${at(data)}${why(data)}`),
  'machine.failed': told('trouble', (data) => `${machines(data)} failed${at(data)}${why(data)}`),
  'machine.found_again': told('notice', (data) => `${machines(data)} found again${at(data)}`),
  'machine.still_there': told('notice', (data) => `${machines(data)} still there${at(data)}`),
  'machine.unwanted': told('notice', (data) => `${machines(data)} not needed any more${at(data)}`),
  'machine.reclaim_noticed': told('trouble', (data) => `The cloud announces the end of ${machines(data)}${at(data)}`),
  'machine.reclaim_withdrawn': told('notice', (data) => `The cloud withdraws the end of ${machines(data)}${at(data)}`),
  'machine.rebalance_recommended': told(
    'notice',
    (data) => `The cloud advises to replace ${machines(data)}${at(data)}`,
  ),
  'machine.replacement_ordered': told('notice', (data) => `Replacement ordered for ${machines(data)}${at(data)}`),
  'machine.replaced': told('news', (data) => `${machines(data)} replaced${at(data)}`),
  'machine.replacement_given_up': told('notice', (data) => `Replacement given up${at(data)}`),
  'machine.expiring': told('notice', (data) => `The lease of ${machines(data)} ends soon${at(data)}`),
  'machine.expired': told('news', (data) => `The lease of ${machines(data)} ended${at(data)}; returned`),
  'machine.extended': told(
    'news',
    (data) => `The lease of ${machines(data)} extended by ${duration(number(data['seconds']) * 1_000)}${at(data)}`,
  ),
  'machine.held': told('notice', (data) => `${machines(data)} held${at(data)}${why(data)}`),
  'machine.hold_ended': told('news', (data) => `Hold of ${machines(data)} ended${at(data)}`),
  'orphan.found': told('trouble', (data) => `Orphan found${at(data)}: ${text(data['id'])}`),
  'orphan.ended': told('notice', (data) => `Orphans ended${at(data)}`),
  'budget.nearly_used': told('notice', (data) => `Budget '${text(data['budget'])}' is nearly used up${used(data)}`),
  'template.created': told('news', (data) => `Template ${text(data['template_id'])} created`),
  'template.updated': told('news', (data) => `Template ${text(data['template_id'])} changed`),
  'template.deleted': told('news', (data) => `Template ${text(data['template_id'])} deleted`),
  'clock.shifted': told('notice', (data) => `The clock of the host was set by ${number(data['seconds'])} s`),
};

/**
 * An event in one sentence without the request, which stands beside it. An unknown type is shown as it is. `machines`:
 * the number of machines, when several events are told in one.
 */
export function eventSentence({ type, provider_instance, machine_id, data }: JournalEvent, machines = 0): Sentence {
  const all = {
    ...(provider_instance === undefined ? {} : { provider_instance }),
    ...(machine_id === undefined ? {} : { machine_id }),
    ...data,
    ...(machines > 0 ? { told: machines } : {}),
  };
  const [weight, tell] = (Object.hasOwn(sentences, type) ? sentences[type] : undefined) ?? told('news', () => type);
  const short = type === 'request.completed' && number(all['delivered' as never]) < number(all['requested' as never]);
  return { text: tell(all), weight: short ? 'notice' : weight };
}
