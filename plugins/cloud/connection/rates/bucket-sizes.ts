import { type CatalogueBucket as BucketSize, rateLimits } from '../../catalogue/index.ts';

/** Bucket sizes that replace the documented ones, by action. AWS support raises them for an account. */
export type BucketSizes = Readonly<
  Record<string, { readonly requests?: BucketSize | undefined; readonly machines?: BucketSize | undefined }>
>;

// All actions of Auto Scaling share one bucket. AWS does not publish its size; this is a conservative estimate.
const autoScaling: BucketSize = { capacity: 50, per_second: 5 };

/**
 * The greatest share of the rate of a service for its reads, by action. The rest remains for orders and releases,
 * however often groups are observed.
 */
const readShares: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AutoScaling: { DescribeAutoScalingGroups: 0.4, DescribeScalingActivities: 0.2 },
};

/** The bucket of an action that may use only a part of the bucket of its lane. Undefined: it may use all of it. */
export function partOf(lane: string, action: string, { capacity, per_second }: BucketSize): BucketSize | undefined {
  const share = readShares[lane]?.[action];
  if (share === undefined) return undefined;
  return { capacity: Math.max(1, Math.floor(capacity * share)), per_second: per_second * share };
}

/** The buckets of an action. Configured sizes are used unchanged, documented ones with a reserve. */
export function bucketsOf(
  action: string,
  configured: BucketSizes,
): { readonly requests: BucketSize; readonly machines: BucketSize | undefined } {
  const { requests, machines, reading, changing } = rateLimits;
  const category = action === 'AutoScaling' ? autoScaling : /^(Describe|Get|List)/.test(action) ? reading : changing;
  const documented = requests[action] ?? category;
  const counted = machines[action];
  return {
    requests: configured[action]?.requests ?? withReserve(documented),
    machines: configured[action]?.machines ?? (counted && withReserve(counted)),
  };
}

/** Calls sent one after another may arrive together, and other programs use the account too. */
function withReserve({ capacity, per_second }: BucketSize): BucketSize {
  return { capacity: Math.max(1, Math.floor(capacity * 0.9)), per_second };
}
