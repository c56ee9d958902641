import type { LoadedConfiguration } from '../../config/load.ts';
import { BrokerError, isBrokerError } from '../../core/contract/errors.ts';

/**
 * Throws what a start would throw because of its storage, as far as the storage can tell without a change. Throws
 * UNAVAILABLE when a start would wait.
 */
export async function tryStorage({
  configuration,
  plugins,
}: Pick<LoadedConfiguration, 'configuration' | 'plugins'>): Promise<void> {
  const { type, ...options } = configuration.storage;
  const driver = plugins.flatMap((plugin) => plugin.storages ?? []).find((each) => each.type === type);
  if (!driver) throw new BrokerError('INVALID_CONFIGURATION', `No loaded plugin contributes the storage '${type}'.`);
  try {
    await driver.reach?.(options);
    await driver.tryOpening?.(options);
  } catch (error) {
    if (!isBrokerError(error) || error.details['absent'] !== true) throw error;
    throw new BrokerError('UNAVAILABLE', `A start would wait for its storage. ${error.message}`, error.details, {
      cause: error,
    });
  }
}
