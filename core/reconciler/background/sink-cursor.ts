import type { FactRecord } from '../../model/records.ts';
import type { Change, Store } from '../../contract/storage.ts';

const sinkTopic = 'event_sink';

/** How far an event sink got in the journal. Each step has a number of its own, so that of two processes one alone can make it. */
export interface Cursor {
  readonly step: number;
  /** The last entry that it took. */
  readonly seq: number;
  /** Epoch milliseconds: when it took it. */
  readonly at: number;
}

const cursorOf = ({ item, value, at }: FactRecord): Cursor => ({ step: Number(item), seq: Number(value), at });
const item = (step: number): string => String(step).padStart(12, '0');

const latest = (records: readonly FactRecord[]): Cursor | undefined =>
  records.map(cursorOf).reduce<Cursor | undefined>((last, each) => (last && last.step > each.step ? last : each), undefined);

export async function readCursor(store: Store, name: string): Promise<Cursor | undefined> {
  return latest(await store.find('fact', { where: { topic: sinkTopic, name } }));
}

/** Commits the next step; ALREADY_EXISTS when somebody else made it. */
export function nextCursor(name: string, from: Cursor | undefined, seq: number, at: number): Change[] {
  const step = (from?.step ?? 0) + 1;
  const made: Change = { op: 'insert', kind: 'fact', record: { topic: sinkTopic, name, item: item(step), value: seq, at } };
  return from ? [made, { op: 'delete', kind: 'fact', key: { topic: sinkTopic, name, item: item(from.step) } }] : [made];
}

/**
 * The last entry of the journal that every sink has; Infinity where there is none to wait for. A sink that took nothing for `patienceMs` is not waited for
 * any more: it was taken out of the configuration, or nobody cares that it fails.
 */
export async function takenByAll(store: Store, now: number, patienceMs: number): Promise<number> {
  const records = await store.find('fact', { where: { topic: sinkTopic } });
  const cursors = [...Map.groupBy(records, ({ name }) => name).values()].flatMap((mine) => latest(mine) ?? []);
  return Math.min(Infinity, ...cursors.filter(({ at }) => now - at < patienceMs).map(({ seq }) => seq));
}
