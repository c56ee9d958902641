import { dirname, resolve } from 'node:path';
import { loadPlugins } from '../config/plugins/load-plugins.ts';
import type { LoadedConfiguration } from '../config/load.ts';
import type { Configuration } from '../config/configuration.ts';
import { configurationChecks } from '../config/checks/configuration-checks.ts';
import { readTemplateFiles } from '../config/templates/template-files.ts';
import { systemClock, type Clock } from '../core/contract/clock.ts';
import type { Container } from '../core/wiring/container.ts';
import { BrokerError } from '../core/contract/errors.ts';
import {
  brokerServices,
  clock,
  providerApis,
  providerTypes,
  schedulers,
  store as storeToken,
} from '../core/wiring/extension-points.ts';
import type { LoopParts } from '../core/reconciler/running-loop.ts';
import { defaultSettings, type Settings } from '../core/reconciler/settings.ts';
import type { Log } from '../core/contract/log.ts';
import type { Operation } from '../core/operations/operation.ts';
import { operationPoint, registerOperations } from '../core/operations/registry.ts';
import { Rendering } from '../core/operations/rendering.ts';
import { guardedStrategy } from '../core/operations/guarded-strategy.ts';
import type { Services } from '../core/operations/services.ts';
import { budgetOf, type Budget } from '../core/budgets/budget.ts';
import { BudgetQueries } from '../core/budgets/budget-queries.ts';
import { Budgets } from '../core/budgets/budgets.ts';
import { Capacity } from '../core/providers/capacity.ts';
import { noCheckup } from '../core/providers/checkup.ts';
import { noDiscovering } from '../core/providers/discover-now.ts';
import { Orphans } from '../core/providers/orphans/orphans.ts';
import { noActivity } from '../core/providers/provider-activity.ts';
import { ProviderDirectory } from '../core/providers/directory.ts';
import { Facts } from '../core/providers/facts.ts';
import { Journal } from '../core/journal/journal.ts';
import { Timelines } from '../core/journal/timelines.ts';
import { CleanUp } from '../core/requests/clean-up.ts';
import { Explanations } from '../core/requests/explain/explanations.ts';
import { Inventory } from '../core/requests/queries/inventory.ts';
import { Overview } from '../core/requests/queries/overview.ts';
import { RequestPlans } from '../core/requests/plan/request-plans.ts';
import { RequestQueries } from '../core/requests/queries/request-queries.ts';
import { RequestService } from '../core/requests/request-service.ts';
import { UsageQuery } from '../core/requests/usage/usage-query.ts';
import { LeaseCommands } from '../core/requests/leases/lease-commands.ts';
import { RequestCommands } from '../core/requests/request-commands.ts';
import type { SchedulerStrategy } from '../core/contract/scheduler.ts';
import type { Store } from '../core/contract/storage.ts';
import { TemplateService } from '../core/templates/template-service.ts';
import { TemplateLibrary, type FileHashes } from '../core/templates/library.ts';
import { containerOf, loopParts, openStore, storageOf } from './container.ts';
import { operationsOf, type ServiceParts } from './services/service-operations.ts';
import { startServiceJobs } from './services/service-jobs.ts';
import { interfaceStore } from './store/interface-store.ts';
import { maskedAnswers } from './loop/masked-answers.ts';
import { RefreshBatcher } from './loop/refresh-batcher.ts';
import { BrokerMeter } from './metrics/broker-meter.ts';
import type { Family } from './metrics/family.ts';
import type { LoopHandle } from './loop/loop-handle.ts';
import type { LoopThreadOptions } from './loop/loop-thread.ts';
import { hiding, secretsOf } from './process/secrets.ts';
import { allFamilies } from './metrics/all-families.ts';
import { serverTelemetry, workerTelemetry } from './telemetry/compose-telemetry.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { Tracer } from '../core/tracing/tracer.ts';
import { thisBroker } from './process/this-broker.ts';
import { byPreference, placementOf } from '../core/providers/placement.ts';
import type { PrimaryLink } from './cluster/primary-link.ts';

