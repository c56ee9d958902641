import { chunks } from '../collections/chunks.ts';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../contract/clock.ts';
import { isBrokerError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import { isTerminal } from '../model/request.ts';
import type { CallTracking } from '../providers/guard/call-tracking.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { Facts } from '../providers/facts.ts';
import type { SessionPool } from '../providers/guard/session-pool.ts';
import type { Store } from '../contract/storage.ts';
import { applyBarred } from './apply/apply-launch.ts';
import { applySignals } from './apply/apply-signals.ts';
import { watchReturn } from './apply/watch-return.ts';
import { perform } from './execute/perform.ts';
import { reportMissing } from './execute/faults/report-missing.ts';
import { calledFor, type Tools } from './execute/tools.ts';
import type { AttemptRecord } from '../model/attempt.ts';
import { isSettled } from './state/attempt.ts';
import type { RequestState } from './state/request-state.ts';
import { circumstancesOf, type Surroundings } from './plan/circumstances.ts';
import { nextStep, type Decision } from './plan/next-step.ts';
import type { ClaimedRequest } from './claims/claimed-request.ts';
import type { ClaimPool } from './claims/claim-pool.ts';
import type { Committer } from './claims/committer.ts';
import { ReturnWatch } from './claims/return-watch.ts';
import type { SlotQueue } from './claims/slot-queue.ts';
import type { Settings } from './settings.ts';

/** What a request is carried on with. */
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
  readonly tools: Tools;
  readonly surroundings: Surroundings;
  /** Knows for whom plugins are asked. */
  readonly watch: CallTracking;
  readonly claimPool: Pick<ClaimPool, 'due' | 'giveBack'>;
  /** The loop is being stopped: no other step is begun. */
  leaving(): boolean;
  /** A provider answered for all machines of the request. */
  looked(request_id: string): void;
}

/** Outcomes of steps that are taken in before other requests get a turn. */
const appliesAtOnce = 4;

/** Carries on the requests that are held here. */
export class RequestRunner {
  readonly #parts: RunnerParts;
  /** How far the returns that are held are watched. */
  readonly #returns = new WeakMap<ClaimedRequest, ReturnWatch>();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Decides and acts for one request until nothing is due. Never two at a time for the same request. */
  async run(claimed: ClaimedRequest): Promise<void> {
    while (!this.#parts.leaving()) {
      claimed.fence();
      if (!claimed.derived || claimed.pending_shift !== 0) await this.#parts.committer.commit(claimed, []);
      while (claimed.present().signals.length > 0) await this.#takeIn(claimed);
      if (claimed.case.request.kind === 'return') return this.#watchReturn(claimed);
      await this.#bar(claimed);
      await this.#reach(claimed);
      const circumstances = circumstancesOf(claimed, this.#parts.surroundings);
      const decision = this.#parts.watch.about(calledFor(claimed.case.request), () => nextStep(claimed.case, circumstances));
      if (decision.steps.length === 0) return this.#settle(claimed, decision, circumstances.held_back !== undefined);
      const done = await Promise.allSettled(decision.steps.map((step) => perform(step, claimed, this.#parts.tools)));
      const applies = done.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      const looks = done.filter((_, index) => decision.steps[index]?.do === 'observe');
      if (looks.length > 0) claimed.refresh_now = false;
      if (looks.length > 0 && looks.every((each) => each.status === 'fulfilled' && each.value.length > 0))
        this.#parts.looked(claimed.request_id);
      // What came of the steps that succeeded is kept, whatever became of the others.
      for (const [index, part] of chunks(applies, appliesAtOnce).entries()) {
        if (index > 0) await turn();
        await this.#parts.committer.commit(claimed, part);
      }
      for (const each of done) if (each.status === 'rejected') throw each.reason;
    }
  }

  /** What callers wished. A machine that was found for this request and that another one has must not keep the signals of callers waiting. */
  async #takeIn(claimed: ClaimedRequest): Promise<void> {
    try {
      await this.#parts.committer.commit(claimed, [applySignals]);
    } catch (error) {
      if (!isBrokerError(error) || error.details['held_by'] === undefined) throw error;
      this.#parts.log.error(
        { request_id: claimed.request_id, ...error.details },
        'A machine was found for a request, and another one has it.',
      );
      await this.#parts.committer.commit(claimed, [(change) => applySignals(change, false)]);
    }
  }

  /** Gives up what was ordered where calls for this request stopped the thread too often. */
  async #bar(claimed: ClaimedRequest): Promise<void> {
    const { surroundings, committer, settings } = this.#parts;
    for (const [instance, why] of surroundings.stoppages.barredFor(claimed.request_id)) {
      const open = claimed.case.attempts.some((attempt) => attempt.provider_instance === instance && attempt.state === 'open');
      if (open) await committer.commit(claimed, [(change) => applyBarred(change, instance, why, settings)]);
    }
  }

  /** Connects the instances that the request's attempts are at: without a session nothing can be decided about them. */
  async #reach(claimed: ClaimedRequest): Promise<void> {
    const names = new Set(claimed.case.attempts.filter((attempt) => !attempt.disposed).map((attempt) => attempt.provider_instance));
    for (const name of names) {
      if (this.#parts.pool.known(name) || !this.#parts.directory.instance(name)) continue;
      // That it cannot be reached is known by the end of the call.
      const reached = await this.#parts.pool.connect(name).then(
        () => true,
        () => false,
      );
      if (!reached) claimed.unanswered(name);
    }
  }

