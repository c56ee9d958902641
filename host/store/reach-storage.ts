import type { LoadedConfiguration } from '../../config/load.ts';
import type { Log } from '../../core/contract/log.ts';
import { whenStorageIsThere } from './when-storage-is-there.ts';

/**
 * Waits while the storage of a configuration is absent, before anything else of a start. Returns when the storage can
 * be opened, or when its opening reports why not. `waits`: as of `whenStorageIsThere`.
 */
export async function reachStorage(
  { configuration, plugins }: Pick<LoadedConfiguration, 'configuration' | 'plugins'>,
  log: Log,
  waits?: (why: string | undefined) => void,
): Promise<void> {
  const { type, ...options } = configuration.storage;
  const driver = plugins.flatMap((plugin) => plugin.storages ?? []).find((each) => each.type === type);
  if (driver?.reach) await whenStorageIsThere(async () => driver.reach?.(options), log, waits);
}
