import { machineBucket } from '../dispatch/bucket-sizes.ts';
import { insufficientCapacity, type Pool } from '../capacity.ts';
import type { CallContext } from '../state/call-context.ts';
import { rateExceeded } from '../dispatch/throttle.ts';
import type { AwsError } from '../wire/errors.ts';

/** Number of machines that fleets and groups may start now without throttling. RunInstances is throttled as a call. */
export function machinesAllowed(context: CallContext): number {
  return bucketOf(context)?.tokens ?? Number.POSITIVE_INFINITY;
}

/** Counts machines that a fleet or a group has started. */
export function countLaunched(context: CallContext, count: number): void {
  const bucket = bucketOf(context);
  if (bucket !== undefined) bucket.tokens -= count;
}

/**
 * The error of a pool that has room but delivered less than requested: throttling, or the knob `partial`, which acts
 * as missing capacity.
 */
export function shortfallError(context: CallContext, pool: Pool): AwsError {
  return machinesAllowed(context) < 1 ? rateExceeded('ec2') : insufficientCapacity(pool);
}

function bucketOf(context: CallContext) {
  const { default_buckets, fleets_draw } = context.knobs.throttle;
  return default_buckets && fleets_draw ? machineBucket(context, 'RunInstances') : undefined;
}
