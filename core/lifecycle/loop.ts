import { setImmediate as turn } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '../clock.ts';
import { isBrokerError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Checked } from '../model/health.ts';
import { isTerminal, type RequestRecord } from '../model/request.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { EventSink } from '../events.ts';
import type { EndpointScheme } from '../plugin.ts';
import type { ProviderApi, ProviderType } from '../provider.ts';
import { ProviderDirectory } from '../providers/directory.ts';
import { Facts } from '../providers/facts.ts';
import { unwatched, type CallWatch } from '../providers/call-watch.ts';
import type { ProviderMeter } from '../providers/provider-meter.ts';
import { SessionPool, type Quarantined } from '../providers/session-pool.ts';
import type { Owner, Store } from '../storage.ts';
import { absorbWishes } from './absorb/absorb-wishes.ts';
import type { Case, Draft } from './case.ts';
import { isSettled } from './attempt.ts';
import { EventDelivery } from './event-delivery.ts';
import { HealthWatch } from './act/health-watch.ts';
import { Holding } from './hold/holding.ts';
import { Holdings, type Work } from './hold/holdings.ts';
import { Recorder } from './hold/recorder.ts';
import { ReturnWatch } from './hold/return-watch.ts';
import { SlotQueue } from './hold/slot-queue.ts';
import { tellEnd } from './hold/tell-end.ts';
import { StorageTrouble } from './hold/storage-trouble.ts';
import { installationOf } from './installation.ts';
import { isAlive } from './machine-life.ts';
import { nextStep, type Decision } from './decide/next-step.ts';
import { circumstancesOf, type Surroundings } from './circumstances.ts';
import { Observer } from './act/observer.ts';
import { perform } from './act/perform.ts';
import { tellMissing } from './act/tell-missing.ts';
import { Owners } from './act/owners.ts';
import type { Tools } from './act/tools.ts';
import { watchReturn } from './absorb/watch-return.ts';
import { PopulateWatch } from './populate-watch.ts';
import { StrangerWatch } from './stranger-watch.ts';
import { Survey } from './survey.ts';
import { Sweep } from './sweep/sweep.ts';
import { Tidy } from './tidy.ts';
import { defaultSettings, type Settings } from './settings.ts';

export interface LoopParts {
  readonly store: Store;
  readonly instances: readonly ProviderInstance[];
  readonly types: readonly ProviderType<any, any>[];
  readonly apis: readonly ProviderApi[];
  readonly schemes: readonly EndpointScheme[];
  /** Who is told what is journalled. */
  readonly sinks?: readonly EventSink[];
  readonly data_directory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: Owner;
  readonly settings?: Partial<Settings>;
  readonly meter?: ProviderMeter;
  /** Knows in whose name code of plugins runs, for the search after a hang. */
  readonly watch?: CallWatch;
  /** Instances that are left alone for now, because their plugin hung an earlier loop. */
  readonly quarantine?: readonly Quarantined[];
  /** Told in batches which requests were looked at, and when (epoch milliseconds). */
  looked?(request_ids: readonly string[], at: number): void;
}

export interface RunningLoop {
  /** Looks at these requests now, at most once in two seconds each. */
  look(request_ids: readonly string[]): void;
  /** Asks an instance now whether it answers, and says how it is. PROVIDER_NOT_FOUND when it is not configured. */
  check(instance: string): Promise<Checked>;
  /** Code of a plugin failed in the name of an instance, outside of any call. */
  failed(instance: string, message: string): void;
  /** Why nothing is carried out at the moment; undefined: the storage serves. */
  trouble(): string | undefined;
  /** Ends calls under way, gives claims back in good order, closes sessions. The store stays open. Idempotent. */
  stop(): Promise<void>;
}

/** Starts the loop that carries out what callers asked for. One runs in a process. */
export async function startLoop(parts: LoopParts): Promise<RunningLoop> {
  const facts = new Facts(parts.store, parts.clock, parts.instances);
  await facts.follow();
  const installation = await installationOf(parts.store, parts.clock.now());
  const loop = new Loop(parts, facts, installation);
  loop.start();
  return loop;
}

