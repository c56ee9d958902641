import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedConfiguration } from '../../config/load.ts';
import { isBrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';

const pauseMs = 1_000;
const logIntervalMs = 30_000;

/**
 * Waits while the storage of a configuration is absent, as a database that starts later than muster. Returns when the
 * storage can be opened, or when its opening reports why not.
 */
export async function reachStorage(
  { configuration, plugins }: Pick<LoadedConfiguration, 'configuration' | 'plugins'>,
  log: Log,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
  const { type, ...options } = configuration.storage;
  const driver = plugins.flatMap((plugin) => plugin.storages ?? []).find((each) => each.type === type);
  if (!driver?.reach) return;
  for (let waited = 0; ; waited += pauseMs) {
    try {
      await driver.reach(options);
      if (waited > 0) log.info({ storage: type }, 'The storage is there: muster starts.');
      return;
    } catch (error) {
      if (!isBrokerError(error) || error.code !== 'UNAVAILABLE') throw error;
      if (waited % logIntervalMs === 0) log.warn({ storage: type }, `muster waits with its start. ${error.message}`);
    }
    await pause(pauseMs);
  }
}
