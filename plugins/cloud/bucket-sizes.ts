/** A token bucket: what it holds at most, and what flows in each second. */
export interface BucketSize {
  readonly capacity: number;
  readonly per_second: number;
}

/** Other sizes than AWS's documented ones, by action; support raises them for an account. */
export type BucketSizes = Readonly<
  Record<string, { readonly requests?: BucketSize | undefined; readonly machines?: BucketSize | undefined }>
>;

// AWS's documented defaults for EC2, per account and region: every action has a bucket of its own.
const reading: BucketSize = { capacity: 100, per_second: 20 };
const changing: BucketSize = { capacity: 50, per_second: 5 };
const requests: Readonly<Record<string, BucketSize>> = {
  RunInstances: { capacity: 5, per_second: 2 },
  TerminateInstances: { capacity: 100, per_second: 5 },
  CreateTags: { capacity: 100, per_second: 10 },
  CreateLaunchTemplateVersion: { capacity: 100, per_second: 5 },
  ModifyLaunchTemplate: { capacity: 100, per_second: 5 },
  // All actions of Auto Scaling share one, whose size AWS does not publish: an estimate on the careful side.
  AutoScaling: { capacity: 50, per_second: 5 },
  DescribeSpotFleetRequests: { capacity: 50, per_second: 3 },
  DescribeSpotFleetInstances: { capacity: 100, per_second: 5 },
  DescribeSpotFleetRequestHistory: { capacity: 100, per_second: 5 },
};
const machines: Readonly<Record<string, BucketSize>> = {
  RunInstances: { capacity: 1000, per_second: 2 },
  TerminateInstances: { capacity: 1000, per_second: 20 },
};

/** The buckets that calls of an action draw from: sizes of one's own as they are, the documented ones with something in reserve. */
export function bucketsOf(action: string, own: BucketSizes): { readonly requests: BucketSize; readonly machines: BucketSize | undefined } {
  const usual = requests[action] ?? (/^(Describe|Get|List)/.test(action) ? reading : changing);
  const counted = machines[action];
  return { requests: own[action]?.requests ?? careful(usual), machines: own[action]?.machines ?? (counted && careful(counted)) };
}

/** Calls that leave one after another may arrive bunched, and others use the account too. */
function careful({ capacity, per_second }: BucketSize): BucketSize {
  return { capacity: Math.max(1, Math.floor(capacity * 0.9)), per_second };
}
