import type { AttemptRecord } from '../../model/attempt.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import { isTerminal } from '../../model/request.ts';
import type { Capabilities } from '../../contract/provider/capabilities.ts';
import {
  pendingReleases,
  isNeedless,
  isRefused,
  isUndone,
  repeatDue,
  stopsArrivals,
  type PendingRelease,
} from './pending-releases.ts';
import { planReplacements, replacementRetries, type ReplacementContext } from '../replacement/plan-replacements.ts';
import type { ProviderOption } from './provider-option.ts';
import type { RequestState } from '../state/request-state.ts';
import { isSettled } from '../state/attempt.ts';
import { tally, type Tally } from '../state/counting.ts';
import { freeNames } from '../state/names.ts';
import {
  noCandidates,
  waitsForBroker,
  waitsForConnection,
  type Elsewhere,
  type FallbackOrder,
} from './fallback-order.ts';
import { awaitedInstance, firstElsewhere, isHandedOver, whereabouts, type OtherBrokers } from './other-brokers.ts';
import { forgettable } from './forgettable.ts';
import { orderChoice } from './order-choice.ts';
import { observationDue, type ObservationContext } from './observation-due.ts';
import { planOrders, type PlannedOrder } from './plan-orders.ts';
import { requestRetries } from './standing.ts';
import { onTick } from '../leases/lease-due.ts';
import { msUntil } from '../state/ms-until.ts';
import type { AnnouncedEnds } from '../claims/announced-ends.ts';

/**
 * One step of a request. `launch`, `recover`, `observe`, `verify`, `dispose` and `release` call the provider, `open`
 * may do so, and `reach` connects to an instance; the other steps only change the store. `verify` observes the machines whose end a notice announced.
 */
export type Step =
  | { readonly do: 'open'; readonly orders: readonly PlannedOrder[] }
  | {
      readonly do: 'launch' | 'recover' | 'observe' | 'verify' | 'dispose' | 'close' | 'mark-lost';
      readonly attempt: AttemptRecord;
    }
  | { readonly do: 'leave'; readonly attempt: AttemptRecord; readonly why: string }
  | { readonly do: 'forget'; readonly attempts: readonly number[] }
  | { readonly do: 'release'; readonly pending: PendingRelease }
  | { readonly do: 'reach'; readonly instance: string }
  | { readonly do: 'hand-over'; readonly to: Elsewhere }
  | { readonly do: 'expire' | 'undo' | 'trim' | 'replace' | 'repeated' | 'leases' }
  /** `skipped`: why offers were not used at all. */
  | { readonly do: 'end'; readonly skipped?: readonly Shortfall[] };

/** The times of the calls for each attempt, on the monotonic clock of this process. */
export type Agenda = ObservationContext['agenda'] & {
  /** The earliest time of the next call. */
  readonly release_at: ReadonlyMap<number, number>;
  readonly dispose_at: ReadonlyMap<number, number>;
  /** Since when every call for an attempt was certainly not executed. */
  readonly unanswered_since: ReadonlyMap<number, number>;
  /** Attempts whose repeated release the provider accepted after a takeover. */
  readonly repeated: ReadonlySet<number>;
  readonly announcedEnds: Pick<AnnouncedEnds, 'due'>;
};

/** The steps of the request that are being executed. */
export interface InFlight {
  /** Orders are about to be stored. */
  readonly opens: boolean;
  /** Whether a step of an attempt is executed: no other step of it is planned, except a release. */
  has(attempt: number): boolean;
  /** Whether a step of an attempt is executed that may change its machines. */
  changes(attempt: number): boolean;
}

