import type { Clock } from '../../../core/index.ts';

const maxKeys = 10_000;

/**
 * How long the cloud may deny a new resource: its answers lag behind its state by seconds to minutes, without a
 * promised bound. Counted from the first time that the resource was missed, in memory; a restart counts again.
 */
export interface ConsistencyGrace {
  /** True until `ms` have passed since the first call with this key. */
  has(key: string, ms: number): boolean;
  /** The resource is visible: ends the wait. */
  end(key: string): void;
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
          if (since.size <= maxKeys) break;
          since.delete(oldest);
        }
      }
      return now - first < ms;
    },
    end: (key) => void since.delete(key),
  };
}
