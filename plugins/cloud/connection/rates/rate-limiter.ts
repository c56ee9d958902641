import { ProviderFault, type Clock } from '../../../../core/index.ts';
import { bucketsOf, type BucketSizes } from './bucket-sizes.ts';

/**
 * Keeps the calls of the broker within the rate limits of the cloud, so that the cloud refuses none. One for each
 * session.
 */
export interface RateLimiter {
  /**
   * Resolves when a call may be sent, and counts the call. `machines`: how many machines it starts or terminates. When
   * the call would wait longer than 15 s, it rejects with a fault `throttled` and counts nothing, so that the caller
   * can do other work meanwhile. When the signal aborts, it rejects with the reason of the signal.
   */
  acquire(action: string, machines: number, signal: AbortSignal): Promise<void>;
  /** The cloud throttled a call: the rate of the action is halved, and recovers step by step. */
  throttled(action: string): void;
}

const maxWaitMs = 15_000;
const minShare = 1 / 16;
/** After each such time without throttling, the rate doubles until it is full. */
const recoveryMs = 30_000;

interface Bucket {
  readonly capacity: number;
  readonly perSecond: number;
  /** A negative number is the number of tokens that waiting calls have reserved. */
  tokens: number;
  at: number;
}

interface Lane {
  readonly buckets: readonly Bucket[];
  share: number;
  slowedAt: number;
}

/**
 * A rate limiter with the documented bucket sizes of AWS, or with configured ones by action. It sets timers only for
 * calls that wait.
 */
export function rateLimiter(clock: Clock, sizes: BucketSizes = {}): RateLimiter {
  const lanes = new Map<string, Lane>();

  function laneOf(action: string): Lane {
    const known = lanes.get(action);
    if (known) return known;
    const { requests, machines } = bucketsOf(action, sizes);
    const bucket = (size: { capacity: number; per_second: number }): Bucket => ({
      capacity: size.capacity,
      perSecond: size.per_second,
      tokens: size.capacity,
      at: clock.monotonic(),
    });
    const made: Lane = { buckets: [bucket(requests), ...(machines ? [bucket(machines)] : [])], share: 1, slowedAt: 0 };
    lanes.set(action, made);
    return made;
  }

  function fill(lane: Lane): void {
    const now = clock.monotonic();
    while (lane.share < 1 && now - lane.slowedAt >= recoveryMs) {
      lane.share = Math.min(1, lane.share * 2);
      lane.slowedAt += recoveryMs;
    }
    for (const bucket of lane.buckets) {
      bucket.tokens = Math.min(
        bucket.capacity,
        bucket.tokens + ((now - bucket.at) / 1000) * bucket.perSecond * lane.share,
      );
      bucket.at = now;
    }
  }

  return {
    async acquire(action, machines, signal) {
      signal.throwIfAborted();
      const lane = laneOf(action);
      fill(lane);
      // A call that needs more tokens than the bucket holds is sent when the bucket is full.
      const costs = lane.buckets.map((bucket, index) => Math.min(index === 0 ? 1 : machines, bucket.capacity));
      const waits = lane.buckets.map(
        (bucket, index) => ((costs[index] ?? 0) - bucket.tokens) / (bucket.perSecond * lane.share),
      );
      const waitMs = Math.max(0, ...waits) * 1000;
      if (waitMs > maxWaitMs) {
        const seconds = Math.ceil(waitMs / 1000);
        throw new ProviderFault(
          'throttled',
          `${action} would wait ${seconds} s for the rate limit of the cloud; it is sent later.`,
          {
            code: 'OwnRateLimit',
            retry_after_ms: Math.round(waitMs),
          },
        );
      }
      lane.buckets.forEach((bucket, index) => void (bucket.tokens -= costs[index] ?? 0));
      if (waitMs === 0) return;
      await clock.sleep(waitMs, signal);
      if (!signal.aborted) return;
      lane.buckets.forEach((bucket, index) => void (bucket.tokens += costs[index] ?? 0));
      throw signal.reason;
    },

    throttled(action) {
      const lane = laneOf(action);
      fill(lane);
      lane.share = Math.max(minShare, lane.share / 2);
      lane.slowedAt = clock.monotonic();
      for (const bucket of lane.buckets) bucket.tokens = Math.min(bucket.tokens, 0);
    },
  };
}

/** A rate limiter without limits. */
export const unlimited: RateLimiter = {
  acquire: async (_action, _machines, signal) => signal.throwIfAborted(),
  throttled: () => undefined,
};
