import type { Clock } from '../../../core/index.ts';

const most = 10_000;

/**
 * How long the cloud may deny what was just made: its answers follow its deeds by seconds to minutes, and no bound is
 * promised. Counted from when a thing was first missed, in memory alone; a restart counts again. /
 */
export interface ConsistencyGrace {
  /** True while `ms` have not passed since the first call with this key. */
  has(key: string, ms: number): boolean;
  /** The thing is there: forget the wait. */
  over(key: string): void;
}

export function consistencyGrace(clock: Clock): ConsistencyGrace {
  const since = new Map<string, number>();
  return {
    has(key, ms) {
      const now = clock.monotonic();
      const first = since.get(key) ?? now;
      if (!since.has(key)) {
        since.set(key, now);
        for (const oldest of since.keys()) {
          if (since.size <= most) break;
          since.delete(oldest);
        }
      }
      return now - first < ms;
    },
    over: (key) => void since.delete(key),
  };
}
