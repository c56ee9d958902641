import { setTimeout as after } from 'node:timers/promises';

const tickMs = 50;

/**
 * What a promise gives, or `late` where it has nothing within so many milliseconds. Counted in turns of the event loop
 * that are as long, so that checks which run at the same time and keep it busy do not count. /
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
