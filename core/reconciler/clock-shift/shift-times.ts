import type { MachineRecord } from '../../model/machine.ts';
import { isTerminal } from '../../model/request.ts';
import { shifted } from '../state/attempt.ts';
import type { StateChange } from '../state/request-state.ts';
import { isAlive } from '../state/machine-life.ts';

/**
 * The clock of this host was set: the times of an open request are moved by the same amount, so that the shift causes
 * no time-out. Only the request is changed here, with the total amount in `shifted_ms`; `followShift` moves its attempts
 * and machines later, also after a crash.
 */
export function shiftTimes(change: StateChange, ms: number): void {
  const { shifted_ms = 0, status, deadline_at, repeat_release_at = 0 } = change.request;
  change.setRequest({
    shifted_ms: shifted_ms + ms,
    ...(isTerminal(status) ? {} : { deadline_at: deadline_at + ms }),
    ...(repeat_release_at > 0 ? { repeat_release_at: repeat_release_at + ms } : {}),
    // After a backward shift the old time is in the future, and the request would not be claimed until then.
    next_at: change.now,
  });
}

/** Moves the times of the attempts and machines by the amount that they have not followed yet. */
export function followShift(change: StateChange): void {
  const { shifted_ms = 0 } = change.request;
  for (const { attempt } of change.attempts) change.moveAttempt(attempt, (each) => shifted(each, shifted_ms));
  for (const machine of change.machines.all()) if (isAlive(machine)) followWith(change, machine);
}

const following = [
  'missing_since',
  'replace_from',
  'release_at',
  'released_at',
  'took_over_at',
  'expires_at',
  'held_until',
  'used_from',
  'used_until',
] as const;

/** Moves the times of a machine by the amount that it has not followed yet. */
export function followWith(change: StateChange, machine: MachineRecord): void {
  const { shifted_ms = 0 } = change.request;
  const ms = shifted_ms - (machine.shifted_ms ?? 0);
  const times: ('created_at' | (typeof following)[number])[] = following.filter((time) => machine[time] !== undefined);
  if (machine.ready_at === undefined) times.push('created_at');
  if (ms === 0 || times.length === 0) return;
  change.setMachine(machine, {
    shifted_ms,
    ...Object.fromEntries(times.map((time) => [time, (machine[time] ?? 0) + ms])),
  });
}

/** The amount that a machine already follows when it gets its first relevant time. */
export const asMoved = ({ request: { shifted_ms } }: StateChange): Pick<MachineRecord, 'shifted_ms'> =>
  shifted_ms === undefined ? {} : { shifted_ms };
