import type { Budget } from '../budgets/budget.ts';
import { Budgets } from '../budgets/budgets.ts';
import { LiveBrokers } from '../brokers/live-brokers.ts';
import { canServe } from '../brokers/needs.ts';
import type { Clock } from '../contract/clock.ts';
import type { Checked } from '../model/health.ts';
import { discoverNow, type DiscoverResult } from '../providers/discover-now.ts';
import type { RequestRecord } from '../model/request.ts';
import { ProviderDirectory } from '../providers/directory.ts';
import { Facts } from '../providers/facts.ts';
import { unwatched } from '../providers/guard/call-tracking.ts';
import { unmetered } from '../providers/guard/meter/provider-meter.ts';
import { SessionPool } from '../providers/guard/session-pool.ts';
import type { InstanceState } from '../providers/provider-activity.ts';
import type { FileHashes } from '../templates/library.ts';
import type { StateChange } from './state/request-state.ts';
import { Background } from './background/background.ts';
import { RefutedNotices } from './background/notices/refuted-notices.ts';
import { HealthWatch } from './health/health-watch.ts';
import { Cadence } from './cadence/cadence.ts';
import { RestingSlots } from './cadence/resting-slots.ts';
import { ClaimedRequest } from './claims/claimed-request.ts';
import { ClaimPool } from './claims/claim-pool.ts';
import { Committer } from './claims/committer.ts';
import { SlotQueue } from './claims/slot-queue.ts';
import { RefreshRelay } from './claims/refresh-relay.ts';
import { hasEnded, reportEnd } from './claims/report-end.ts';
import { StorageTrouble } from './claims/storage-trouble.ts';
import { LeaseEnds } from './leases/lease-ends.ts';
import { isAlive } from './state/machine-life.ts';
import { CallTurns } from './execute/call-turns.ts';
import { Observer } from './execute/observer.ts';
import { Owners } from './execute/owners.ts';
import type { StepContext } from './execute/step-context.ts';
import { Stoppages } from '../providers/quarantine/stoppages.ts';
import { pluginOf, versionOf } from '../wiring/contributed-by.ts';
import { installationOf } from './installation.ts';
import { noTracer } from '../tracing/tracer.ts';
import { RequestRunner } from './request-runner.ts';
import { RequestSpans } from './traces/request-spans.ts';
import { UsageTagging } from '../model/usage/usage-tags.ts';
import type { HeldCounts, LoopParts, RunningLoop } from './running-loop.ts';
import { SelfDescription } from './self-description.ts';
import { defaultSettings, type Settings } from './settings.ts';

/** Starts the reconciler loop. A process runs at most one. */
export async function startLoop(parts: LoopParts): Promise<RunningLoop> {
  const facts = new Facts(parts.store, parts.clock, parts.instances, parts.broker);
  await facts.follow();
  const installation = await installationOf(parts.store, parts.clock.now());
  const stoppages = await Stoppages.open(parts.store, parts.clock, parts.stopped, (name) => pluginsOf(name, parts));
  const quarantine = [...(parts.quarantine ?? []), ...stoppages.quarantined];
  const loop = new Loop({ ...parts, quarantine }, facts, installation, stoppages);
  await loop.tellServed();
  loop.start();
  return loop;
}

/** The versions of the plugins that serve an instance. */
function pluginsOf(instance: string, { instances, types, apis }: LoopParts): string | undefined {
  const type = instances.find(({ name }) => name === instance)?.type;
  const versions = [...types, ...apis].flatMap((each) =>
    each.type === type ? `${pluginOf(each) ?? each.type} ${versionOf(each) ?? ''}`.trim() : [],
  );
  return versions.length === 0 ? undefined : [...new Set(versions)].toSorted().join(', ');
}

/** The time-out of a requested check. */
const checkMs = 20_000;

/** The time for running calls to end, and again after they were aborted. */
const stopMs = 4_000;

class Loop implements RunningLoop {
  readonly #parts: LoopParts;
  readonly #clock: Clock;
  readonly #settings: Settings;
  readonly #facts: Facts;
  readonly #directory: ProviderDirectory;
  readonly #stopping = new AbortController();
  readonly #pool: SessionPool;
  readonly #health: HealthWatch;
  readonly #claimPool: ClaimPool;
  readonly #background: Background;
  readonly #trouble: StorageTrouble;
  readonly #runner: RequestRunner;
  readonly #slots: SlotQueue;
  readonly #self: SelfDescription;
  readonly #budgets: Budgets;
  readonly #spans: RequestSpans;
  readonly #turns: CallTurns;
  readonly #discoveries = new Map<string, Promise<DiscoverResult>>();
  readonly #refreshed = new Set<string>();
  readonly #relay: RefreshRelay;
  #leaving = false;
  #stopped: Promise<void> | undefined;

