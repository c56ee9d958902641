import { setTimeout as after } from 'node:timers/promises';

const tickMs = 50;

/**
 * The value of a promise, or `late` if it is not settled within the milliseconds. Time is counted in short timers, so
 * that checks that keep the event loop busy at the same time do not count.
 */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | 'late'> {
  const ended = new AbortController();
  const ticks = async (): Promise<'late'> => {
    for (let left = ms; left > 0; left -= tickMs)
      await after(Math.min(left, tickMs), undefined, { signal: ended.signal });
    return 'late';
  };
  const late = ticks();
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    ended.abort();
  }
}
