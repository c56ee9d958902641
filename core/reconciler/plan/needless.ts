import type { AttemptRecord } from '../../model/attempt.ts';
import { tally } from '../state/counting.ts';
import type { RequestState } from '../state/request-state.ts';
import { isTooLarge, stopsArrivals } from './pending-releases.ts';

/**
 * Whether an order that was not sent is not needed as it is. Machines may have been returned, or seen again, since it
 * was made: what is missing is ordered anew.
 */
export function isNeedless(attempt: AttemptRecord, from: RequestState, now: number): boolean {
  if (attempt.replaces !== undefined) return isTooLarge(attempt, from);
  const { staying, incoming, target } = tally(from);
  return stopsArrivals(from, now) || staying + incoming > target;
}