  constructor(parts: LoopParts, facts: Facts, installation: string, stoppages: Stoppages) {
    const { store, clock, log, instances, types, apis, watch = unwatched, quarantine = [] } = parts;
    this.#parts = parts;
    this.#spans = new RequestSpans(parts.tracer ?? noTracer, store);
    this.#clock = clock;
    this.#facts = facts;
    this.#settings = { ...defaultSettings, ...parts.settings };
    const liveBrokers = new LiveBrokers(parts.broker);
    const { calls_at_once, health_first_ms } = this.#settings;
    this.#turns = new CallTurns((name) => Math.max(1, Math.floor(calls_at_once * this.#self.share(name))));
    this.#health = new HealthWatch(facts, clock, log, {
      firstMs: health_first_ms,
      // What waits there goes to another instance if one can serve it.
      turnedUnhealthy: (name) => this.#turns.recallAt(name),
    });
    const share = (name: string): number => this.#self.share(name);
    this.#pool = new SessionPool({ ...parts, installation, evidence: this.#health, share }, this.#stopping.signal);
    const quarantined = (name: string, template_id?: string): boolean =>
      this.#pool.quarantined(name, template_id) !== undefined;
    this.#directory = new ProviderDirectory(instances, types, apis, facts, {
      log,
      watch,
      quarantined,
      // Its own requests are served where this broker gets answers.
      health: (name) => facts.ownHealth(name),
    });
    this.#self = new SelfDescription({
      ...parts,
      facts,
      liveBrokers,
      pool: this.#pool,
      health: this.#health,
      directory: this.#directory,
    });
    for (const { name, template_id, why, ms } of quarantine)
      if (template_id === undefined && this.#directory.instance(name)) this.#health.leftAlone(name, why, ms);
    const budgets = new Budgets(parts.budgets ?? [], this.#directory, facts);
    this.#budgets = budgets;
    const settings = this.#settings;
    const { signal } = this.#stopping;
    const { meter = unmetered } = parts;
    this.#background = new Background({
      store,
      clock,
      log,
      facts,
      settings,
      budgets,
      instances,
      installation,
      watch,
      signal,
      quarantined,
      pool: this.#pool,
      health: this.#health,
      broker: () => this.#self.record(),
      meter,
      sinks: parts.sinks ?? [],
    });
    this.#trouble = new StorageTrouble(clock, log);
    this.#relay = new RefreshRelay({
      facts,
      clock,
      signal,
      broker_id: parts.broker.broker_id,
      refresh: (request_ids) => this.#refreshHeld(request_ids),
      refreshed: (request_ids, at) => parts.refreshed?.(request_ids, at),
    });
    facts.whenRead(() => this.#relay.heard());
    const api: StepContext['api'] = ({ provider_type, api }) =>
      apis.find((each) => each.type === provider_type && each.name === api);
    this.#claimPool = new ClaimPool({
      store,
      clock,
      log,
      broker: () => this.#self.record(),
      settings,
      trouble: this.#trouble,
      renewed: (record, live) => this.#self.renewed(record, live),
      run: (claimed) => this.#runner.run(claimed),
      lateReleaseHarms: (loaded) =>
        loaded.attempts.some(
          (attempt) => attempt.incoming !== undefined && api(attempt)?.capabilities.late_release_ms !== 0,
        ),
      everyRound: () => this.#betweenRounds(),
    });
    this.#slots = new SlotQueue((claimed) => this.#claimPool.due(claimed, 0));
    const committer = new Committer({
      budgets,
      stoppages,
      watch,
      store,
      clock,
      trouble: this.#trouble,
      facts,
      settings,
      vcpusOf: (instance, machine_type) => this.#directory.vcpusOf(instance, machine_type),
      compareClocks: () => this.#claimPool.compareClocks(),
      became: (claimed, before, change) => this.#became(claimed, before, change),
    });
    const restingSlots = new RestingSlots(clock, () => this.#claimPool.held());
    const cadence = new Cadence(clock, settings, () => this.#claimPool.held());
    const stepContext: StepContext = {
      pool: this.#pool,
      observer: new Observer(signal, clock),
      cadence,
      owners: new Owners(store, log),
      spans: this.#spans,
      leaseEnds: new LeaseEnds(store, clock, this.#trouble),
      settings,
      budgets,
      usageTagging: new UsageTagging(parts.usage_tags ?? []),
      installation,
      signal,
      log,
      monotonic: () => clock.monotonic(),
      api,
      record: (claimed, apply) => committer.commit(claimed, [apply]),
      slots: this.#slots,
      turns: this.#turns,
      noteReportTrouble: (instance, trouble) => {
        if (trouble === null) this.#health.cured(instance, 'reports');
        else if (trouble !== undefined) this.#health.misbehaved(instance, 'reports', trouble);
      },
    };
    const around = { clock, settings, facts, directory: this.#directory, pool: this.#pool };
    this.#runner = new RequestRunner({
      ...around,
      store,
      log,
      slots: this.#slots,
      committer,
      stepContext,
      planParts: { ...around, stoppages, liveBrokers, api, cadence, restingSlots },
      watch,
      refuted: new RefutedNotices(clock, log, meter),
      claimPool: this.#claimPool,
      leaving: () => this.#leaving,
      refreshed: (request_id) => void this.#refreshed.add(request_id),
    });
  }

  start(): void {
    this.#claimPool.start();
  }

  /**
   * Tells which instances this broker has. Before requests are claimed that need one which left its configuration. A
   * storage that cannot be written must not prevent the start.
   */
  async tellServed(): Promise<void> {
    await this.#self.tellServed().catch(() => undefined);
  }

  refresh(request_ids: readonly string[]): void {
    const held = new Set(this.#refreshHeld(request_ids));
    if (held.size === request_ids.length || !this.#self.hasOthers) return;
    this.#relay.ask(request_ids.filter((id) => !held.has(id)));
  }

  /** Observes those of the requests that are held here. */
  #refreshHeld(request_ids: readonly string[]): readonly string[] {
    return request_ids.filter((id) => {
      const claimed = this.#claimPool.get(id);
      if (!claimed) return false;
      const now = this.#clock.monotonic();
      const { observe_moving_ms } = this.#settings;
      // Observations that are due already serve this caller too.
      if (now - (claimed.refresh_asked_at ?? -Infinity) < observe_moving_ms) return true;
      claimed.refresh_asked_at = now;
      const last = Math.max(-Infinity, ...claimed.observed_at.values());
      this.#claimPool.due(claimed, Math.max(0, last + observe_moving_ms - now));
      return true;
    });
  }

  useBudgets(budgets: readonly Budget[]): void {
    this.#budgets.replace(budgets);
  }

  describe(template_files: FileHashes): void {
    this.#self.describe(template_files);
  }

  async check(instance: string): Promise<Checked> {
    const { name } = this.#directory.require(instance);
    return this.#health.askNow(name, this.#pool, this.#stopping.signal, checkMs);
  }

  async discover(instance: string): Promise<DiscoverResult> {
    const { name } = this.#directory.require(instance);
    // Who asks meanwhile gets the same answer: it may be large, and a provider takes seconds for it.
    const underWay =
      this.#discoveries.get(name) ??
      discoverNow(this.#pool, name, this.#stopping.signal).finally(() => this.#discoveries.delete(name));
    this.#discoveries.set(name, underWay);
    return underWay;
  }

  states(): readonly InstanceState[] {
    return this.#parts.instances.map(({ name }) => {
      const session = this.#pool.known(name)?.state();
      return { provider_instance: name, ...this.#pool.pauses(name), ...(session ? { session } : {}) };
    });
  }

  failed(instance: string, message: string): void {
    if (this.#directory.instance(instance)) this.#health.misbehaved(instance, 'outside of calls', message);
  }

  held(): HeldCounts {
    const broker = this.#self.record();
    let requests = 0;
    let unserved = 0;
    for (const { state } of this.#claimPool.held()) {
      requests += 1;
      if (!canServe(broker, state.request.needs)) unserved += 1;
    }
    return { requests, unserved, unreadable: this.#claimPool.unreadable };
  }

  trouble(): string | undefined {
    return this.#trouble.message;
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    this.#leaving = true;
    this.#self.drains();
    await this.#claimPool.stop(stopMs, () => this.#stopping.abort());
    this.#reportObserved();
    await this.#background.stop();
    // Last, so that a take-over cannot begin while work of this broker is under way.
    await this.#claimPool.leave().catch(() => undefined);
    await this.#pool.close();
    this.#facts[Symbol.dispose]();
  }

  async #betweenRounds(): Promise<void> {
    this.#reportObserved();
    await this.#background.everyRound();
  }

  /** Wakes the requests that wait for the change that became durable. */
  #became(claimed: ClaimedRequest, before: RequestRecord, change: StateChange): void {
    this.#spans.became(before, change);
    if (hasEnded(before, change.request)) {
      reportEnd(this.#parts.log, change.request);
      this.#parts.ended?.(change.request);
    }
    for (const machine of change.changedMachines) {
      const watching =
        machine.return_id !== undefined && !isAlive(machine) ? this.#claimPool.get(machine.return_id) : undefined;
      if (watching) this.#claimPool.due(watching, 0);
    }
    for (const { active, provider_instance } of change.changedAttempts)
      if (active === false) this.#slots.freed(provider_instance);
    if (change.request.waits_for !== before.waits_for) this.#slots.leave(claimed, change.request.waits_for);
  }

  #reportObserved(): void {
    if (this.#refreshed.size === 0) return;
    const now = this.#clock.now();
    this.#parts.refreshed?.([...this.#refreshed], now);
    this.#relay.observed([...this.#refreshed], now);
    this.#refreshed.clear();
  }
}
