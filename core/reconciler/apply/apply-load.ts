import { asMoved } from '../clock-shift/shift-times.ts';
import { inherited } from '../state/attempt.ts';
import type { StateChange } from '../state/request-state.ts';

/** How the last holder of a request ended. */
export interface LoadFacts {
  /** It did not yield its claim: its orders may have been executed, and its releases may still be in flight. */
  readonly taken_over: boolean;
  /** After this time the present targets of releases are sent again; undefined: a late release does no harm. */
  readonly repeat_release_ms: number | undefined;
}

/**
 * What a new holder changes before anything else. A doubt about an order is stored, so that a holder after this one
 * knows it too. A machine that answers lacked must be missing for this holder as long as for the last one: the clock
 * may have been set while nobody held the request.
 */
export function applyLoad(change: StateChange, { taken_over, repeat_release_ms }: LoadFacts): void {
  if (change.machines.counts().missing > 0)
    for (const machine of change.machines.all())
      if (machine.missing_since !== undefined && machine.released_at === undefined)
        change.setMachine(machine, { missing_since: change.now, ...asMoved(change) });
  if (!taken_over) return;
  for (const { attempt } of change.attempts) change.moveAttempt(attempt, inherited);
  if (repeat_release_ms !== undefined) change.setRequest({ repeat_release_at: change.now + repeat_release_ms });
}
