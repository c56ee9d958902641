import { type CatalogueBucket as BucketSize, rateLimits } from '../catalogue/index.ts';

/** Other sizes than AWS's documented ones, by action; support raises them for an account. */
export type BucketSizes = Readonly<
  Record<string, { readonly requests?: BucketSize | undefined; readonly machines?: BucketSize | undefined }>
>;

// All actions of Auto Scaling share one, whose size AWS does not publish: an estimate on the careful side.
const autoScaling: BucketSize = { capacity: 50, per_second: 5 };

/**
 * The buckets that calls of an action draw from: sizes of one's own as they are, the documented ones with something in
 * reserve.
 */
export function bucketsOf(
  action: string,
  own: BucketSizes,
): { readonly requests: BucketSize; readonly machines: BucketSize | undefined } {
  const { requests, machines, reading, changing } = rateLimits;
  const category = action === 'AutoScaling' ? autoScaling : /^(Describe|Get|List)/.test(action) ? reading : changing;
  const usual = requests[action] ?? category;
  const counted = machines[action];
  return {
    requests: own[action]?.requests ?? careful(usual),
    machines: own[action]?.machines ?? (counted && careful(counted)),
  };
}

/** Calls that leave one after another may arrive bunched, and others use the account too. */
function careful({ capacity, per_second }: BucketSize): BucketSize {
  return { capacity: Math.max(1, Math.floor(capacity * 0.9)), per_second };
}
