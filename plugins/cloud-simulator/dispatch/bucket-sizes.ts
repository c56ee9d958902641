import type { Action } from './action.ts';
import { sharedBuckets } from '../actions/action-names.ts';
import { rateLimits } from '../catalogue.ts';
import type { BucketSize } from '../knobs/wire-knobs.ts';
import type { CallContext } from '../state/call-context.ts';
import { type Bucket, filledBucket } from '../state/buckets.ts';
import type { Params } from '../wire/form.ts';

// A call of these actions without filters and paging draws from a smaller bucket.
const wholeLists = new Set([
  'DescribeInstances',
  'DescribeInstanceStatus',
  'DescribeNetworkInterfaces',
  'DescribeSecurityGroups',
  'DescribeSnapshots',
  'DescribeSpotInstanceRequests',
  'DescribeVolumes',
]);
// All actions of such a service share one bucket. AWS publishes 600 a second for STS and 40 for actions that read
// parameters. The sizes for the others are estimates.
const serviceBuckets: Readonly<Record<(typeof sharedBuckets)[number], BucketSize>> = {
  autoscaling: { capacity: 100, per_second: 5 },
  sts: { capacity: 600, per_second: 600 },
  ssm: { capacity: 40, per_second: 40 },
  iam: { capacity: 20, per_second: 20 },
  servicequotas: { capacity: 10, per_second: 5 },
  sqs: { capacity: 3000, per_second: 3000 },
};

/** A bucket that requests draw from. */
export interface RequestBucket {
  readonly key: string;
  /** The key in the knob `buckets` that replaces the size. */
  readonly name: string;
  readonly size: BucketSize;
}

/** The bucket that the requests of a call draw from, with its default size. */
export function requestBucket({ name, mutating }: Action, service: string, params: Params): RequestBucket {
  const shared = sharedBuckets.find((each) => each === service);
  if (shared !== undefined) return { key: shared, name: shared, size: serviceBuckets[shared] };
  if (wholeLists.has(name) && isWhole(params))
    return { key: `${name}/whole`, name, size: rateLimits.reading_everything };
  return { key: name, name, size: rateLimits.requests[name] ?? (mutating ? rateLimits.changing : rateLimits.reading) };
}

/** The bucket of machines of an action; undefined if it has none. */
export function machineBucket(context: CallContext, action: string): Bucket | undefined {
  const size = context.knobs.throttle.buckets[action]?.resources ?? rateLimits.machines[action];
  return size === undefined
    ? undefined
    : filledBucket(context.state.buckets, `${action}/resources`, size, context.now);
}

/** Whether a call lists everything: it has no ids, no filters and no paging. */
function isWhole(params: Params): boolean {
  return !Object.entries(params).some(
    ([name, value]) => typeof value === 'object' || name === 'MaxResults' || name === 'NextToken',
  );
}