/** The inputs of a decision besides the state of the request. */
export interface PlanContext extends ReplacementContext, ObservationContext, OtherBrokers {
  readonly agenda: Agenda;
  readonly inFlight: InFlight;
  /** The instances that may serve the request. Computed only when machines are missing. */
  fallbackOrder(): FallbackOrder;
  /** Whether an instance is configured and enabled. */
  takesOrders(instance: string): boolean;
  /** Whether an instance does not answer, or refuses everything. Its orders go elsewhere if another one can serve. */
  isUnhealthy(instance: string): boolean;
  /**
   * Why calls for the attempt are paused for a long time: a call for its template stopped the loop thread. Undefined:
   * they are not.
   */
  quarantined(attempt: AttemptRecord): string | undefined;
  /** Why the present configuration prevents calls for an attempt; undefined: it does not. */
  outOfReach(attempt: AttemptRecord): string | undefined;
  /**
   * Undefined: the instance is not configured or speaks to another cloud now, so no calls are made for the attempt.
   */
  capabilities(
    attempt: AttemptRecord,
  ): (Capabilities & { readonly disposes: boolean; readonly finds: boolean }) | undefined;
  /** Why no attempt may be opened now, and after how many milliseconds this is checked again. */
  readonly held_back?: { readonly why: string; readonly ms: number };
}

export interface Decision {
  /** The steps to execute now. They are independent of each other. */
  readonly steps: readonly Step[];
  /** Milliseconds until the next decision when none of the steps is executed. Undefined: no time is known. */
  readonly again_ms?: number;
  readonly message?: string;
}

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
  if (leases_at <= at.now) return { steps: [{ do: 'leases' }] };
  const counts = tally(from);
  if (counts.staying > counts.target) return { steps: [{ do: 'trim' }] };
  const steps: Step[] = [];
  const wake = new Alarm();
  if (leases_at < Infinity) wake.in(leases_at - at.now);
  const reachable = from.attempts.filter((attempt) => at.capabilities(attempt) !== undefined);
  const free = reachable.filter(({ attempt }) => !at.inFlight.has(attempt));

  for (const attempt of from.attempts) {
    if (attempt.state !== 'open' || !attempt.unsent || at.inFlight.has(attempt.attempt)) continue;
    const left = leave(from, attempt, isNeedless(attempt, from, at.now), at);
    if (left) return { steps: [left] };
  }
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

  if (replacements.order && !at.inFlight.opens)
    return { steps: [...steps, ...upkeep, { do: 'open', orders: [replacements.order] }] };
  if (replacements.again_ms < Infinity) wake.in(replacements.again_ms);

  const pendingTargets = pendingReleases({ ...from, attempts: reachable }, at.now, at.agenda.repeated);
  if (pendingTargets.length === 0 && repeatDue(from, at.now)) return { steps: [{ do: 'repeated' }, ...steps] };
  for (const pending of pendingTargets) {
    if (at.inFlight.changes(pending.attempt.attempt)) continue;
    const due = at.agenda.release_at.get(pending.attempt.attempt) ?? 0;
    if (due <= at.monotonic) steps.push({ do: 'release', pending });
    else wake.in(due - at.monotonic);
  }

  const observations: Step[] = [];
  let looksFirst = false;
  for (const attempt of free) {
    const due = observationDue(from, attempt, at);
    if (due === undefined) continue;
    const verified = at.agenda.announcedEnds.due(attempt.attempt, at.settings.observe_moving_ms) ?? Infinity;
    if (verified <= at.monotonic) observations.push({ do: 'verify', attempt });
    else if (due <= at.monotonic) observations.push({ do: 'observe', attempt });
    // Notices may end before a rare observation is due.
    else wake.in(Math.min(due - at.monotonic, verified - at.monotonic, at.settings.observe_resting_ms));
    looksFirst ||= verified <= at.monotonic || (due <= at.monotonic && !at.agenda.observed_at.has(attempt.attempt));
  }
  // A new holder looks first, and so does one that got a notice: much may have happened.
  const looks = [...upkeep, ...observations];
  if (steps.length > 0 || looksFirst) return { ...wake.decision(message), steps: [...steps, ...looks] };
  if (looks.length === 0 && over) return rest(from, reachable, at, wake);

  // Observations that take as long as their interval are due again when they end, and what old attempts left may be
  // much: neither must put off the conclusion.
  const conclusion: Decision = handsOver
    ? wake.decision(undefined, handsOver)
    : over
      ? wake.decision(message)
      : conclude(from, counts, at, wake, { message, skipped, exhausted, stop });
  return conclusion.steps.length > 0 || looks.length === 0 ? conclusion : { ...wake.decision(message), steps: looks };
}

/** What was found about the machines that are missing. */
interface Missing {
  readonly message: string | undefined;
  readonly skipped: readonly Shortfall[];
  /** No instance can serve. */
  readonly exhausted: boolean;
  readonly stop: boolean;
}

