import { systemClock, type Clock } from '../core/contract/clock.ts';
import { Container } from '../core/wiring/container.ts';
import { BrokerError } from '../core/contract/errors.ts';
import {
  clock,
  contribute,
  endpointSchemes,
  eventSinks,
  logger,
  providerApis,
  providerTypes,
  storages,
  store,
} from '../core/wiring/extension-points.ts';
import type { LoopParts } from '../core/reconciler/running-loop.ts';
import type { Log } from '../core/contract/log.ts';
import type { Plugin } from '../core/contract/plugin.ts';
import type { Owner, StorageDriver } from '../core/contract/storage.ts';
import type { Configuration } from '../config/configuration.ts';
import { maskCommits } from './store/mask-commits.ts';
import { secretsOf } from './process/secrets.ts';

/** Creates a container with the contributions of the plugins; the store is not open yet. */
export function containerOf(plugins: readonly Plugin[], log: Log, time: Clock = systemClock): Container {
  const container = new Container();
  for (const plugin of plugins) contribute(container, plugin);
  return container.set(logger, log).set(clock, time);
}

/** Returns the storage driver that the configuration names. */
export function storageOf(container: Container, { storage }: Configuration): StorageDriver<any> {
  const driver = container.all(storages).find((each) => each.type === storage.type);
  if (driver) return driver;
  throw new BrokerError('INVALID_CONFIGURATION', `No loaded plugin contributes the storage '${storage.type}'.`);
}

/** Opens the store and registers it in the container. */
export async function openStore(container: Container, configuration: Configuration): Promise<void> {
  const { type: _, ...options } = configuration.storage;
  const opened = await storageOf(container, configuration).open(options, {
    clock: container.get(clock),
    log: container.get(logger),
  });
  container.set(store, opened);
}

/** Returns the dependencies of the reconciler loop, in any thread. */
export function loopParts(container: Container, configuration: Configuration, owner: Owner): LoopParts {
  const plugin: Plugin = {
    name: 'all',
    contract: 1,
    providers: container.all(providerTypes),
    storages: container.all(storages),
  };
  return {
    store: maskCommits(container.get(store), secretsOf({ configuration, plugins: [plugin] })),
    instances: configuration.providers,
    types: container.all(providerTypes),
    apis: container.all(providerApis),
    schemes: container.all(endpointSchemes),
    sinks: container.all(eventSinks),
    data_directory: configuration.data_directory,
    clock: container.get(clock),
    log: container.get(logger),
    owner,
  };
}
