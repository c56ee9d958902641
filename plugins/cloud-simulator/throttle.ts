import type { Moment } from './moment.ts';
import { AwsError } from './wire/errors.ts';

interface Size {
  readonly capacity: number;
  readonly perSecond: number;
}

// AWS's documented defaults per account and region; every action has a bucket of its own.
const filtered: Size = { capacity: 100, perSecond: 20 };
const unfiltered: Size = { capacity: 50, perSecond: 10 };
const mutation: Size = { capacity: 50, perSecond: 5 };
const requestSizes: Readonly<Record<string, Size>> = {
  RunInstances: { capacity: 5, perSecond: 2 },
  TerminateInstances: { capacity: 100, perSecond: 5 },
  CreateTags: { capacity: 100, perSecond: 10 },
  CreateLaunchTemplateVersion: { capacity: 100, perSecond: 5 },
  ModifyLaunchTemplate: { capacity: 100, perSecond: 5 },
};
const resourceSizes: Readonly<Record<string, Size>> = {
  RunInstances: { capacity: 1000, perSecond: 2 },
  TerminateInstances: { capacity: 1000, perSecond: 20 },
};
const wholeLists = new Set(['DescribeInstances', 'DescribeInstanceStatus', 'DescribeSecurityGroups']);

/** What a call weighs in the buckets. */
export interface Load {
  readonly action: string;
  readonly mutating: boolean;
  /** Neither filters, ids nor a page size. */
  readonly whole: boolean;
  /** Machines asked for. */
  readonly resources: number;
}

/** Refuses calls with RequestLimitExceeded, by `throttle.next` and by token buckets. */
export interface Throttle {
  check(load: Load, moment: Moment): void;
  clear(): void;
}

interface Bucket {
  tokens: number;
  at: number;
}

export function createThrottle(): Throttle {
  const buckets = new Map<string, Bucket>();

  function filled(key: string, size: Size, now: number): Bucket {
    const bucket = buckets.get(key) ?? { tokens: size.capacity, at: now };
    bucket.tokens = Math.min(size.capacity, bucket.tokens + ((now - bucket.at) / 1000) * size.perSecond);
    bucket.at = now;
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    check(load, moment) {
      const { knobs, rules, state, now } = moment;
      const due = knobs.throttle.next.filter(
        (rule) => (rule.action === load.action || rule.action === '*') && rules.inForce(rule, moment) && rules.hit(rule, 1, rule.times),
      );
      if (due.length > 0) throw exceeded();
      if (!knobs.throttle.default_buckets) return;
      const key = `${state.account}/${state.region}/${load.action}`;
      const requests = filled(`${key}/requests`, requestSize(load), now);
      const resourceSize = resourceSizes[load.action];
      const resources = resourceSize === undefined ? undefined : filled(`${key}/resources`, resourceSize, now);
      // Both are looked at before either is drawn from.
      if (requests.tokens < 1 || (resources !== undefined && resources.tokens < load.resources)) throw exceeded();
      requests.tokens -= 1;
      if (resources !== undefined) resources.tokens -= load.resources;
    },
    clear: () => buckets.clear(),
  };
}

function requestSize(load: Load): Size {
  const own = requestSizes[load.action];
  if (own !== undefined) return own;
  if (load.mutating) return mutation;
  return load.whole && wholeLists.has(load.action) ? unfiltered : filtered;
}

function exceeded(): AwsError {
  return new AwsError('RequestLimitExceeded', 'Request limit exceeded.');
}
