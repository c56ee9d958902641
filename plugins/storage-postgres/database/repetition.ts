import { isConflict, isLockTimeout } from './failures.ts';
import { times } from './times.ts';

/** How often statements are repeated that lost a conflict with the transactions of others. */
const maxConflicts = 5;

/**
 * Whether statements that failed, and wrote nothing, are sent again: they lost a conflict, or others held a lock for
 * long and the call that began at `since` has time to wait for it once more. `repeated`: how often they were repeated.
 */
export const isWorthRepeating = (error: unknown, repeated: number, since: number): boolean =>
  isConflict(error)
    ? repeated < maxConflicts
    : isLockTimeout(error) && performance.now() + times.lockMs < since + times.callMs;
