import type { FactRecord } from '../../model/records.ts';
import type { Change, Store } from '../../contract/storage.ts';

const sinkTopic = 'event_sink';

/**
 * The position of an event sink in the journal. Each step has its own number, so that only one of two processes can
 * store it.
 */
export interface Cursor {
  readonly step: number;
  /** The last delivered event. */
  readonly seq: number;
  /** Epoch milliseconds: the time of the delivery. */
  readonly at: number;
}

const cursorOf = ({ item, value, at }: FactRecord): Cursor => ({ step: Number(item), seq: Number(value), at });
const item = (step: number): string => String(step).padStart(12, '0');

const latest = (records: readonly FactRecord[]): Cursor | undefined =>
  records
    .map(cursorOf)
    .reduce<Cursor | undefined>((last, each) => (last && last.step > each.step ? last : each), undefined);

export async function readCursor(store: Store, name: string): Promise<Cursor | undefined> {
  return latest(await store.find('fact', { where: { topic: sinkTopic, name } }));
}

/** The changes that store the next position. The commit fails with ALREADY_EXISTS when another process stored it. */
export function nextCursor(name: string, from: Cursor | undefined, seq: number, at: number): Change[] {
  const step = (from?.step ?? 0) + 1;
  const made: Change = {
    op: 'insert',
    kind: 'fact',
    record: { topic: sinkTopic, name, item: item(step), value: seq, at },
  };
  return from
    ? [made, { op: 'delete', kind: 'fact', key: { topic: sinkTopic, name, item: item(from.step) } }]
    : [made];
}

/**
 * The last event that every sink received; Infinity when no sink delays the removal. A sink without a delivery for
 * `patienceMs` is ignored: it was removed from the configuration, or its failure is ignored.
 */
export async function takenByAll(store: Store, now: number, patienceMs: number): Promise<number> {
  const records = await store.find('fact', { where: { topic: sinkTopic } });
  const cursors = [...Map.groupBy(records, ({ name }) => name).values()].flatMap((mine) => latest(mine) ?? []);
  return Math.min(Infinity, ...cursors.filter(({ at }) => now - at < patienceMs).map(({ seq }) => seq));
}
