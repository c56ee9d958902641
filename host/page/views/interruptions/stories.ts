import type { JournalEvent } from '../../api/shapes.ts';

/** The events about machines that the cloud takes back, or advises to replace. */
export const interruptionTypes = [
  'machine.reclaim_noticed',
  'machine.reclaim_withdrawn',
  'machine.rebalance_recommended',
  'machine.replacement_ordered',
  'machine.replaced',
  'machine.replacement_given_up',
  'machine.lost',
] as const;

/** What happened to one machine, from the first notice on. */
export interface Story {
  readonly key: string;
  readonly machine_id: string;
  readonly provider_instance: string;
  readonly request_id: string | undefined;
  /** When the cloud takes it; undefined: it named no time, or withdrew it. */
  readonly reclaim_at: string | undefined;
  readonly events: readonly JournalEvent[];
  readonly latest: JournalEvent;
}

const concerned: ReadonlySet<string> = new Set(interruptionTypes);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function idsOf({ machine_id, data }: JournalEvent): readonly string[] {
  const { machine_ids, machine_id: one } = data;
  if (Array.isArray(machine_ids)) return machine_ids.map(String);
  const id = machine_id ?? text(one);
  return id === undefined ? [] : [id];
}

/** The stories of the machines in these events, the latest first. Events that stand twice count once. */
export function storiesOf(events: readonly JournalEvent[]): readonly Story[] {
  const stories = new Map<string, Story>();
  const unique = new Map(events.filter(({ type }) => concerned.has(type)).map((event) => [event.seq, event]));
  for (const event of [...unique.values()].toSorted((a, b) => a.seq - b.seq))
    for (const machine_id of idsOf(event)) {
      const provider_instance = event.provider_instance ?? text(event.data['provider_instance']) ?? '';
      const key = `${provider_instance}/${machine_id}`;
      const before = stories.get(key);
      const named = text(event.data['reclaim_at']);
      const reclaim_at = event.type === 'machine.reclaim_withdrawn' ? undefined : (named ?? before?.reclaim_at);
      stories.set(key, {
        key,
        machine_id,
        provider_instance,
        request_id: event.request_id ?? before?.request_id,
        reclaim_at,
        events: [...(before?.events ?? []), event],
        latest: event,
      });
    }
  return [...stories.values()].toSorted((a, b) => b.latest.seq - a.latest.seq);
}

/** Whether the machine still counts down: the cloud has not taken it, nobody replaced it, and its time is to come. */
export const isRunningOut = ({ latest, reclaim_at }: Story, now: number): boolean =>
  reclaim_at !== undefined &&
  latest.type !== 'machine.lost' &&
  latest.type !== 'machine.replaced' &&
  Date.parse(reclaim_at) > now - 60_000;
