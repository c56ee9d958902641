import { isPursued, shifted } from '../attempt.ts';
import type { Draft } from '../case.ts';
import { isAlive } from '../machine-life.ts';
import { isTerminal } from '../../model/request.ts';

/** The clock of this host was set: what is measured by the times of an open request moves with it, so that none of it is judged by the jump. */
export function shiftTimes(draft: Draft, ms: number): void {
  const { request } = draft;
  // A part of this may be stored already: what was moved by this very jump stays.
  const shifts = (request.shifts ?? 0) + 1;
  draft.setRequest({ shifts });
  if (!isTerminal(request.status)) draft.setRequest({ deadline_at: request.deadline_at + ms });
  if ((request.repeat_release_at ?? 0) > 0) draft.setRequest({ repeat_release_at: (request.repeat_release_at ?? 0) + ms });
  for (const attempt of draft.attempts) if (isPursued(attempt)) draft.moveAttempt(attempt.attempt, (each) => shifted(each, ms));
  for (const machine of draft.machines.all()) {
    if (!isAlive(machine) || machine.shifts === shifts) continue;
    const { created_at, ready_at, missing_since } = machine;
    if (ready_at === undefined) draft.setMachine(machine, { created_at: created_at + ms, shifts });
    if (missing_since !== undefined) draft.setMachine(machine, { missing_since: missing_since + ms, shifts });
  }
}