/** A composed broker, which all interfaces use. */
export interface Broker {
  readonly configuration: Configuration;
  readonly scheduler: SchedulerStrategy;
  /** All loaded strategies: an interface may use another format than the active one. */
  readonly schedulers: readonly SchedulerStrategy[];
  readonly operations: readonly Operation<any, any>[];
  /** Whether services of plugins are configured, so that `operations` has theirs too. */
  readonly hasServices: boolean;
  readonly services: Services;
  readonly rendering: Rendering;
  readonly facts: Facts;
  readonly store: Store;
  readonly log: Log;
  /** The id of this broker in `list_brokers`. Absent when this server runs no reconciler. */
  readonly broker_id?: string;
  /** Absent when this server runs no reconciler. */
  readonly loop?: LoopHandle;
  readonly meter: BrokerMeter;
  readonly tracer: Tracer;
  /** Returns the metrics of all threads and processes of the server. */
  measures(): Promise<readonly (readonly Family[])[]>;
  /** Whether this server is about to stop, so that no proxy should send it calls. */
  readonly draining: boolean;
  /** From now on these budgets count in this process and in its loop. */
  useBudgets(budgets: readonly Budget[]): void;
  /** Starts the jobs of services. A server calls it once; other programs run none. */
  startJobs(): void;
  /** Announces the end: from now on `/readyz` refuses. Then stops the loop, so that other brokers take its requests. */
  drain(): Promise<void>;
  /** Stops the loop, then closes the store. Idempotent. */
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly loaded: LoadedConfiguration;
  readonly log: Log;
  /**
   * The directory where the configuration was searched: without a file, plugins are resolved from there. Default: the
   * working directory.
   */
  readonly cwd?: string;
  /** Where the loop runs. `thread` becomes `inline` when only one thread can open the storage. Default `thread`. */
  readonly loop?: 'thread' | 'inline' | 'none';
  readonly clock?: Clock;
  readonly settings?: Partial<Settings>;
  /** Options of a loop thread. */
  readonly thread?: Pick<LoopThreadOptions, 'ping_ms' | 'quarantine_ms' | 'heap_mb'>;
  /** In a worker process: the loop runs in the primary, whatever `loop` is. */
  readonly primary?: PrimaryLink;
  /** A store to use instead of the configured storage. */
  readonly store?: Store;
}

/** The composition root: creates a broker from a checked configuration. Calls no provider. */
export async function compose(options: ComposeOptions): Promise<Broker> {
  const { loaded, log } = options;
  const { configuration } = loaded;
  const container = containerOf(loaded.plugins, log);
  registerOperations(container);
  const configured = container.all(brokerServices).filter(({ name }) => name in configuration.services);
  const strategies = container.all(schedulers).map(guardedStrategy);
  const scheduler = schedulerOf(strategies, configuration);
  if (options.store) container.set(storeToken, options.store).set(clock, options.clock ?? systemClock);
  else await openStore(container, configuration, options.clock);
  const meter = new BrokerMeter(configuration.server.max_wait_ms, options.primary?.worker);
  const store = meter.pressure.follow(interfaceStore(meter.thread.time(container.get(storeToken)), log));
  const self = thisBroker(configuration);
  const broker_id = options.primary ? options.primary.broker_id : options.loop === 'none' ? undefined : self.broker_id;
  const facts = new Facts(
    store,
    container.get(clock),
    configuration.providers,
    broker_id === undefined ? undefined : { ...self, broker_id },
  );
  const providers = new ProviderDirectory(
    configuration.providers,
    container.all(providerTypes),
    container.all(providerApis),
    facts,
    { log },
  );
  let broker: Broker | undefined;
  const telemetry = await (options.primary
    ? workerTelemetry(loaded, options.primary)
    : serverTelemetry({ loaded, log, broker_id, families: async () => (broker ? allFamilies(broker) : []) }));
  try {
    let loop: LoopHandle | undefined;
    const [templates] = await Promise.all([
      openLibrary(loaded, container, providers, (files) => loop?.describe(files)),
      facts.follow(),
    ]);
    const budgets = new Budgets(configuration.budgets.map(budgetOf), providers, facts);
    const refreshBatcher = new RefreshBatcher((request_ids) => loop?.refresh(request_ids), systemClock);
    const described = { ...self, template_files: templates.fileHashes() };
    loop = await startLoop(options, container, refreshBatcher, described, telemetry);
    const journal = new Journal(store);
    let closed: Promise<void> | undefined;
    let draining = false;
    const answers = loop && maskedAnswers(loop, secretsOf(loaded));
    const services: Services = {
      templateLibrary: templates,
      templateService: new TemplateService(templates, store, container.get(clock), loaded.review, providers),
      review: loaded.review,
      providers,
      requests: new RequestService(
        store,
        container.get(clock),
        budgets,
        configuration.server.max_pending,
        telemetry.tracer,
        configuration.usage.tags,
      ),
      requestQueries: new RequestQueries(store, container.get(clock), refreshBatcher),
      capacity: new Capacity(providers),
      explanations: new Explanations(store, container.get(clock), providers),
      inventory: new Inventory(store, container.get(clock)),
      budgets: new BudgetQueries(store, budgets),
      requestPlans: new RequestPlans(store, providers, budgets),
      overview: new Overview(store, container.get(clock)),
      requestCommands: new RequestCommands(store, container.get(clock)),
      usage: new UsageQuery(store, container.get(clock), configuration.usage.tags),
      leaseCommands: new LeaseCommands(store, container.get(clock)),
      journal,
      timelines: new Timelines(store, journal),
      cleanUp: new CleanUp(store, container.get(clock)),
      configurationChecks: configurationChecks(loaded, container.all(providerTypes)),
      scheduler,
      checkup: answers ?? noCheckup,
      discovering: answers ?? noDiscovering,
      providerActivity: answers ?? noActivity,
      orphans: new Orphans(facts, container.get(clock), providers, { broker_id, started: self.started }),
      brokers: () => store.brokers(),
      clock: container.get(clock),
      tracer: telemetry.tracer,
    };
    const rendering = new Rendering(scheduler, await ownFormat());
    const time = container.get(clock);
    const sections = configuration.services;
    const own = container.all(operationPoint);
    const parts = (): ServiceParts => ({ store, clock: time, log, services, rendering, operations: own, sections });
    const operations = [...own, ...operationsOf(configured, parts)];
    let jobs: { stop(): Promise<void> } | undefined;
    broker = {
      configuration,
      scheduler,
      schedulers: strategies,
      operations,
      hasServices: configured.length > 0,
      services,
      rendering,
      facts,
      store,
      log,
      meter,
      tracer: telemetry.tracer,
      measures: async () => options.primary?.measures() ?? [meter.families(), (await loop?.measures()) ?? []],
      ...(loop ? { loop } : {}),
      ...(broker_id === undefined ? {} : { broker_id }),
      get draining() {
        return draining;
      },
      useBudgets(replacement) {
        budgets.replace(replacement);
        loop?.useBudgets(replacement);
      },
      startJobs() {
        if (broker_id === undefined || (options.primary?.worker ?? 1) !== 1) return;
        const { lease_ms = defaultSettings.lease_ms } = storageOf(container, configuration);
        jobs ??= startServiceJobs(configured, { parts, broker_id, lease_ms });
      },
      async drain() {
        draining = true;
        await jobs?.stop();
        await loop?.stop();
      },
      close: () =>
        (closed ??= (async () => {
          await jobs?.stop();
          await close(store, loop, telemetry, [templates, facts]);
        })()),
    };
    return broker;
  } catch (error) {
    await telemetry.close();
    await store.close();
    throw error;
  }
}

