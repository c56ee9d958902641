import { chunks } from '../collections/chunks.ts';
import type { Clock } from '../contract/clock.ts';
import { isBrokerError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import { isTerminal } from '../model/request.ts';
import type { CallTracking } from '../providers/guard/call-tracking.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { Facts } from '../providers/facts.ts';
import type { SessionPool } from '../providers/guard/session-pool.ts';
import type { Store } from '../contract/storage.ts';
import { applyExclusion } from './apply/apply-launch.ts';
import { applySignals } from './apply/apply-signals.ts';
import { applyReturnProgress } from './returns/apply-return-progress.ts';
import { perform } from './execute/perform.ts';
import { reachesAgainMs, reachesDue } from './reaches.ts';
import { StepsInFlight } from './execute/steps-in-flight.ts';
import { reportMissing } from './health/report-missing.ts';
import { calledFor, type StepContext } from './execute/step-context.ts';
import type { RefutedNotices } from './background/notices/refuted-notices.ts';
import type { AttemptRecord } from '../model/attempt.ts';
import { isSettled } from './state/attempt.ts';
import type { RequestState } from './state/request-state.ts';
import { planContextOf, type PlanParts } from './plan/plan-context-of.ts';
import type { Decision } from './plan/decision.ts';
import { nextStep } from './plan/next-step.ts';
import type { Step } from './plan/step.ts';
import type { ClaimedRequest } from './claims/claimed-request.ts';
import { stopsArrivals } from './plan/pending-releases.ts';
import type { ClaimPool } from './claims/claim-pool.ts';
import type { Committer } from './claims/committer.ts';
import { ReturnWatch } from './returns/return-watch.ts';
import type { SlotQueue } from './claims/slot-queue.ts';
import type { Settings } from './settings.ts';
import { turn } from '../collections/turn.ts';

/** The dependencies of the runner. */
export interface RunnerParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
  readonly facts: Facts;
  readonly directory: ProviderDirectory;
  readonly pool: SessionPool;
  readonly slots: SlotQueue;
  readonly committer: Committer;
  readonly stepContext: StepContext;
  readonly planParts: PlanParts;
  /** Tracks for which request plugins are called. */
  readonly watch: CallTracking;
  readonly claimPool: Pick<ClaimPool, 'due' | 'yield'>;
  readonly refuted: RefutedNotices;
  /** The loop is being stopped: no further step is started. */
  leaving(): boolean;
  /** Called when the provider answered for all machines of the request. */
  refreshed(request_id: string): void;
}

/** The number of outcomes that are committed before other requests continue. */
const outcomesAtOnce = 4;

/** The steps of a request that is about to be yielded: what callers wait for, and what frees others. */
const whileYielding: ReadonlySet<Step['do']> = new Set([
  'release',
  'trim',
  'replace',
  'close',
  'leave',
  'leases',
] as const);

/**
 * For so long it begins them. Of releases that take long and fail, one would always be in flight: then it begins
 * nothing, and is yielded when what is in flight has ended.
 */
const yieldingMs = 60_000;

/** Runs the requests that are held here. */
export class RequestRunner {
  readonly #parts: RunnerParts;
  /** The observation of each held return. */
  readonly #returns = new WeakMap<ClaimedRequest, ReturnWatch>();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Plans and executes steps for one request until none is due. Must not run twice at a time for the same request. */
  async run(claimed: ClaimedRequest): Promise<void> {
    const inFlight = new StepsInFlight(this.#parts.clock, claimed);
    try {
      await this.#carryOn(claimed, inFlight);
      await inFlight.rest();
      await this.#conclude(claimed, inFlight);
    } catch (error) {
      // What calls in flight bring can be stored no more, or not now. It is found again as after a crash, so nothing
      // is waited for.
      if (!inFlight.none) {
        claimed.inDoubt = true;
        claimed.end();
      }
      await inFlight.rest();
      throw error;
    }
  }

  async #carryOn(claimed: ClaimedRequest, inFlight: StepsInFlight): Promise<void> {
    while (!this.#parts.leaving()) {
      claimed.fence();
      claimed.planning();
      if (!claimed.derived || claimed.pending_shift !== 0) await this.#parts.committer.commit(claimed, []);
      await this.#applySignals(claimed);
      const yields = claimed.surplus && claimed.isAtRest;
      // A request whose calls fail slowly is at rest only here.
      if (yields && inFlight.none) return this.#parts.claimPool.yield(claimed);
      if (claimed.state.request.kind === 'return') return this.#watchReturn(claimed);
      const again_ms = await this.#step(claimed, inFlight, yields);
      if (again_ms === 'settled') return;
      if (again_ms !== 'stepped') await inFlight.next(again_ms);
      await this.#conclude(claimed, inFlight);
    }
  }

