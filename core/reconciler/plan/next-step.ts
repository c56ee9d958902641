import type { AttemptRecord } from '../../model/attempt.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import { isTerminal } from '../../model/request.ts';
import { onTick } from '../leases/lease-due.ts';
import { planReplacements } from '../replacement/plan-replacements.ts';
import { isSettled } from '../state/attempt.ts';
import { tally } from '../state/counting.ts';
import { msUntil } from '../state/ms-until.ts';
import { freeNames } from '../state/names.ts';
import type { RequestState } from '../state/request-state.ts';
import { conclude } from './conclude.ts';
import { Alarm, type Decision } from './decision.ts';
import { forgettable } from './forgettable.ts';
import { leave } from './leave.ts';
import { observationDue } from './observation-due.ts';
import { noCandidates, waitsForBroker, waitsForConnection, type FallbackOrder } from './orders/fallback-order.ts';
import { orderChoice } from './orders/order-choice.ts';
import { planOrders, type PlannedOrder } from './orders/plan-orders.ts';
import { requestRetries } from './orders/standing.ts';
import { awaitedInstance, firstElsewhere, isHandedOver, whereabouts } from './other-brokers.ts';
import { followsEnd } from './follows-end.ts';
import { pendingReleases, repeatDue, stopsArrivals } from './pending-releases.ts';
import type { PlanContext } from './plan-context.ts';
import type { Step } from './step.ts';

/**
 * Plans the next steps of a provisioning request. Pure: the same state in the same context gives the same
 * result, also after a crash.
 */
