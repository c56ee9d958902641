import type { StateChange } from '../state/request-state.ts';
import { inherited } from '../state/attempt.ts';

/**
 * The last holder did not yield its claim: its orders may have been executed, and its releases may still be in flight.
 * This is stored before anything else, so that a holder after this one knows it too, whatever this one does.
 * `repeatReleaseMs`: after this time the present target of the releases is sent again; undefined: a late release does
 * no harm.
 */
export function applyTakeOver(change: StateChange, repeatReleaseMs: number | undefined): void {
  for (const { attempt } of change.attempts) change.moveAttempt(attempt, inherited);
  if (repeatReleaseMs !== undefined) change.setRequest({ repeat_release_at: change.now + repeatReleaseMs });
}
