import { machineBucket } from '../dispatch/bucket-sizes.ts';
import { insufficientCapacity, type Pool } from '../capacity.ts';
import type { CallContext } from '../state/call-context.ts';
import { rateExceeded } from '../dispatch/throttle.ts';
import type { AwsError } from '../wire/errors.ts';

/** Machines that fleets and groups may start now by the rate of launches. RunInstances is checked as a call. */
export function machinesAllowed(context: CallContext): number {
  return bucketOf(context)?.tokens ?? Number.POSITIVE_INFINITY;
}

/** Notes that a fleet or a group has started machines. */
export function countLaunched(context: CallContext, count: number): void {
  const bucket = bucketOf(context);
  if (bucket !== undefined) bucket.tokens -= count;
}

/**
 * Why a pool that still has room gave less than was asked for: the rate of launches, or the knob `partial`, which
 * counts as want of capacity.
 */
export function heldBack(context: CallContext, pool: Pool): AwsError {
  return machinesAllowed(context) < 1 ? rateExceeded('ec2') : insufficientCapacity(pool);
}

function bucketOf(context: CallContext) {
  const { default_buckets, fleets_draw } = context.knobs.throttle;
  return default_buckets && fleets_draw ? machineBucket(context, 'RunInstances') : undefined;
}
