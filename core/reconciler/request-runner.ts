import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../contract/clock.ts';
import { isBrokerError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import { isTerminal } from '../model/request.ts';
import type { CallWatch } from '../providers/guard/call-tracking.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { Facts } from '../providers/facts.ts';
import type { SessionPool } from '../providers/guard/session-pool.ts';
import type { Store } from '../contract/storage.ts';
import { absorbBarred } from './apply/apply-launch.ts';
import { absorbWishes } from './apply/apply-signals.ts';
import { watchReturn } from './apply/watch-return.ts';
import { perform } from './execute/perform.ts';
import { tellMissing } from './execute/faults/tell-missing.ts';
import { calledFor, type Tools } from './execute/tools.ts';
import type { AttemptRecord } from '../model/attempt.ts';
import { isSettled } from './state/attempt.ts';
import type { Case } from './state/request-state.ts';
import { circumstancesOf, type Surroundings } from './plan/circumstances.ts';
import { nextStep, type Decision } from './plan/next-step.ts';
import type { Holding } from './claims/claimed-request.ts';
import type { Holdings } from './claims/claim-pool.ts';
import type { Recorder } from './claims/committer.ts';
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
  readonly recorder: Recorder;
  readonly tools: Tools;
  readonly surroundings: Surroundings;
  /** Knows for whom plugins are asked. */
  readonly watch: CallWatch;
  readonly holdings: Pick<Holdings, 'due' | 'giveBack'>;
  /** The loop is being stopped: no other step is begun. */
  leaving(): boolean;
  /** A provider answered for all machines of the request. */
  looked(request_id: string): void;
}

/** Outcomes of steps that are taken in before other requests get a turn. */
const absorbsAtOnce = 4;

/** Carries on the requests that are held here. */
export class RequestRunner {
  readonly #parts: RunnerParts;
  /** How far the returns that are held are watched. */
  readonly #returns = new WeakMap<Holding, ReturnWatch>();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Decides and acts for one request until nothing is due. Never two at a time for the same request. */
  async run(holding: Holding): Promise<void> {
    while (!this.#parts.leaving()) {
      holding.fence();
      if (!holding.derived || holding.pending_shift !== 0) await this.#parts.recorder.commit(holding, []);
      while (holding.present().wishes.length > 0) await this.#takeIn(holding);
      if (holding.case.request.kind === 'return') return this.#watchReturn(holding);
      await this.#bar(holding);
      await this.#reach(holding);
      const circumstances = circumstancesOf(holding, this.#parts.surroundings);
      const decision = this.#parts.watch.about(calledFor(holding.case.request), () => nextStep(holding.case, circumstances));
      if (decision.steps.length === 0) return this.#settle(holding, decision, circumstances.held_back !== undefined);
      const done = await Promise.allSettled(decision.steps.map((step) => perform(step, holding, this.#parts.tools)));
      const absorbs = done.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      const looks = done.filter((_, index) => decision.steps[index]?.do === 'look');
      if (looks.length > 0) holding.look_now = false;
      if (looks.length > 0 && looks.every((each) => each.status === 'fulfilled' && each.value.length > 0))
        this.#parts.looked(holding.request_id);
      // What came of the steps that succeeded is kept, whatever became of the others.
      for (let i = 0; i < absorbs.length; i += absorbsAtOnce) {
        if (i > 0) await turn();
        await this.#parts.recorder.commit(holding, absorbs.slice(i, i + absorbsAtOnce));
      }
      for (const each of done) if (each.status === 'rejected') throw each.reason;
    }
  }

  /** What callers wished. A machine that was found for this request and that another one has must not keep the wishes of callers waiting. */
  async #takeIn(holding: Holding): Promise<void> {
    try {
      await this.#parts.recorder.commit(holding, [absorbWishes]);
    } catch (error) {
      if (!isBrokerError(error) || error.details['held_by'] === undefined) throw error;
      this.#parts.log.error(
        { request_id: holding.request_id, ...error.details },
        'A machine was found for a request, and another one has it.',
      );
      await this.#parts.recorder.commit(holding, [(draft) => absorbWishes(draft, false)]);
    }
  }

  /** Gives up what was ordered where calls for this request stopped the thread too often. */
  async #bar(holding: Holding): Promise<void> {
    const { surroundings, recorder, settings } = this.#parts;
    for (const [instance, why] of surroundings.stoppages.barredFor(holding.request_id)) {
      const open = holding.case.attempts.some((attempt) => attempt.provider_instance === instance && attempt.state === 'open');
      if (open) await recorder.commit(holding, [(draft) => absorbBarred(draft, instance, why, settings)]);
    }
  }

  /** Connects the instances that the request's attempts are at: without a session nothing can be decided about them. */
  async #reach(holding: Holding): Promise<void> {
    const names = new Set(holding.case.attempts.filter((attempt) => !attempt.disposed).map((attempt) => attempt.provider_instance));
    for (const name of names) {
      if (this.#parts.pool.known(name) || !this.#parts.directory.instance(name)) continue;
      // That it cannot be reached is known by the end of the call.
      const reached = await this.#parts.pool.connect(name).then(
        () => true,
        () => false,
      );
      if (!reached) holding.unanswered(name);
    }
  }