/** Outcomes of steps that are taken in before other requests get a turn. */
const absorbsAtOnce = 4;
/** Who has an instance asked waits so long for its answer. */
const checkMs = 20_000;

/** Calls under way get this long to end, and as long again after they were aborted. */
const stopMs = 4_000;

class Loop implements RunningLoop {
  readonly #parts: LoopParts;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #settings: Settings;
  readonly #facts: Facts;
  readonly #directory: ProviderDirectory;
  readonly #stopping = new AbortController();
  readonly #pool: SessionPool;
  readonly #health: HealthWatch;
  readonly #holdings: Holdings;
  readonly #tidy: Tidy;
  readonly #sweep: Sweep;
  readonly #survey: Survey;
  readonly #strangers: StrangerWatch;
  readonly #populating: PopulateWatch;
  readonly #delivery: EventDelivery;
  readonly #recorder: Recorder;
  readonly #trouble: StorageTrouble;
  readonly #tools: Tools;
  readonly #surroundings: Surroundings;
  readonly #slots: SlotQueue;
  readonly #calls = new Map<string, LimitFunction>();
  /** How far the returns that are held are watched. */
  readonly #returns = new WeakMap<Holding, ReturnWatch>();
  readonly #lookedAt = new Set<string>();
  #leaving = false;
  #stopped: Promise<void> | undefined;