  /**
   * Plans, and executes what is due. `yields`: only what callers wait for, because the request is yielded when no call
   * is in flight. Returns 'settled' when nothing is left to do now, and the time of the next plan when only calls in
   * flight are left.
   */
  async #step(
    claimed: ClaimedRequest,
    inFlight: StepsInFlight,
    yields: boolean,
  ): Promise<'settled' | 'stepped' | number> {
    const { stepContext, planParts, watch } = this.#parts;
    const execute = (step: Step) => perform(step, claimed, stepContext);
    await this.#applyExclusions(claimed);
    this.#recallNeedless(claimed, yields);
    if (!yields) await inFlight.wait(inFlight.begin(reachesDue(claimed, inFlight, this.#parts), execute));
    // What ended meanwhile is stored before anything is decided.
    if (inFlight.hasEnded) return 'stepped';
    claimed.announcedEnds.planning();
    const context = planContextOf(claimed, yields ? inFlight.withoutOrders() : inFlight, planParts);
    const decision = watch.about(calledFor(claimed.state.request), () => nextStep(claimed.state, context));
    const steps = decision.steps.filter(
      (step) => inFlight.allows(step) && (!yields || (whileYielding.has(step.do) && !this.#onlyEnds(claimed))),
    );
    if (steps.length === 0) {
      if (!inFlight.none) {
        const needsNoSlot = !yields && !inFlight.opens && context.held_back === undefined;
        if (needsNoSlot && decision.steps.length === 0) await this.#stopWaiting(claimed);
        return Math.min(
          decision.again_ms ?? Infinity,
          yields ? Infinity : reachesAgainMs(claimed, inFlight, this.#parts),
        );
      }
      await this.#settle(claimed, decision, context.held_back !== undefined);
      return 'settled';
    }
    await inFlight.wait(inFlight.begin(steps, execute));
    return 'stepped';
  }

  /** The request needs no slot now, so that others are served. */
  async #stopWaiting(claimed: ClaimedRequest): Promise<void> {
    if (claimed.state.request.waits_for === undefined) return;
    await this.#parts.committer.commit(claimed, [(change) => change.stopWaiting()]);
    this.#parts.slots.leave(claimed);
  }

  /** Whether a request that is to be yielded begins nothing any more. */
  #onlyEnds({ surplus_since = Infinity }: ClaimedRequest): boolean {
    return this.#parts.clock.monotonic() - surplus_since >= yieldingMs;
  }

  /** Calls that wait for their turn are not made when their time is over. */
  #recallNeedless(claimed: ClaimedRequest, yields: boolean): void {
    const { state, waitingCalls } = claimed;
    if (waitingCalls.size === 0) return;
    if (yields && this.#onlyEnds(claimed)) return claimed.recallAll();
    if (!stopsArrivals(state, claimed.now())) return;
    // A replacement is also needed after the end of its request.
    const replacing = new Set(state.attempts.flatMap(({ attempt, replaces }) => (replaces ? [attempt] : [])));
    for (const call of waitingCalls) if (call.isFirstLaunch && !replacing.has(call.attempt)) call.recall();
  }

  /** Commits the outcomes of the steps that ended. Those of successful steps are kept, whatever happened to others. */
  async #conclude(claimed: ClaimedRequest, inFlight: StepsInFlight): Promise<void> {
    const ended = inFlight.take();
    const outcomes = ended.flatMap(({ outcome }) => outcome);
    for (const [index, part] of chunks(outcomes, outcomesAtOnce).entries()) {
      if (index > 0) await turn();
      await this.#parts.committer.commit(claimed, part);
    }
    for (const { failure } of ended) if (failure) throw failure.reason;
    inFlight.conclude(ended);
    const observes = ended.some(({ step }) => step.do === 'observe' || step.do === 'verify');
    const { machines, attempts } = claimed.state;
    const { observation_failed, asked_at, refresh_asked_at = -Infinity } = claimed;
    const isAnswered = ({ attempt }: AttemptRecord): boolean => {
      if (machines.counts(attempt).alive === 0) return true;
      const asked = asked_at.get(attempt);
      return asked !== undefined && asked >= refresh_asked_at && !observation_failed.has(attempt);
    };
    if (observes && attempts.every(isAnswered)) this.#parts.refreshed(claimed.request_id);
    this.#parts.refuted.add(claimed.announcedEnds.settle(claimed.state.machines));
  }

  /** Applies the signals that are there. Those that come meanwhile must not put off the plan. */
  async #applySignals(claimed: ClaimedRequest): Promise<void> {
    const present = new Set(claimed.present().signals.map(({ signal_id }) => signal_id));
    while (claimed.state.signals.some(({ signal_id }) => present.has(signal_id))) await this.#applyFirst(claimed);
  }

  /** A found machine that belongs to another request must not block the signals of callers. */
  async #applyFirst(claimed: ClaimedRequest): Promise<void> {
    try {
      await this.#parts.committer.commit(claimed, [applySignals]);
    } catch (error) {
      if (!isBrokerError(error) || error.details['held_by'] === undefined) throw error;
      this.#parts.log.error(
        { request_id: claimed.request_id, ...error.details },
        'A machine was found for a request, but it belongs to another one.',
      );
      await this.#parts.committer.commit(claimed, [(change) => applySignals(change, false)]);
    }
  }

  /** Abandons the orders at instances where calls for this request stopped the thread too often. */
  async #applyExclusions(claimed: ClaimedRequest): Promise<void> {
    const { planParts, committer, settings } = this.#parts;
    for (const [instance, why] of planParts.stoppages.excludedFor(claimed.request_id)) {
      const open = claimed.state.attempts.some(
        (attempt) => attempt.provider_instance === instance && attempt.state === 'open',
      );
      if (open) await committer.commit(claimed, [(change) => applyExclusion(change, instance, why, settings)]);
    }
  }

  /** Nothing is due now: stores the message and schedules the next decision. */
  async #settle(claimed: ClaimedRequest, decision: Decision, heldBack: boolean): Promise<void> {
    const { again_ms, message } = decision;
    if (message !== undefined)
      await this.#parts.committer.commit(claimed, [(change) => change.setRequest({ message })]);
    if (!heldBack) await this.#stopWaiting(claimed);
    const unreachable = claimed.state.attempts.some(
      (attempt) => this.#parts.pool.known(attempt.provider_instance)?.identity !== attempt.identity,
    );
    if (unreachable)
      await reportMissing(claimed.state, {
        facts: this.#parts.facts,
        directory: this.#parts.directory,
        now: this.#parts.clock.now(),
      });
    const wait = Math.min(again_ms ?? Infinity, unreachable ? this.#followUpMs(claimed.state) : Infinity);
    await this.#rest(claimed, wait === Infinity ? undefined : wait);
  }

  /**
   * The wait before an unreachable instance is tried again: short while its machines live or may arrive, longer when
   * only a disposal is left.
   */
  #followUpMs({ machines, attempts }: RequestState): number {
    if (machines.counts().alive > 0 || !attempts.every(isSettled)) return 10_000;
    const isLeft = (attempt: AttemptRecord): boolean =>
      !attempt.disposed && attempt.handle !== undefined && this.#parts.planParts.api(attempt)?.dispose !== undefined;
    return attempts.some(isLeft) ? 120_000 : Infinity;
  }

  async #watchReturn(claimed: ClaimedRequest): Promise<void> {
    const watch = this.#returns.get(claimed) ?? new ReturnWatch(this.#parts.store, claimed.state.request);
    this.#returns.set(claimed, watch);
    const progress = await watch.progress((name) => this.#parts.directory.instance(name) !== undefined);
    await this.#parts.committer.commit(claimed, [(change) => applyReturnProgress(change, progress)]);
    await this.#rest(
      claimed,
      isTerminal(claimed.state.request.status) ? undefined : this.#parts.settings.observe_moving_ms,
    );
  }

  /** Keeps the request while something is due soon, else yields it with the time when it is due again. */
  async #rest(claimed: ClaimedRequest, wait: number | undefined): Promise<void> {
    const { hold_ms } = this.#parts.settings;
    // An open request is kept: only its holder knows how much of its time has passed when the clock of the host is
    // set.
    if (!isTerminal(claimed.state.request.status))
      return this.#parts.claimPool.due(claimed, Math.min(wait ?? hold_ms, hold_ms));
    if (wait !== undefined && wait <= hold_ms) return this.#parts.claimPool.due(claimed, wait);
    const next_at = wait === undefined ? null : Math.round(this.#parts.clock.now() + wait);
    await this.#parts.committer.commit(claimed, [(change) => change.setRequest({ next_at })]);
    if (claimed.present().signals.length > 0) return this.#parts.claimPool.due(claimed, 0);
    await this.#parts.claimPool.yield(claimed);
  }
}
