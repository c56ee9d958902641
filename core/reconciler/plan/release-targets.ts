import type { AttemptRecord } from '../../model/attempt.ts';
import type { MachineRecord } from '../../model/machine.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import type { ReleaseTarget, MachineRef } from '../../contract/provider.ts';
import type { RequestState } from '../state/request-state.ts';
import { isSettled } from '../state/attempt.ts';
import { keepsNumber, tally, toCome } from '../state/counting.ts';
import { awaitsRelease, isAlive, isStaying } from '../state/machine-life.ts';
import { msUntil } from '../state/ms-until.ts';

/** What is asked of one attempt's handle. */
export interface PendingRelease {
  readonly attempt: AttemptRecord;
  readonly target: ReleaseTarget;
  /** How many machines of the attempt had been lost when the aim was worked out. */
  readonly lost_seen: number;
}

/**
 * Which handles have to be told something: machines of theirs are wanted gone, or fewer may arrive than are on their way. Aims are absolute,
 * worked out of what is wanted now, so that telling one twice, or after a crash, changes nothing. Pure.
 */
export function pendingReleases(from: RequestState, now: number, repeated: ReadonlySet<number> = new Set()): readonly PendingRelease[] {
  const { request, attempts, machines } = from;
  const counts = tally(from);
  const stop = stopsArrivals(from, now);
  const mustRepeat = repeatDue(from, now);
  let room = stop ? 0 : Math.max(0, counts.target - counts.staying);
  const found: PendingRelease[] = [];
  for (const attempt of attempts) {
    if (attempt.handle === undefined) continue;
    const mine = machines.counts(attempt.attempt);
    const coming = toCome(attempt, mine.staying);
    const ended = stop || isFutile(attempt, request);
    const allowed = ended ? 0 : Math.min(coming, room);
    room -= allowed;
    const repeat = mustRepeat && !repeated.has(attempt.attempt);
    const leaving = repeat ? mine.going : mine.awaitsRelease;
    const mustBound = !isSettled(attempt) && (ended || allowed < coming);
    if (leaving === 0 && !mustBound && !(repeat && attempt.to_come !== undefined)) continue;
    const all = [...machines.of(attempt.attempt)];
    const go = all.filter(repeat ? (machine) => isAlive(machine) && machine.going !== undefined : awaitsRelease);
    const target = { go: go.map(refOf), stay: all.filter(isStaying).map(refOf), to_come: allowed };
    found.push({ attempt, target, lost_seen: mine.lost });
  }
  return found;
}

/**
 * It goes on trying and shall not: only when it is stopped may another try take its place. An attempt that was given up is one, and one that says
 * that it gets nothing more, as long as something can take its place.
 */
const isFutile = ({ state, stuck }: AttemptRecord, { status }: RequestRecord): boolean =>
  state === 'lost' || (stuck === true && !isTerminal(status));

/** No machine shall arrive any more: it ended, is being cancelled, was refused for good, or its time is over. */
export function stopsArrivals(from: RequestState, now: number): boolean {
  const { request } = from;
  if (request.cancel_requested_at !== undefined || request.undone_at !== undefined) return true;
  return isTerminal(request.status) ? !keepsNumber(request) : now >= request.deadline_at || isRefused(from);
}

/** The provider refused the parameters: no attempt will do better. */
export const isRefused = (from: RequestState): boolean =>
  from.attempts.some((attempt) => attempt.state === 'closed' && attempt.shortfall.some((each) => each.kind === 'invalid'));

export const repeatDue = ({ request }: Pick<RequestState, 'request'>, now: number): boolean =>
  (request.repeat_release_at ?? 0) > 0 && msUntil(request.repeat_release_at, now) === 0;

export function refOf(machine: MachineRecord): MachineRef {
  const { machine_id, status, launched_at, zone, data } = machine;
  return {
    machine_id,
    status,
    ...(launched_at === undefined ? {} : { launched_at }),
    ...(zone === undefined ? {} : { zone }),
    ...(data === undefined ? {} : { data }),
  };
}