export function nextStep(from: RequestState, at: PlanContext): Decision {
  const { request } = from;
  const over = isTerminal(request.status);
  const stop = stopsArrivals(from, at.now);
  const replacements = planReplacements(from, at);
  if (replacements.moves) return { steps: [{ do: 'replace' }] };
  const leases_at = onTick(from.machines.leaseDue(), at.settings.lease_tick_ms);
  const counts = tally(from);
  if (counts.staying > counts.target) return { steps: [{ do: 'trim' }] };
  const steps: Step[] = [];
  const wake = new Alarm();
  if (leases_at <= at.now) steps.push({ do: 'leases' });
  else if (leases_at < Infinity) wake.in(leases_at - at.now);
  const reachable = from.attempts.filter((attempt) => at.capabilities(attempt) !== undefined);
  const free = reachable.filter(({ attempt }) => !at.inFlight.has(attempt));

  const isUnsent = ({ attempt, state, unsent }: AttemptRecord): boolean =>
    state === 'open' && unsent && !at.inFlight.has(attempt);
  const left = leave(from, from.attempts.filter(isUnsent), at);
  if (left.length > 0) return { steps: left };
  for (const attempt of free) {
    if (attempt.state === 'open') steps.push(...pursue(attempt, at, wake));
    else if (attempt.state === 'lost' && attempt.handle === undefined) steps.push(...search(attempt, at, wake));
  }

  const upkeep = forget(from, at, wake);

  let exhausted = false;
  let skipped: readonly Shortfall[] = [];
  let message: string | undefined;
  let handsOver: Step | undefined;
  if (!stop && !over && counts.missing > 0 && !at.inFlight.opens) {
    const retries = requestRetries(request);
    const { options, elsewhere, out } =
      at.held_back === undefined ? at.fallbackOrder() : { options: [], elsewhere: [], out: [] };
    const place = whereabouts(request, at);
    const names = request.names ? freeNames(from).length : Infinity;
    const orderable = Math.min(counts.missing, names);
    const planned = planOrders(from, orderable === 0 ? [] : options, orderable, {
      ...at.settings,
      now: at.now,
      ...retries,
    });
    if (planned.orders.length > 0)
      return {
        steps: [...steps, ...upkeep, { do: 'open', orders: explained(planned.orders, from, { options, out }) }],
      };
    const isContinued = place === 'elsewhere' && (options.length === 0 || isHandedOver(request));
    const to =
      isContinued || orderable === 0 ? undefined : firstElsewhere(from, elsewhere, (all) => at.areElsewhere(all));
    if (to) handsOver = { do: 'hand-over', to };
    if (at.held_back !== undefined) {
      message = at.held_back.why;
      wake.in(at.held_back.ms);
    } else if (orderable === 0) {
      message = 'A name becomes free when the release of the machine that had it is accepted.';
    } else if (isContinued) {
      message = `Another broker has the provider instance '${request.selected_instance}' and continues the request.`;
    } else if (retries.retries && !planned.denied) {
      const why = options.length > 0 ? 'Every offer lacked capacity' : 'No provider instance can serve it now';
      message = `${why}; trying again until the time-out.`;
      wake.in(Math.min(10_000, (planned.tried_again_at ?? Infinity) - at.now));
    } else {
      const starting = firstElsewhere(from, elsewhere, (all) => at.mayBeElsewhere(all));
      const absent = awaitedInstance(from, options.length > 0, at);
      if (starting) message = waitsForConnection(starting.provider_instance);
      else if (absent !== undefined) message = waitsForBroker(absent);
      else {
        exhausted = true;
        skipped = options.length > 0 ? planned.skipped : noCandidates(out);
      }
      if (!exhausted) wake.in(absentCheckMs);
    }
  }

  if (replacements.order && !at.inFlight.opens) steps.push({ do: 'open', orders: [replacements.order] });
  if (replacements.again_ms < Infinity) wake.in(replacements.again_ms);

  const pendingTargets = pendingReleases(from, at.now, {
    repeated: at.agenda.repeated,
    incomingTold: (attempt) => at.inFlight.incomingTold(attempt),
  });
  // Where there is no session yet, the target is still to be repeated.
  if (repeatDue(from, at.now) && pendingTargets.length === 0) return { steps: [{ do: 'repeated' }, ...steps] };
  for (const pending of pendingTargets) {
    if (at.capabilities(pending.attempt) === undefined || at.inFlight.changes(pending.attempt.attempt)) continue;
    const due = at.agenda.release_at.get(pending.attempt.attempt) ?? 0;
    if (due <= at.monotonic) steps.push({ do: 'release', pending });
    else wake.in(due - at.monotonic);
  }

  const observations: Step[] = [];
  const putsOffMs = over ? 0 : at.agenda.announcedEnds.putsOffMs(at.monotonic);
  if (putsOffMs > 0) wake.in(putsOffMs);
  let looksFirst = putsOffMs > 0;
  for (const attempt of free) {
    const due = observationDue(from, attempt, at);
    if (due === undefined) continue;
    const verified = at.agenda.announcedEnds.due(attempt.attempt, at.settings.observe_moving_ms) ?? Infinity;
    if (verified <= at.monotonic) observations.push({ do: 'verify', attempt, observes: due <= at.monotonic });
    else if (due <= at.monotonic) observations.push({ do: 'observe', attempt });
    // Notices may end before a rare observation is due.
    else wake.in(Math.min(due - at.monotonic, verified - at.monotonic, at.settings.observe_resting_ms));
    looksFirst ||= due <= at.monotonic && !at.agenda.observed_at.has(attempt.attempt);
  }
  // A new holder looks first, and so does one that got a notice: much may have happened.
  const looks = [...upkeep, ...observations];
  const due = [...steps, ...looks];
  if (looksFirst || !steps.every((step) => followsEnd(step, request)))
    return { ...wake.decision(message), steps: due };
  if (due.length === 0 && over) return rest(from, reachable, at, wake);

  // Observations that take as long as their interval are due again when they end, what old attempts left may be much,
  // and of many releases one is always due: none of them must put off the conclusion. While it waits for observations
  // in flight, which may take a minute, the rest goes on, and no further observation begins.
  const conclusion: Decision = handsOver
    ? wake.decision(undefined, handsOver)
    : over
      ? wake.decision(message)
      : conclude(from, counts, at, wake, { message, skipped, exhausted, stop });
  const concludes = conclusion.steps.length > 0 && at.inFlight.letsConclude;
  if (concludes && !at.inFlight.allowsConclusion) return { ...conclusion, steps };
  return concludes || due.length === 0 ? conclusion : { ...wake.decision(message), steps: due };
}

