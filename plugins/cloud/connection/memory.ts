/**
 * Learns something once: whoever needs it while it is being learned waits for it. What fails, fails for its maker alone; the others try by
 * themselves, because a failure may be the caller's own: its claim, its time-out.
 */
export async function once<T extends object>(memory: Map<string, unknown>, key: string, make: () => Promise<T>): Promise<T> {
  for (;;) {
    const known = memory.get(key) as Promise<T> | T | undefined;
    if (known === undefined) break;
    const made = await Promise.resolve(known).catch(() => undefined);
    if (made !== undefined) return made;
    if (memory.get(key) === known) memory.delete(key);
  }
  const making = make();
  memory.set(key, making);
  const made = await making;
  memory.set(key, made);
  return made;
}
