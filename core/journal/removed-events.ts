import type { Change, Store } from '../contract/storage.ts';
import type { FactRecord } from '../model/records.ts';

const key = { topic: 'journal', name: 'removed', item: '' } as const;

/** The last event that retention removed so far, 0 before the first one. Earlier events may still exist. */
export async function lastRemoved(store: Pick<Store, 'get'>): Promise<number> {
  const fact = await store.get('fact', key);
  return fact ? Number(fact.value) : 0;
}

/** The change that records a removal. It belongs in the commit that removes the events. */
export function removalRecorded(last: number, before: number, at: number): Change {
  const record: FactRecord = { ...key, value: Math.max(last, before), at };
  return { op: 'put', kind: 'fact', record };
}
