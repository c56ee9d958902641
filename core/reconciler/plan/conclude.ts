import type { AttemptRecord } from '../../model/attempt.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import { isSettled } from '../state/attempt.ts';
import type { Tally } from '../state/counting.ts';
import { msUntil } from '../state/ms-until.ts';
import type { RequestState } from '../state/request-state.ts';
import type { Alarm, Decision } from './decision.ts';
import { noCandidates } from './orders/fallback-order.ts';
import { whereabouts } from './other-brokers.ts';
import { isRefused, isUndone } from './pending-releases.ts';
import type { PlanContext } from './plan-context.ts';

/** What was found about the machines that are missing. */
export interface Missing {
  readonly message: string | undefined;
  readonly skipped: readonly Shortfall[];
  /** No instance can serve. */
  readonly exhausted: boolean;
  readonly stop: boolean;
}

/** The step that concludes something about a whole request of which no call is due, or the wait for it. */
export function conclude(
  from: RequestState,
  counts: Tally,
  at: PlanContext,
  wake: Alarm,
  { message, skipped, exhausted, stop }: Missing,
): Decision {
  const { request } = from;
  if (request.deadline_at > at.now) wake.in(request.deadline_at - at.now);
  const repeats = msUntil(request.repeat_release_at, at.now);
  if (repeats > 0) {
    wake.in(repeats);
    return wake.decision(message);
  }
  const isAwaited = ({ replaces }: AttemptRecord): boolean => replaces === undefined || isUndone(request);
  if (from.attempts.some((attempt) => isAwaited(attempt) && !isSettled(attempt)))
    return wake.decision(message ?? unreachable(from, at));
  if (request.cancel_requested_at !== undefined) {
    const isDone = from.machines.counts().awaitsRelease === 0;
    return isDone ? wake.decision(undefined, { do: 'end' }) : wake.decision(message);
  }
  if (at.now >= request.deadline_at && counts.ready < counts.staying && isSeen(from, at))
    return wake.decision(undefined, { do: 'expire' });
  if (counts.ready < counts.staying) return wake.decision(message);
  if (counts.missing > 0 && !exhausted && !stop && !isRefused(from)) return wake.decision(message);
  // The replacement of a machine that is lost by now fills its place. A refusal also stops arrivals.
  if (counts.incoming > 0 && counts.staying < counts.target && !stop) return wake.decision(message);
  if (request.template?.partial === 'all_or_nothing' && counts.ready < counts.target && counts.staying > 0)
    return wake.decision(undefined, { do: 'undo' });
  let why = skipped;
  if (counts.missing > 0 && from.attempts.length === 0) {
    const { options, out } = at.fallbackOrder();
    if (options.length === 0 || whereabouts(request, at) !== 'here') why = noCandidates(out);
  }
  return wake.decision(undefined, { do: 'end', ...(why.length > 0 ? { skipped: why } : {}) });
}

/**
 * Whether each machine that is not ready was asked for since the deadline: it may have become ready while calls for
 * others took long. An answer is not waited for, and neither is an instance that cannot be reached.
 */
function isSeen({ request, attempts, machines }: RequestState, at: PlanContext): boolean {
  const deadline = at.monotonic - (at.now - request.deadline_at);
  return attempts.every((attempt) => {
    const { unready } = machines.counts(attempt.attempt);
    if (unready === 0 || attempt.handle === undefined || at.capabilities(attempt) === undefined) return true;
    return (at.agenda.asked_at.get(attempt.attempt) ?? -Infinity) >= deadline;
  });
}

/** The message when an attempt stays unreachable until the configuration changes. */
function unreachable({ attempts }: RequestState, at: PlanContext): string | undefined {
  const [out] = attempts.flatMap((attempt) => (isSettled(attempt) ? [] : (at.outOfReach(attempt) ?? [])));
  return out === undefined ? undefined : `${out}: the orders there are continued when it can be reached again.`;
}
