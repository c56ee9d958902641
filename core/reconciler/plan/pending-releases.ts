import type { AttemptRecord } from '../../model/attempt.ts';
import type { MachineRecord } from '../../model/machine.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import type { ReleaseTarget, MachineRef } from '../../contract/provider/orders-and-reports.ts';
import type { RequestState } from '../state/request-state.ts';
import { isSettled } from '../state/attempt.ts';
import { arrivalsOf, keepsNumber, tally } from '../state/counting.ts';
import { awaitsRelease, isAlive, isStaying } from '../state/machine-life.ts';
import { countNeeds } from '../replacement/needs.ts';
import { msUntil } from '../state/ms-until.ts';
import { isDenied } from './orders/standing.ts';

/** A release target that must be sent for one attempt. */
export interface PendingRelease {
  readonly attempt: AttemptRecord;
  readonly target: ReleaseTarget;
  /** How many machines of the attempt were lost when the target was computed. */
  readonly lost_seen: number;
}

interface ReleasesSent {
  /** Attempts whose repeated release the provider accepted after a take-over. */
  readonly repeated?: ReadonlySet<number>;
  /** How many machines may arrive by a release that is being sent for an attempt. */
  incomingTold?(attempt: number): number | undefined;
}

/**
 * The attempts whose provider needs a new target: machines must go, or fewer machines may arrive than are incoming.
 * Targets are absolute and computed from the present state, so a repeated target, also after a crash, changes nothing.
 * Pure.
 */
export function pendingReleases(
  from: RequestState,
  now: number,
  { repeated = new Set(), incomingTold = () => undefined }: ReleasesSent = {},
): readonly PendingRelease[] {
  const { request, attempts, machines } = from;
  const counts = tally(from);
  const stop = stopsArrivals(from, now);
  const mustRepeat = repeatDue(from, now);
  const vacancies = Math.max(0, counts.target - counts.staying);
  const filling = stop ? new Map<number, number>() : fillingOf(from, vacancies, incomingTold);
  const found: PendingRelease[] = [];
  for (const attempt of attempts) {
    if (attempt.handle === undefined) continue;
    const mine = machines.counts(attempt.attempt);
    const { incoming, replacing } = arrivalsOf(attempt, from);
    const coming = incoming + replacing;
    const ended = isFutile(attempt, request) || isUndone(request) || (stop && replacing === 0);
    const allowed = (filling.get(attempt.attempt) ?? 0) + (ended ? 0 : replacing);
    const repeat = mustRepeat && !repeated.has(attempt.attempt);
    const leaving = repeat ? mine.going : mine.awaitsRelease;
    const mustBound = !isSettled(attempt) && (ended || allowed < coming);
    if (leaving === 0 && !mustBound && !(repeat && attempt.incoming !== undefined)) continue;
    const all = [...machines.of(attempt.attempt)];
    const go = all.filter(repeat ? (machine) => isAlive(machine) && machine.going !== undefined : awaitsRelease);
    const target = { go: go.map(refOf), stay: all.filter(isStaying).map(refOf), incoming: allowed };
    found.push({ attempt, target, lost_seen: mine.lost });
  }
  return found;
}

/**
 * How many machines of each attempt may still arrive, so that all together fill the vacancies. None gets more than it
 * was ordered without the machines that were returned: its provider would start others in place of these, before the
 * target of another attempt is lowered. Those of an order whose answer is not known may come whatever is decided here,
 * and attempts with returned machines come last. Pure, and the same whether the returned machines live or not: a
 * target that is being sent must not be counted on twice.
 */
function fillingOf(
  from: RequestState,
  vacancies: number,
  incomingTold: (attempt: number) => number | undefined,
): ReadonlyMap<number, number> {
  const rank = ({ attempt, handle }: AttemptRecord): number =>
    handle === undefined ? 0 : from.machines.counts(attempt).returned === 0 ? 1 : 2;
  const filling = new Map<number, number>();
  let left = vacancies;
  for (const attempt of from.attempts.toSorted((a, b) => rank(a) - rank(b))) {
    if (attempt.unsent || isFutile(attempt, from.request)) continue;
    const { present, returned } = from.machines.counts(attempt.attempt);
    const places = Math.max(0, attempt.order.machine_count - present - returned);
    const told = incomingTold(attempt.attempt) ?? Infinity;
    const mine = Math.min(arrivalsOf(attempt, from).incoming, places, left, told);
    filling.set(attempt.attempt, mine);
    left -= mine;
  }
  return filling;
}

/**
 * Whether an attempt keeps trying and must be stopped, because another attempt may only replace it after that: it is
 * lost, or it is stuck and its machines may be ordered elsewhere.
 */
const isFutile = ({ state, stuck, replaces }: AttemptRecord, { status }: RequestRecord): boolean =>
  state === 'lost' || (stuck === true && (!isTerminal(status) || replaces !== undefined));

/** All machines of the request shall go. */
export const isUndone = ({ cancel_requested_at, undone_at }: RequestRecord): boolean =>
  cancel_requested_at !== undefined || undone_at !== undefined;

/** Whether an order for replacements that was not sent has become too large: fewer machines need one. */
const isTooLarge = (attempt: AttemptRecord, { request, machines }: RequestState): boolean => {
  const { held, lost } = countNeeds(attempt, machines);
  return isUndone(request) || held + lost < attempt.order.machine_count;
};

/**
 * Whether an order that was not sent is not needed as it is. Machines may have been returned, or seen again, since it
 * was made: what is missing is ordered anew.
 */
export function isNeedless(attempt: AttemptRecord, from: RequestState, now: number): boolean {
  if (attempt.replaces !== undefined) return isTooLarge(attempt, from);
  const { staying, incoming, target } = tally(from);
  return stopsArrivals(from, now) || staying + incoming > target;
}

/**
 * Whether no further machine shall arrive: the request ended, is being cancelled, was refused, or its time-out has
 * passed.
 */
export function stopsArrivals(from: RequestState, now: number): boolean {
  const { request } = from;
  if (isUndone(request)) return true;
  return isTerminal(request.status) ? !keepsNumber(request) : now >= request.deadline_at || isRefused(from);
}

/**
 * The provider refused the parameters, so every further attempt would fail. A missing permission is no such refusal:
 * other offers and instances may serve.
 */
export const isRefused = (from: RequestState): boolean =>
  from.attempts.some(
    (attempt) =>
      attempt.state === 'closed' &&
      attempt.replaces === undefined &&
      attempt.shortfall.some((each) => each.kind === 'invalid' && !isDenied(each)),
  );

export const repeatDue = ({ request }: Pick<RequestState, 'request'>, now: number): boolean =>
  (request.repeat_release_at ?? 0) > 0 && msUntil(request.repeat_release_at, now) === 0;

export function refOf(machine: MachineRecord): MachineRef {
  const { machine_id, status, assigned_name, launched_at, zone, market, reclaim_at, data } = machine;
  return {
    machine_id,
    status,
    ...(assigned_name === undefined ? {} : { assigned_name }),
    ...(launched_at === undefined ? {} : { launched_at }),
    ...(zone === undefined ? {} : { zone }),
    ...(market === undefined ? {} : { market }),
    ...(reclaim_at === undefined ? {} : { reclaim_at }),
    ...(data === undefined ? {} : { data }),
  };
}