/**
 * muster's own format, which the SDK, the command line and MCP use whatever scheduler is configured: their types and
 * `--wait` depend on it.
 */
async function ownFormat(): Promise<SchedulerStrategy> {
  const [plugin] = await loadPlugins(['default-format'], { cwd: '.' });
  return guardedStrategy(plugin?.schedulers?.[0] as SchedulerStrategy);
}

function schedulerOf(loaded: readonly SchedulerStrategy[], { scheduler }: Configuration): SchedulerStrategy {
  const found = loaded.find((each) => each.name === scheduler);
  if (found) return found;
  const known = loaded.map((each) => each.name);
  throw new BrokerError(
    'INVALID_CONFIGURATION',
    `No loaded plugin contributes the scheduler '${scheduler}'; known: ${known.join(', ') || 'none'}.`,
  );
}

function openLibrary(
  { configuration, review }: LoadedConfiguration,
  container: Container,
  providers: ProviderDirectory,
  refreshed: (files: FileHashes) => void,
): Promise<TemplateLibrary> {
  const types = container.all(providerTypes);
  const strategies = container.all(schedulers);
  const instances = byPreference(providers.instances).map((each) => each.name);
  return TemplateLibrary.open({
    load: () =>
      readTemplateFiles({ directory: configuration.templates.directory, types, instances, strategies, review }),
    store: container.get(storeToken),
    review,
    merge: {
      instances,
      bind_types: types.length > 1,
      types: [...new Set([...providers.instances, ...types].map(({ type }) => type))],
    },
    place: (template) => placementOf(template, providers),
    refreshed,
  });
}

async function startLoop(
  options: ComposeOptions,
  container: Container,
  refreshBatcher: RefreshBatcher,
  broker: LoopParts['broker'],
  { tracer, tracing, add }: Telemetry,
): Promise<LoopHandle | undefined> {
  const { loaded, log, primary } = options;
  const { configuration } = loaded;
  const settings = options.settings ? { settings: options.settings } : {};
  const refreshed = (request_ids: readonly string[], at: number) => refreshBatcher.refreshed(request_ids, at);
  if (primary) return primary.loop(refreshed);
  const where = options.loop ?? 'thread';
  if (where === 'none') return undefined;
  if (where === 'thread' && storageOf(container, configuration).shared) {
    const { LoopThread } = await import('./loop/loop-thread.ts');
    const plugins_from = loaded.file === undefined ? resolve(options.cwd ?? '.') : dirname(loaded.file);
    return new LoopThread({
      data: { configuration, plugins_from, broker, ...settings, ...(tracing ? { tracing } : {}) },
      log,
      refreshed,
      mask: hiding(secretsOf(loaded)),
      spans: add,
      ...options.thread,
    });
  }
  const { startInlineLoop } = await import('./loop/inline-loop.ts');
  return startInlineLoop({ ...loopParts(container, configuration, broker, options.settings), refreshed, tracer });
}

async function close(
  store: Store,
  loop: LoopHandle | undefined,
  telemetry: Telemetry,
  followers: readonly Disposable[],
): Promise<void> {
  await loop?.stop();
  // The last export reads the store.
  await telemetry.close();
  for (const follower of followers) follower[Symbol.dispose]();
  await store.close();
}
