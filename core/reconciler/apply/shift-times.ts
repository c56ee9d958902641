import type { MachineRecord } from '../../model/machine.ts';
import { isTerminal } from '../../model/request.ts';
import { shifted } from '../state/attempt.ts';
import type { StateChange } from '../state/request-state.ts';
import { isAlive } from '../state/machine-life.ts';

/**
 * The clock of this host was set: what is measured by the times of an open request moves with it, so that none of it is judged by the jump. Only the
 * request itself is moved here, and says by how much: its rows follow by `followShift`, after a crash on the way too.
 */
export function shiftTimes(change: StateChange, ms: number): void {
  const { moved_ms = 0, status, deadline_at, repeat_release_at = 0 } = change.request;
  change.setRequest({
    moved_ms: moved_ms + ms,
    ...(isTerminal(status) ? {} : { deadline_at: deadline_at + ms }),
    ...(repeat_release_at > 0 ? { repeat_release_at: repeat_release_at + ms } : {}),
    // Of a clock that was set back this lies ahead, and nobody would claim it until then.
    next_at: change.now,
  });
}

/** Moves what has not followed its request yet; each row says how far it has. */
export function followShift(change: StateChange): void {
  const { moved_ms = 0 } = change.request;
  for (const { attempt } of change.attempts) change.moveAttempt(attempt, (each) => shifted(each, moved_ms));
  for (const machine of change.machines.all()) if (isAlive(machine)) followWith(change, machine);
}

/** Moves the times that a machine is judged by, where it lacks any of what its request was moved by. */
export function followWith(change: StateChange, machine: MachineRecord): void {
  const { moved_ms = 0 } = change.request;
  const { created_at, ready_at, missing_since } = machine;
  const ms = moved_ms - (machine.moved_ms ?? 0);
  if (ms === 0 || (ready_at !== undefined && missing_since === undefined)) return;
  change.setMachine(machine, {
    moved_ms,
    ...(ready_at === undefined ? { created_at: created_at + ms } : {}),
    ...(missing_since === undefined ? {} : { missing_since: missing_since + ms }),
  });
}

/** With these a machine gets a time that it is judged by. */
export const asMoved = ({ request: { moved_ms } }: StateChange): Pick<MachineRecord, 'moved_ms'> =>
  moved_ms === undefined ? {} : { moved_ms };