  constructor(parts: LoopParts, facts: Facts, installation: string) {
    const { store, clock, log, instances, types, apis, watch = unwatched, quarantine = [] } = parts;
    this.#parts = parts;
    this.#store = store;
    this.#clock = clock;
    this.#facts = facts;
    this.#settings = { ...defaultSettings, ...parts.settings };
    this.#health = new HealthWatch(facts, clock, log, this.#settings.health_first_ms);
    this.#pool = new SessionPool({ ...parts, installation, evidence: this.#health }, this.#stopping.signal);
    const quarantined = (name: string): boolean => this.#pool.quarantined(name) !== undefined;
    this.#directory = new ProviderDirectory(instances, types, apis, facts, { log, watch, quarantined });
    for (const { name, why, ms } of quarantine) if (this.#directory.instance(name)) this.#health.leftAlone(name, why, ms);
    this.#tidy = new Tidy(store, clock);
    const { signal } = this.#stopping;
    const shared = { store, clock, log, facts, settings: this.#settings, pool: this.#pool, signal };
    this.#sweep = new Sweep({ ...shared, installation });
    this.#survey = new Survey(shared);
    this.#strangers = new StrangerWatch(shared);
    this.#populating = new PopulateWatch({ ...shared, installation });
    this.#delivery = new EventDelivery({ ...shared, owner: parts.owner, sinks: parts.sinks ?? [], watch, quarantined });
    this.#trouble = new StorageTrouble(clock, log);
    const work: Work = {
      run: (holding) => this.#run(holding),
      lateReleaseHarms: (loaded) =>
        loaded.attempts.some(
          (attempt) => attempt.to_come !== undefined && (this.#tools.api(attempt)?.capabilities.late_release_ms ?? 1) > 0,
        ),
      everyRound: () => this.#betweenRounds(),
    };
    this.#holdings = new Holdings(store, clock, log, parts.owner, this.#settings, work, this.#trouble);
    this.#slots = new SlotQueue((holding) => this.#holdings.due(holding, 0));
    this.#recorder = new Recorder(store, clock, this.#trouble, facts, this.#settings, (holding, before, draft) =>
      this.#became(holding, before, draft),
    );
    this.#tools = {
      pool: this.#pool,
      observer: new Observer(this.#stopping.signal, clock),
      owners: new Owners(store, log),
      settings: this.#settings,
      installation,
      signal: this.#stopping.signal,
      log,
      monotonic: () => clock.monotonic(),
      api: ({ provider_type, api }) => apis.find((each) => each.type === provider_type && each.name === api),
      record: (holding, absorb) => this.#recorder.commit(holding, [absorb]),
      slots: this.#slots,
      slot: (instance, call) => this.#callsOf(instance)(call),
      tellReports: (instance, trouble) =>
        trouble === undefined ? this.#health.cured(instance, 'reports') : this.#health.misbehaved(instance, 'reports', trouble),
    };
    const { api } = this.#tools;
    this.#surroundings = {
      clock,
      settings: this.#settings,
      facts,
      directory: this.#directory,
      pool: this.#pool,
      api,
    };
  }

  start(): void {
    this.#holdings.start();
  }

  look(request_ids: readonly string[]): void {
    for (const id of request_ids) {
      const holding = this.#holdings.get(id);
      if (!holding || holding.look_now) continue;
      holding.look_now = true;
      const last = Math.max(-Infinity, ...holding.looked_at.values());
      this.#holdings.due(holding, Math.max(0, last + this.#settings.look_soon_ms - this.#clock.monotonic()));
    }
  }

  async check(instance: string): Promise<Checked> {
    const { name } = this.#directory.require(instance);
    return this.#health.askNow(name, this.#pool, this.#stopping.signal, checkMs);
  }

  failed(instance: string, message: string): void {
    if (this.#directory.instance(instance)) this.#health.misbehaved(instance, 'outside of calls', message);
  }

  trouble(): string | undefined {
    return this.#trouble.message;
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    this.#leaving = true;
    await this.#holdings.stop(stopMs, () => this.#stopping.abort());
    this.#tellLooks();
    this.#strangers[Symbol.dispose]();
    this.#populating[Symbol.dispose]();
    this.#delivery[Symbol.dispose]();
    const behind = [this.#health, this.#sweep, this.#survey, this.#strangers, this.#populating, this.#delivery];
    await Promise.all(behind.map((each) => each.idle()));
    await this.#pool.close();
    this.#facts[Symbol.dispose]();
  }

  /** Decides and acts for one request until nothing is due. Never two at a time for the same request. */
  async #run(holding: Holding): Promise<void> {
    while (!this.#leaving) {
      holding.fence();
      if (!holding.derived || holding.pending_shift !== 0) await this.#recorder.commit(holding, []);
      while (holding.present().wishes.length > 0) await this.#takeIn(holding);
      if (holding.case.request.kind === 'return') return this.#watchReturn(holding);
      await this.#reach(holding);
      const circumstances = circumstancesOf(holding, this.#surroundings);
      const decision = nextStep(holding.case, circumstances);
      if (decision.steps.length === 0) return this.#settle(holding, decision, circumstances.held_back !== undefined);
      const done = await Promise.allSettled(decision.steps.map((step) => perform(step, holding, this.#tools)));
      const absorbs = done.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      const looks = done.filter((_, index) => decision.steps[index]?.do === 'look');
      if (looks.length > 0) holding.look_now = false;
      if (looks.length > 0 && looks.every((each) => each.status === 'fulfilled' && each.value.length > 0))
        this.#lookedAt.add(holding.request_id);
      // What came of the steps that succeeded is kept, whatever became of the others.
      for (let i = 0; i < absorbs.length; i += absorbsAtOnce) {
        if (i > 0) await turn();
        await this.#recorder.commit(holding, absorbs.slice(i, i + absorbsAtOnce));
      }
      for (const each of done) if (each.status === 'rejected') throw each.reason;
    }
  }

  /** What callers wished. A machine that was found for this request and that another one has must not keep the wishes of callers waiting. */
  async #takeIn(holding: Holding): Promise<void> {
    try {
      await this.#recorder.commit(holding, [absorbWishes]);
    } catch (error) {
      if (!isBrokerError(error) || error.details['held_by'] === undefined) throw error;
      this.#parts.log.error(
        { request_id: holding.request_id, ...error.details },
        'A machine was found for a request, and another one has it.',
      );
      await this.#recorder.commit(holding, [(draft) => absorbWishes(draft, false)]);
    }
  }

  /** Connects the instances that the request's attempts are at: without a session nothing can be decided about them. */
  async #reach(holding: Holding): Promise<void> {
    const names = new Set(holding.case.attempts.filter((attempt) => !attempt.disposed).map((attempt) => attempt.provider_instance));
    for (const name of names) {
      if (this.#pool.known(name) || !this.#directory.instance(name)) continue;
      // That it cannot be reached is known by the end of the call.
      const reached = await this.#pool.connect(name).then(
        () => true,
        () => false,
      );
      if (!reached) holding.unanswered(name);
    }
  }

  /** Nothing is to be done now: remembers when there will be. */
  async #settle(holding: Holding, decision: Decision, heldBack: boolean): Promise<void> {
    const { again_ms, message } = decision;
    if (message !== undefined) await this.#recorder.commit(holding, [(draft) => draft.setRequest({ message })]);
    if (holding.case.request.waits_for !== undefined && !heldBack) {
      await this.#recorder.commit(holding, [(draft) => draft.stopWaiting()]);
      this.#slots.leave(holding);
    }
    const unreachable = holding.case.attempts.some((attempt) => this.#pool.known(attempt.provider_instance)?.identity !== attempt.identity);
    if (unreachable) await tellMissing(holding.case, { facts: this.#facts, directory: this.#directory, now: this.#clock.now() });
    const wait = unreachable && needsWork(holding.case) ? Math.min(again_ms ?? Infinity, 10_000) : again_ms;
    await this.#rest(holding, wait);
  }

  async #watchReturn(holding: Holding): Promise<void> {
    const watch = this.#returns.get(holding) ?? new ReturnWatch(this.#store, holding.case.request);
    this.#returns.set(holding, watch);
    const progress = await watch.progress((name) => this.#directory.instance(name) !== undefined);
    await this.#recorder.commit(holding, [(draft) => watchReturn(draft, progress)]);
    await this.#rest(holding, isTerminal(holding.case.request.status) ? undefined : this.#settings.look_soon_ms);
  }

  /** Holds on to the request while something is due soon, else gives it back with the time when it is due again. */
  async #rest(holding: Holding, wait: number | undefined): Promise<void> {
    const { hold_ms } = this.#settings;
    // What is open is held on to: only its holder knows how much of its time has passed where the clock of the host was set.
    if (!isTerminal(holding.case.request.status)) return this.#holdings.due(holding, Math.min(wait ?? hold_ms, hold_ms));
    if (wait !== undefined && wait <= hold_ms) return this.#holdings.due(holding, wait);
    const next_at = wait === undefined ? null : Math.round(this.#clock.now() + wait);
    await this.#recorder.commit(holding, [(draft) => draft.setRequest({ next_at })]);
    if (holding.incoming.size > 0) return this.#holdings.due(holding, 0);
    await this.#holdings.giveBack(holding);
  }

  async #betweenRounds(): Promise<void> {
    this.#tellLooks();
    this.#delivery.begin();
    void this.#health.check(this.#parts.instances, this.#pool, this.#stopping.signal);
    this.#sweep.begin(this.#parts.instances);
    this.#survey.begin(this.#parts.instances);
    this.#strangers.begin(this.#parts.instances);
    this.#populating.begin();
    await this.#tidy
      .tidy()
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'What is over could not be removed; trying again later.'));
  }

  /** What of a request became durable: those that wait for it need not wait for their next look. */
  #became(holding: Holding, before: RequestRecord, draft: Draft): void {
    tellEnd(this.#parts.log, before, draft.request);
    for (const machine of draft.changedMachines) {
      const watching = machine.return_id !== undefined && !isAlive(machine) ? this.#holdings.get(machine.return_id) : undefined;
      if (watching) this.#holdings.due(watching, 0);
    }
    for (const { active, provider_instance } of draft.changedAttempts) if (active === false) this.#slots.freed(provider_instance);
    if (draft.request.waits_for !== before.waits_for) this.#slots.leave(holding, draft.request.waits_for);
  }

  #tellLooks(): void {
    if (this.#lookedAt.size === 0) return;
    this.#parts.looked?.([...this.#lookedAt], this.#clock.now());
    this.#lookedAt.clear();
  }

  #callsOf(instance: string): LimitFunction {
    let limit = this.#calls.get(instance);
    if (!limit) this.#calls.set(instance, (limit = pLimit(this.#settings.calls_at_once)));
    return limit;
  }
}

const needsWork = (held: Case): boolean => held.machines.counts().alive > 0 || !held.attempts.every(isSettled);
