/** Loaded values by key: the value, or the promise of it while it is being loaded. */
export type Memo<T extends object> = Map<string, Promise<T> | T>;

/**
 * Loads the value of a key once. Concurrent callers wait for the caller that loads it. A failure rejects that caller
 * alone; the others load the value themselves, because the failure may be the caller's own, such as its lost claim or
 * its time-out.
 */
export async function once<T extends object>(memo: Memo<T>, key: string, load: () => Promise<T>): Promise<T> {
  for (;;) {
    const known = memo.get(key);
    if (known === undefined) break;
    const loaded = await Promise.resolve(known).catch(() => undefined);
    if (loaded !== undefined) return loaded;
    if (memo.get(key) === known) memo.delete(key);
  }
  const loading = load();
  memo.set(key, loading);
  const loaded = await loading;
  memo.set(key, loaded);
  return loaded;
}
