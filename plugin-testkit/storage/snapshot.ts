import { kinds, type Kind, type Store } from '../../core/index.ts';

/** Everything that can be read from a store. */
export async function snapshot(store: Store): Promise<object> {
  const each = Object.keys(kinds) as Kind[];
  const all = await Promise.all(
    each.map(async (kind) => [
      kind,
      { records: await store.find(kind, {}), count: await store.count(kind, {}), changes: await store.changes(kind) },
    ]),
  );
  return { ...Object.fromEntries(all), versions: await store.versions({}), reserved: await store.reserved({}) };
}
