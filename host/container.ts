import { budgetOf } from '../core/budgets/budget.ts';
import { systemClock, type Clock } from '../core/contract/clock.ts';
import { Container } from '../core/wiring/container.ts';
import { BrokerError } from '../core/contract/errors.ts';
import {
  clock,
  contribute,
  endpointSchemes,
  eventSinks,
  eventSinkTypes,
  logger,
  providerApis,
  providerTypes,
  storages,
  store,
} from '../core/wiring/extension-points.ts';
import type { LoopParts } from '../core/reconciler/running-loop.ts';
import type { Settings } from '../core/reconciler/settings.ts';
import type { Log } from '../core/contract/log.ts';
import type { Plugin } from '../core/contract/plugin.ts';
import type { StorageDriver } from '../core/contract/storage.ts';
import type { EventSink, EventSinkType } from '../core/contract/events.ts';
import { pluginOf, recordContributor } from '../core/wiring/contributed-by.ts';
import type { Configuration, ConfiguredSink } from '../config/configuration.ts';
import { maskCommits } from './store/mask-commits.ts';
import { openedStore } from './store/opened-store.ts';
import { storageClock } from './store/storage-clock.ts';
import { secretsOf } from './process/secrets.ts';

/** Creates a container with the contributions of the plugins; the store is not open yet, and the clock not set. */
export function containerOf(plugins: readonly Plugin[], log: Log): Container {
  const container = new Container();
  for (const plugin of plugins) contribute(container, plugin);
  return container.set(logger, log);
}

/** Returns the storage driver that the configuration names. */
export function storageOf(container: Container, { storage }: Configuration): StorageDriver<any> {
  const driver = container.all(storages).find((each) => each.type === storage.type);
  if (driver) return driver;
  throw new BrokerError('INVALID_CONFIGURATION', `No loaded plugin contributes the storage '${storage.type}'.`);
}

/** Opens the store and registers it, and the clock: that of the storage if it has one, else `time`. */
export async function openStore(
  container: Container,
  configuration: Configuration,
  time: Clock = systemClock,
): Promise<void> {
  const { type: _, ...options } = configuration.storage;
  const log = container.get(logger);
  const opened = await openedStore(storageOf(container, configuration), options, { clock: time, log });
  try {
    const now = opened.now?.bind(opened);
    container.set(clock, now ? await storageClock(time, now, log) : time).set(store, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The event sinks that plugins contribute, and those of the configuration. */
export function sinksOf(container: Container, { events }: Configuration): readonly EventSink[] {
  const types = container.all(eventSinkTypes);
  return [...container.all(eventSinks), ...events.sinks.flatMap((entry) => opened(entry, types, container))];
}

function opened(
  { type, name, ...options }: ConfiguredSink,
  types: readonly EventSinkType<any>[],
  container: Container,
): readonly EventSink[] {
  const found = types.find((each) => each.type === type);
  if (!found) return [];
  const context = { name, clock: container.get(clock), log: container.get(logger) };
  const sink = Object.assign(found.open(options, context), { name });
  const plugin = pluginOf(found);
  if (plugin !== undefined) recordContributor(sink, plugin);
  return [sink];
}

/** Returns the dependencies of the reconciler loop, in any thread. */
export function loopParts(
  container: Container,
  configuration: Configuration,
  broker: LoopParts['broker'],
  settings: Partial<Settings> = {},
): LoopParts {
  const plugin: Plugin = {
    name: 'all',
    contract: 1,
    providers: container.all(providerTypes),
    storages: container.all(storages),
    eventSinkTypes: container.all(eventSinkTypes),
  };
  const { lease_ms } = storageOf(container, configuration);
  return {
    store: maskCommits(container.get(store), secretsOf({ configuration, plugins: [plugin] })),
    instances: configuration.providers,
    budgets: configuration.budgets.map(budgetOf),
    usage_tags: configuration.usage.tags,
    types: container.all(providerTypes),
    apis: container.all(providerApis),
    schemes: container.all(endpointSchemes),
    sinks: sinksOf(container, configuration),
    data_directory: configuration.data_directory,
    clock: container.get(clock),
    log: container.get(logger),
    broker,
    settings: { ...(lease_ms === undefined ? {} : { lease_ms }), ...settings },
  };
}
