import type { LoadedConfiguration } from '../../config/load.ts';
import { BrokerError } from '../../core/contract/errors.ts';

/** Whether several processes can use the storage of a configuration at the same time. */
export function sharesStorage({ configuration, plugins }: LoadedConfiguration): boolean {
  const driver = plugins
    .flatMap((plugin) => plugin.storages ?? [])
    .find(({ type }) => type === configuration.storage.type);
  return driver?.shared ?? true;
}

/**
 * Throws INVALID_CONFIGURATION for a storage that only one thread can open. `what` begins the message: the feature
 * that needs shared storage.
 */
export function requireSharedStorage(loaded: LoadedConfiguration, what: string): void {
  if (sharesStorage(loaded)) return;
  const { type } = loaded.configuration.storage;
  throw new BrokerError(
    'INVALID_CONFIGURATION',
    `${what} a storage that several processes can share, and '${type}' is not one. Set storage.type to another storage, such as sqlite.`,
  );
}
