/** What is learned once, by key: the answer, or the promise of it while it is being learned. */
export type Learned<T extends object> = Map<string, Promise<T> | T>;

/**
 * Learns something once: a caller that needs it while it is being learned waits for it. What fails, fails for its
 * maker alone; the others try by themselves, because a failure may be the caller's own: its claim, its time-out. /
 */
export async function once<T extends object>(learned: Learned<T>, key: string, make: () => Promise<T>): Promise<T> {
  for (;;) {
    const known = learned.get(key);
    if (known === undefined) break;
    const made = await Promise.resolve(known).catch(() => undefined);
    if (made !== undefined) return made;
    if (learned.get(key) === known) learned.delete(key);
  }
  const making = make();
  learned.set(key, making);
  const made = await making;
  learned.set(key, made);
  return made;
}
