import { ProviderFault, type Clock } from '../../../core/index.ts';
import { bucketsOf, type BucketSizes } from './bucket-sizes.ts';

/** Keeps our calls within the rates that the cloud grants, so that it refuses none. One of an account in a region. */
export interface RateLimiter {
  /**
   * Resolves when a call may go out, and counts it. `machines`: how many it starts or ends. Rejects with a fault
   * `throttled`, and counts nothing, when it would have to wait longer than 15 s: the caller can then do something
   * else meanwhile. Rejects with the signal's reason. /
   */
  acquire(action: string, machines: number, signal: AbortSignal): Promise<void>;
  /**
   * The cloud refused a call for its rate: the action goes at half its rate from now on, and comes back to the whole
   * step by step.
   */
  throttled(action: string): void;
}

const longestMs = 15_000;
const leastShare = 1 / 16;
/** Every so often without a refusal the rate doubles again. */
const recoverMs = 30_000;

interface Bucket {
  readonly capacity: number;
  readonly perSecond: number;
  /** Below zero: that many are promised to calls that wait. */
  tokens: number;
  at: number;
}

interface Lane {
  readonly buckets: readonly Bucket[];
  share: number;
  slowedAt: number;
}

/**
 * A rate limiter with AWS's documented bucket sizes, or others by action. It sets no timers but for calls that wait.
 */
export function rateLimiter(clock: Clock, sizes: BucketSizes = {}): RateLimiter {
  const lanes = new Map<string, Lane>();

  function lane(action: string): Lane {
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

  function fill(mine: Lane): void {
    const now = clock.monotonic();
    while (mine.share < 1 && now - mine.slowedAt >= recoverMs) {
      mine.share = Math.min(1, mine.share * 2);
      mine.slowedAt += recoverMs;
    }
    for (const bucket of mine.buckets) {
      bucket.tokens = Math.min(
        bucket.capacity,
        bucket.tokens + ((now - bucket.at) / 1000) * bucket.perSecond * mine.share,
      );
      bucket.at = now;
    }
  }

  return {
    async acquire(action, machines, signal) {
      signal.throwIfAborted();
      const mine = lane(action);
      fill(mine);
      // A call that alone asks for more than fits goes when the bucket is full.
      const costs = mine.buckets.map((bucket, index) => Math.min(index === 0 ? 1 : machines, bucket.capacity));
      const waits = mine.buckets.map(
        (bucket, index) => ((costs[index] ?? 0) - bucket.tokens) / (bucket.perSecond * mine.share),
      );
      const waitMs = Math.max(0, ...waits) * 1000;
      if (waitMs > longestMs) {
        const seconds = Math.ceil(waitMs / 1000);
        throw new ProviderFault(
          'throttled',
          `${action} waits ${seconds} s for its turn: the cloud grants no higher rate.`,
          {
            code: 'OwnRateLimit',
            retry_after_ms: Math.round(waitMs),
          },
        );
      }
      mine.buckets.forEach((bucket, index) => void (bucket.tokens -= costs[index] ?? 0));
      if (waitMs === 0) return;
      await clock.sleep(waitMs, signal);
      if (!signal.aborted) return;
      mine.buckets.forEach((bucket, index) => void (bucket.tokens += costs[index] ?? 0));
      throw signal.reason;
    },

    throttled(action) {
      const mine = lane(action);
      fill(mine);
      mine.share = Math.max(leastShare, mine.share / 2);
      mine.slowedAt = clock.monotonic();
      for (const bucket of mine.buckets) bucket.tokens = Math.min(bucket.tokens, 0);
    },
  };
}

/** Limits nothing: for clouds that grant every rate. */
export const unlimited: RateLimiter = {
  acquire: async (_action, _machines, signal) => signal.throwIfAborted(),
  throttled: () => undefined,
};
