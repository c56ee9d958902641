import type { Gap } from '../../../core/journal/journal.ts';
import type { EventView } from '../../../core/journal/event-view.ts';
import type { Terminal } from '../../process/terminal.ts';
import { printableLine } from '../../process/printable.ts';
import { plainText } from './values.ts';
import { width } from './width.ts';

type Told = Pick<EventView, 'actor' | 'data' | 'machine_id'>;

/** The widest type of usual events. */
const typeWidth = 22;

/** Formats an event as one line. On a terminal the line is not wider than the terminal. */
export function eventLine(event: EventView, { outColumns }: Pick<Terminal, 'outColumns'>): string {
  const { at, type, request_id, provider_instance } = event;
  const time = outColumns === undefined ? at : at.slice(11, 23);
  const parts = [
    time,
    type.padEnd(typeWidth),
    request_id,
    machineText(event),
    provider_instance,
    detailText(event),
    actorText(event),
  ];
  const line = printableLine(parts.filter((part) => part !== undefined && part !== '').join('  ')).trimEnd();
  return `${outColumns === undefined ? line : cut(line, outColumns)}\n`;
}

/** The machine of an event, or the number of its machines. */
export function machineText({ machine_id, data }: Told): string {
  if (machine_id !== undefined) return machine_id;
  const several = data['machine_ids'];
  return Array.isArray(several) ? `${several.length} machines` : '';
}

/** Who caused an event. The broker itself is not named. */
export function actorText({ actor }: Told): string {
  if (actor.interface === 'broker') return '';
  const who = [actor.name, actor.user === undefined ? undefined : `(${actor.user})`, actor.address];
  return ['by', actor.interface, ...who.filter((each) => each !== undefined)].join(' ');
}

const notDetails: ReadonlySet<string> = new Set(['machine_ids', 'x_request_id', 'attempt']);

/** The data of an event, without what has a column. */
export function detailText({ data }: Told): string {
  return Object.entries(data)
    .filter(([name]) => !notDetails.has(name))
    .map(([name, value]) => (name === 'message' ? plainText(value) : `${name} ${plainText(value)}`))
    .join(', ');
}

/** The beginning of a line that fits into a number of columns. */
export function cut(line: string, columns: number): string {
  if (width(line) <= columns) return line;
  let shown = '';
  for (const letter of line) {
    if (width(`${shown}${letter}…`) > columns) break;
    shown += letter;
  }
  return `${shown.trimEnd()}…`;
}

/** What is missing in a journal, as a sentence. */
export const gapSentence = ({ reason, after, until }: Gap): string =>
  reason === 'removed'
    ? `some events behind ${after}, up to ${until}, were removed since then.`
    : `this journal has no event ${after}; its last one is ${until}.`;
