import { setTimeout as wait } from 'node:timers/promises';

/**
 * Asks again every few milliseconds until the answer is neither undefined nor false; throws what it waited for when
 * the time is over.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { within_ms = 90_000, every_ms = 20 }: { readonly within_ms?: number; readonly every_ms?: number } = {},
): Promise<T> {
  const end = performance.now() + within_ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`Waited ${within_ms} ms in vain: ${what}.`);
    await wait(every_ms);
  }
}
