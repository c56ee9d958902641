import { ProviderFault, type Clock, type RateState } from '../../../../core/index.ts';
import type { CatalogueBucket as BucketSize } from '../../catalogue/index.ts';
import { bucketsOf, partOf, type BucketSizes } from './bucket-sizes.ts';

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
  acquire(call: LimitedCall, machines: number, signal: AbortSignal): Promise<void>;
  /** Whether a call would be sent immediately. */
  isFree(call: LimitedCall): boolean;
  /** The cloud throttled a call: the rate of its lane is halved, and recovers step by step. */
  throttled(call: LimitedCall): void;
  /** The rates of all lanes so far. */
  state(): RateState[];
}

/** A call as the cloud counts it. Actions of one lane share its rate; by default each action has its own lane. */
export interface LimitedCall {
  readonly action: string;
  readonly lane?: string;
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
  readonly requests: Bucket;
  readonly machines: Bucket | undefined;
  /** By action: what it may use of `requests`. */
  readonly parts: Map<string, Bucket>;
  share: number;
  slowedAt: number;
}

/**
 * A rate limiter with the documented bucket sizes of AWS, or with configured ones by action. It sets timers only for
 * calls that wait. `part`: the part of the buckets that this broker has now, above 0; other brokers have the rest.
 */
export function rateLimiter(clock: Clock, sizes: BucketSizes = {}, part: () => number = () => 1): RateLimiter {
  const lanes = new Map<string, Lane>();

  const bucketOf = (size: BucketSize): Bucket => ({
    capacity: size.capacity,
    perSecond: size.per_second,
    tokens: size.capacity * part(),
    at: clock.monotonic(),
  });

  /** The part may shrink meanwhile. Each call needs a whole token. */
  const capacityOf = ({ capacity }: Bucket): number => Math.max(1, Math.floor(capacity * part()));

  function laneOf({ action, lane = action }: LimitedCall): Lane {
    let found = lanes.get(lane);
    if (!found) {
      const { requests, machines } = bucketsOf(lane, sizes);
      const counted = machines && bucketOf(machines);
      found = { requests: bucketOf(requests), machines: counted, parts: new Map(), share: 1, slowedAt: 0 };
      lanes.set(lane, found);
    }
    const { capacity, perSecond } = found.requests;
    const part = found.parts.has(action) ? undefined : partOf(lane, action, { capacity, per_second: perSecond });
    if (part) found.parts.set(action, bucketOf(part));
    return found;
  }

  function fill(lane: Lane): void {
    const now = clock.monotonic();
    while (lane.share < 1 && now - lane.slowedAt >= recoveryMs) {
      lane.share = Math.min(1, lane.share * 2);
      lane.slowedAt += recoveryMs;
    }
    for (const bucket of bucketsIn(lane)) {
      bucket.tokens = Math.min(
        capacityOf(bucket),
        bucket.tokens + ((now - bucket.at) / 1000) * bucket.perSecond * lane.share * part(),
      );
      bucket.at = now;
    }
  }

  interface Cost {
    readonly bucket: Bucket;
    /** The tokens that must be there. */
    readonly tokens: number;
    /** The tokens that the call uses; more than the bucket holds are paid off afterwards. */
    readonly used?: number;
  }

  /** How long a call with these costs waits. */
  function waitOf(costs: readonly Cost[], lane: Lane): number {
    fill(lane);
    const waits = costs.map(
      ({ bucket, tokens }) => (tokens - bucket.tokens) / (bucket.perSecond * lane.share * part()),
    );
    return Math.max(0, ...waits) * 1000;
  }

  /** Takes the tokens, or reserves them and waits until they are there. */
  async function draw(action: string, costs: readonly Cost[], lane: Lane, signal: AbortSignal): Promise<void> {
    const waitMs = waitOf(costs, lane);
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
    for (const { bucket, tokens, used = tokens } of costs) bucket.tokens -= used;
    if (waitMs === 0) return;
    await clock.sleep(waitMs, signal);
    if (!signal.aborted) return;
    for (const { bucket, tokens, used = tokens } of costs) bucket.tokens += used;
    throw signal.reason;
  }

  /** A call that waits for its part has reserved nothing of the whole yet. */
  function stagesOf(limited: LimitedCall, machines: number, lane: Lane): readonly (readonly Cost[])[] {
    const part = lane.parts.get(limited.action);
    const whole: Cost[] = [{ bucket: lane.requests, tokens: 1 }];
    // A call that needs more tokens than the bucket holds is sent when the bucket is full.
    if (lane.machines) {
      const used = Math.min(machines, lane.machines.capacity);
      whole.push({ bucket: lane.machines, tokens: Math.min(used, capacityOf(lane.machines)), used });
    }
    return part ? [[{ bucket: part, tokens: 1 }], whole] : [whole];
  }

  return {
    async acquire(limited, machines, signal) {
      signal.throwIfAborted();
      const lane = laneOf(limited);
      for (const costs of stagesOf(limited, machines, lane)) await draw(limited.action, costs, lane, signal);
    },

    isFree(limited) {
      const lane = laneOf(limited);
      return stagesOf(limited, 0, lane).every((costs) => waitOf(costs, lane) === 0);
    },

    throttled(limited) {
      const lane = laneOf(limited);
      fill(lane);
      lane.share = Math.max(minShare, lane.share / 2);
      lane.slowedAt = clock.monotonic();
      for (const bucket of bucketsIn(lane)) bucket.tokens = Math.min(bucket.tokens, 0);
    },

    state: () => [...lanes].flatMap(([name, lane]) => stateOf(name, lane)),
  };

  function stateOf(name: string, lane: Lane): RateState[] {
    fill(lane);
    const { share } = lane;
    const rate = (action: string, counts: RateState['counts'], bucket: Bucket): RateState => {
      const per_second = rounded(bucket.perSecond * part());
      return { action, counts, per_second, capacity: capacityOf(bucket), free: rounded(bucket.tokens), share };
    };
    return [
      rate(name, 'calls', lane.requests),
      ...(lane.machines ? [rate(name, 'machines', lane.machines)] : []),
      ...[...lane.parts].map(([action, bucket]) => rate(action, 'calls', bucket)),
    ];
  }
}

const bucketsIn = ({ requests, machines, parts }: Lane): readonly Bucket[] => [
  requests,
  ...(machines ? [machines] : []),
  ...parts.values(),
];

const rounded = (number: number): number => Math.round(number * 100) / 100;

/** A rate limiter without limits. */
export const unlimited: RateLimiter = {
  acquire: async (_call, _machines, signal) => signal.throwIfAborted(),
  isFree: () => true,
  throttled: () => undefined,
  state: () => [],
};
