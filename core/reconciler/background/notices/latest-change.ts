import type { Store } from '../../../contract/storage.ts';

/** Changes of machines that a provider with notices announces. */
const changes: ReadonlySet<string> = new Set(['machine.launched', 'machine.lost', 'machine.gone']);
/** The most entries of the journal that are read. */
const mostEntries = 200;

/**
 * When a machine of an instance last started or ended, by the newest entries of the journal, in epoch milliseconds.
 * Only changes from `since` to `until` count. Undefined: there is none among these entries.
 */
export async function latestChange(
  instance: string,
  since: number,
  until: number,
  store: Store,
): Promise<number | undefined> {
  const entries = await store.find('event', { order: [['seq', 'desc']], limit: mostEntries });
  return entries.find(
    ({ type, at, data }) => changes.has(type) && data['provider_instance'] === instance && at >= since && at <= until,
  )?.at;
}