/**
 * Continues an order with an unknown outcome: it is sent until the outcome is known. An order that may have been sent
 * is continued even when it is no longer needed.
 */
function pursue(attempt: AttemptRecord, at: PlanContext, wake: Alarm): Step[] {
  const capabilities = at.capabilities(attempt);
  const age = at.now - (attempt.sent_at ?? at.now);
  if (!attempt.unsent && capabilities && age > capabilities.token_valid_ms) return [{ do: 'mark-lost', attempt }];
  const retry = msUntil(attempt.retry_at, at.now);
  if (retry > 0) {
    wake.in(retry);
    return [];
  }
  return [{ do: 'launch', attempt }];
}

/** Adds to the first order why it goes to its instance, where that is news. */
function explained(
  orders: readonly PlannedOrder[],
  from: RequestState,
  order: Pick<FallbackOrder, 'options' | 'out'>,
): readonly PlannedOrder[] {
  const [first, ...more] = orders;
  const choice = first && orderChoice(from, order, first);
  return choice ? [{ ...first, choice }, ...more] : orders;
}

/** How often a request that waits for a broker is planned again. */
const absentCheckMs = 5_000;

/** An order that can no longer be repeated is searched by tags a few times; machines that appear are released. */
function search(attempt: AttemptRecord, at: PlanContext, wake: Alarm): Step[] {
  if (attempt.settled) return [];
  const due = msUntil(attempt.retry_at, at.now);
  if (due === 0) return [{ do: 'recover', attempt }];
  wake.in(due);
  return [];
}

/** So many attempts are removed in one step, and no fewer are worth one. */
const mostForgotten = 50;
const fewestForgotten = 10;

/** Removes attempts that no decision needs, and before that what the provider keeps for them. */
function forget(from: RequestState, at: PlanContext, wake: Alarm): Step[] {
  const old = forgettable(from, { ...at.settings, now: at.now, ...requestRetries(from.request) });
  if (old.length < fewestForgotten) return [];
  const steps: Step[] = [];
  const removable: number[] = [];
  for (const attempt of old.slice(0, mostForgotten)) {
    const capabilities = at.capabilities(attempt);
    if (!capabilities || at.inFlight.has(attempt.attempt)) continue;
    if (attempt.disposed || !capabilities.disposes) removable.push(attempt.attempt);
    else disposeWhenDue(attempt, at, steps, wake);
  }
  if (removable.length >= fewestForgotten) steps.push({ do: 'forget', attempts: removable });
  return steps;
}

function disposeWhenDue(attempt: AttemptRecord, at: PlanContext, steps: Step[], wake: Alarm): void {
  const due = at.agenda.dispose_at.get(attempt.attempt) ?? 0;
  if (due <= at.monotonic) steps.push({ do: 'dispose', attempt });
  else wake.in(due - at.monotonic);
}

/** After the end of the request: observes living machines, and removes the rest of attempts without machines. */
function rest(from: RequestState, reachable: readonly AttemptRecord[], at: PlanContext, wake: Alarm): Decision {
  const steps: Step[] = [];
  for (const attempt of reachable) {
    if (attempt.disposed || !isSettled(attempt) || !at.capabilities(attempt)?.disposes) continue;
    if (from.machines.counts(attempt.attempt).alive > 0 || at.inFlight.has(attempt.attempt)) continue;
    disposeWhenDue(attempt, at, steps, wake);
  }
  if (reachable.length < from.attempts.length && from.machines.counts().alive > 0)
    wake.in(at.settings.observe_resting_ms);
  return steps.length > 0 ? { steps } : wake.decision(undefined);
}