  /** Nothing is to be done now: remembers when there will be. */
  async #settle(holding: Holding, decision: Decision, heldBack: boolean): Promise<void> {
    const { again_ms, message } = decision;
    if (message !== undefined) await this.#parts.recorder.commit(holding, [(draft) => draft.setRequest({ message })]);
    if (holding.case.request.waits_for !== undefined && !heldBack) {
      await this.#parts.recorder.commit(holding, [(draft) => draft.stopWaiting()]);
      this.#parts.slots.leave(holding);
    }
    const unreachable = holding.case.attempts.some(
      (attempt) => this.#parts.pool.known(attempt.provider_instance)?.identity !== attempt.identity,
    );
    if (unreachable)
      await tellMissing(holding.case, { facts: this.#parts.facts, directory: this.#parts.directory, now: this.#parts.clock.now() });
    const wait = Math.min(again_ms ?? Infinity, unreachable ? this.#followUpMs(holding.case) : Infinity);
    await this.#rest(holding, wait === Infinity ? undefined : wait);
  }

  /** When an instance that cannot be reached now is tried again: soon where machines of it live or may come, later where something is merely to be removed. */
  #followUpMs({ machines, attempts }: Case): number {
    if (machines.counts().alive > 0 || !attempts.every(isSettled)) return 10_000;
    const isLeft = (attempt: AttemptRecord): boolean =>
      !attempt.disposed && attempt.handle !== undefined && this.#parts.surroundings.api(attempt)?.dispose !== undefined;
    return attempts.some(isLeft) ? 120_000 : Infinity;
  }

  async #watchReturn(holding: Holding): Promise<void> {
    const watch = this.#returns.get(holding) ?? new ReturnWatch(this.#parts.store, holding.case.request);
    this.#returns.set(holding, watch);
    const progress = await watch.progress((name) => this.#parts.directory.instance(name) !== undefined);
    await this.#parts.recorder.commit(holding, [(draft) => watchReturn(draft, progress)]);
    await this.#rest(holding, isTerminal(holding.case.request.status) ? undefined : this.#parts.settings.look_soon_ms);
  }

  /** Holds on to the request while something is due soon, else gives it back with the time when it is due again. */
  async #rest(holding: Holding, wait: number | undefined): Promise<void> {
    const { hold_ms } = this.#parts.settings;
    // What is open is held on to: only its holder knows how much of its time has passed where the clock of the host was set.
    if (!isTerminal(holding.case.request.status)) return this.#parts.holdings.due(holding, Math.min(wait ?? hold_ms, hold_ms));
    if (wait !== undefined && wait <= hold_ms) return this.#parts.holdings.due(holding, wait);
    const next_at = wait === undefined ? null : Math.round(this.#parts.clock.now() + wait);
    await this.#parts.recorder.commit(holding, [(draft) => draft.setRequest({ next_at })]);
    if (holding.incoming.size > 0) return this.#parts.holdings.due(holding, 0);
    await this.#parts.holdings.giveBack(holding);
  }
}
