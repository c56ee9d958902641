import type { LoadedConfiguration } from '../../config/load.ts';
import { BrokerError } from '../../core/contract/errors.ts';

/** Whether several processes can work on the storage of a configuration at once. */
export function sharesStorage({ configuration, plugins }: LoadedConfiguration): boolean {
  const driver = plugins
    .flatMap((plugin) => plugin.storages ?? [])
    .find(({ type }) => type === configuration.storage.type);
  return driver?.shared ?? true;
}

/** Refuses a storage that only one thread can open. `what` begins the sentence that says why it must not be one. */
export function requireSharedStorage(loaded: LoadedConfiguration, what: string): void {
  if (sharesStorage(loaded)) return;
  const { type } = loaded.configuration.storage;
  throw new BrokerError(
    'INVALID_CONFIGURATION',
    `${what} a storage that several processes share, and '${type}' is none. Set storage.type to another, such as sqlite.`,
  );
}
