import type { Action, ActionCall } from './action.ts';
import { requestBucket, resourceSize } from './bucket-sizes.ts';
import type { BucketSize } from './knobs/wire-knobs.ts';
import { AwsError } from './wire/errors.ts';

/** Refuses calls for their rate, by `throttle.next` and by token buckets: EC2 with RequestLimitExceeded, other services with Throttling. */
export interface Throttle {
  check(action: Action, service: string, call: ActionCall): void;
  clear(): void;
}

interface Bucket {
  readonly size: BucketSize;
  tokens: number;
  at: number;
}

export function createThrottle(): Throttle {
  const buckets = new Map<string, Bucket>();

  /** The bucket with what has flowed in until now. It is full when it is new or has got another size. */
  function filled(key: string, size: BucketSize, now: number): Bucket {
    const known = buckets.get(key);
    if (known !== undefined && known.size.capacity === size.capacity && known.size.per_second === size.per_second) {
      known.tokens = Math.min(size.capacity, known.tokens + ((now - known.at) / 1000) * size.per_second);
      known.at = now;
      return known;
    }
    const made = { size, tokens: size.capacity, at: now };
    buckets.set(key, made);
    return made;
  }

  function drawFromBuckets(action: Action, service: string, call: ActionCall): void {
    const { state, params, now } = call;
    const { buckets: sizes } = call.knobs.throttle;
    const place = `${state.account}/${state.region}`;
    const { key, name, size } = requestBucket(action, service, params);
    const requests = filled(`${place}/${key}/requests`, sizes[name]?.requests ?? size, now);
    const machines = action.resources?.(params) ?? 0;
    const machineSize = sizes[action.name]?.resources ?? resourceSize(action.name);
    const resources = machineSize === undefined ? undefined : filled(`${place}/${action.name}/resources`, machineSize, now);
    // Both are looked at before either is drawn from.
    if (requests.tokens < 1 || (resources !== undefined && resources.tokens < machines)) throw rateExceeded(service);
    requests.tokens -= 1;
    if (resources !== undefined) resources.tokens -= machines;
  }

  return {
    check(action, service, call) {
      const { knobs, rules } = call;
      const due = knobs.throttle.next.filter(
        (rule) => (rule.action === action.name || rule.action === '*') && rules.inForce(rule, call) && rules.hit(rule, 1, rule.times),
      );
      if (due.length > 0) throw rateExceeded(service);
      if (knobs.throttle.default_buckets) drawFromBuckets(action, service, call);
    },
    clear: () => buckets.clear(),
  };
}

/** A refusal for the rate of calls, in the word of the service. */
export function rateExceeded(service: string): AwsError {
  return service === 'ec2' ? new AwsError('RequestLimitExceeded', 'Request limit exceeded.') : new AwsError('Throttling', 'Rate exceeded');
}