/** The step that concludes something about a whole request of which no call is due, or the wait for it. */
function conclude(
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
  if (at.now >= request.deadline_at && counts.ready < counts.staying)
    return wake.decision(undefined, { do: 'expire' });
  if (counts.ready < counts.staying) return wake.decision(message);
  if (counts.missing > 0 && !exhausted && !stop && !isRefused(from)) return wake.decision(message);
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

/**
 * Ends an attempt that was certainly never executed, without a call: it is no longer needed, or another instance shall
 * serve.
 */
function leave(from: RequestState, attempt: AttemptRecord, needless: boolean, at: PlanContext): Step | undefined {
  const { provider_instance } = attempt;
  if (needless) return { do: 'close', attempt };
  const out = at.outOfReach(attempt);
  if (out !== undefined) return { do: 'leave', attempt, why: `${out}.` };
  if (!at.takesOrders(provider_instance))
    return { do: 'leave', attempt, why: `'${provider_instance}' takes no orders any more.` };
  // The attempt would block a slot of the instance.
  const quarantined = at.quarantined(attempt);
  if (quarantined !== undefined) return { do: 'leave', attempt, why: quarantined };
  if (!(isSilent(attempt, at) ? isServedElsewhere : isBetterElsewhere)(from, attempt, at)) return undefined;
  return { do: 'leave', attempt, why: attempt.message ?? `'${provider_instance}' does not answer.` };
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

/** The message when an attempt stays unreachable until the configuration changes. */
function unreachable({ attempts }: RequestState, at: PlanContext): string | undefined {
  const [out] = attempts.flatMap((attempt) => (isSettled(attempt) ? [] : (at.outOfReach(attempt) ?? [])));
  return out === undefined ? undefined : `${out}: the orders there are continued when it can be reached again.`;
}

/** Whether no call for the attempt was executed for so long that its instance counts as not answering. */
function isSilent({ attempt }: AttemptRecord, { agenda, monotonic, settings }: PlanContext): boolean {
  const since = agenda.unanswered_since.get(attempt);
  return since !== undefined && monotonic - since >= settings.silent_ms;
}

/** Whether another healthy instance has an offer for the machines of the attempt. */
function isServedElsewhere(from: RequestState, attempt: AttemptRecord, at: PlanContext): boolean {
  const isOther = ({ provider_instance, unhealthy }: ProviderOption): boolean =>
    provider_instance !== attempt.provider_instance && !unhealthy;
  return wouldOrder(from, attempt, at, isOther) !== undefined;
}

/**
 * Whether the instance of the attempt is unhealthy, and the same order would go to a healthy one now. Else the request
 * would go back to the instance, and leave it again.
 */
function isBetterElsewhere(from: RequestState, attempt: AttemptRecord, at: PlanContext): boolean {
  if (!at.isUnhealthy(attempt.provider_instance) || attempt.replaces !== undefined) return false;
  const option = wouldOrder(from, attempt, at, () => true);
  return option !== undefined && option.provider_instance !== attempt.provider_instance && !option.unhealthy;
}

/** The option, of some, that would get the order of an attempt now. */
function wouldOrder(
  from: RequestState,
  { replaces, created_at, order }: AttemptRecord,
  at: PlanContext,
  isMeant: (option: ProviderOption) => boolean,
): ProviderOption | undefined {
  if (at.held_back !== undefined) return undefined;
  const options = at.fallbackOrder().options.filter(isMeant);
  const retries = replaces ? { retries: replacementRetries(created_at) } : requestRetries(from.request);
  const { orders } = planOrders(from, options, order.machine_count, { ...at.settings, now: at.now, ...retries });
  return orders[0]?.option;
}

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

/** Keeps the earliest of several times. */
class Alarm {
  #ms: number | undefined;

  in(ms: number): void {
    this.#ms = Math.min(this.#ms ?? Infinity, Math.max(0, ms));
  }

  /** `step`: what is due now, unless calls in flight forbid it. */
  decision(message: string | undefined, step?: Step): Decision {
    return {
      steps: step ? [step] : [],
      ...(this.#ms === undefined ? {} : { again_ms: this.#ms }),
      ...(message === undefined ? {} : { message }),
    };
  }
}