  /** Nothing is to be done now: remembers when there will be. */
  async #settle(claimed: ClaimedRequest, decision: Decision, heldBack: boolean): Promise<void> {
    const { again_ms, message } = decision;
    if (message !== undefined) await this.#parts.committer.commit(claimed, [(change) => change.setRequest({ message })]);
    if (claimed.case.request.waits_for !== undefined && !heldBack) {
      await this.#parts.committer.commit(claimed, [(change) => change.stopWaiting()]);
      this.#parts.slots.leave(claimed);
    }
    const unreachable = claimed.case.attempts.some(
      (attempt) => this.#parts.pool.known(attempt.provider_instance)?.identity !== attempt.identity,
    );
    if (unreachable)
      await reportMissing(claimed.case, { facts: this.#parts.facts, directory: this.#parts.directory, now: this.#parts.clock.now() });
    const wait = Math.min(again_ms ?? Infinity, unreachable ? this.#followUpMs(claimed.case) : Infinity);
    await this.#rest(claimed, wait === Infinity ? undefined : wait);
  }

  /** When an instance that cannot be reached now is tried again: soon where machines of it live or may come, later where something is merely to be removed. */
  #followUpMs({ machines, attempts }: RequestState): number {
    if (machines.counts().alive > 0 || !attempts.every(isSettled)) return 10_000;
    const isLeft = (attempt: AttemptRecord): boolean =>
      !attempt.disposed && attempt.handle !== undefined && this.#parts.surroundings.api(attempt)?.dispose !== undefined;
    return attempts.some(isLeft) ? 120_000 : Infinity;
  }

  async #watchReturn(claimed: ClaimedRequest): Promise<void> {
    const watch = this.#returns.get(claimed) ?? new ReturnWatch(this.#parts.store, claimed.case.request);
    this.#returns.set(claimed, watch);
    const progress = await watch.progress((name) => this.#parts.directory.instance(name) !== undefined);
    await this.#parts.committer.commit(claimed, [(change) => watchReturn(change, progress)]);
    await this.#rest(claimed, isTerminal(claimed.case.request.status) ? undefined : this.#parts.settings.look_soon_ms);
  }

  /** Holds on to the request while something is due soon, else gives it back with the time when it is due again. */
  async #rest(claimed: ClaimedRequest, wait: number | undefined): Promise<void> {
    const { hold_ms } = this.#parts.settings;
    // What is open is held on to: only its holder knows how much of its time has passed where the clock of the host was set.
    if (!isTerminal(claimed.case.request.status)) return this.#parts.claimPool.due(claimed, Math.min(wait ?? hold_ms, hold_ms));
    if (wait !== undefined && wait <= hold_ms) return this.#parts.claimPool.due(claimed, wait);
    const next_at = wait === undefined ? null : Math.round(this.#parts.clock.now() + wait);
    await this.#parts.committer.commit(claimed, [(change) => change.setRequest({ next_at })]);
    if (claimed.incoming.size > 0) return this.#parts.claimPool.due(claimed, 0);
    await this.#parts.claimPool.giveBack(claimed);
  }
}
