import { systemClock } from '../../core/contract/clock.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import { silentLog } from '../../core/contract/log.ts';
import type { Plugin } from '../../core/contract/plugin.ts';
import type { AccountContents } from '../../core/contract/provider/account-contents.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import { discoverNow } from '../../core/providers/discover-now.ts';
import { SessionPool } from '../../core/providers/guard/session-pool.ts';
import { makeDataDirectory } from '../data-directory/data-directory.ts';
import type { SetupType } from './instance.ts';

/**
 * What the account of an instance contains, asked from this process: no broker runs yet. Throws UNAVAILABLE with the
 * reason when the provider does not show it.
 */
export async function lookAround(
  type: SetupType,
  instance: ProviderInstance,
  plugins: readonly Plugin[],
  data_directory: string,
): Promise<AccountContents> {
  const stop = new AbortController();
  const schemes = plugins.flatMap((plugin) => plugin.endpoints ?? []);
  // A plugin that serves an endpoint keeps its files in the data directory.
  const settings = Object.values(instance.config).map(String);
  if (schemes.some(({ scheme }) => settings.some((value) => value.startsWith(`${scheme}:`))))
    makeDataDirectory(data_directory);
  const pool = new SessionPool(
    {
      instances: [instance],
      types: plugins.flatMap((plugin) => plugin.providers ?? []),
      apis: plugins.flatMap((plugin) => plugin.providerApis ?? []),
      schemes,
      data_directory,
      // Only tags hold it, and this session creates nothing.
      installation: 'none',
      clock: systemClock,
      log: silentLog,
    },
    stop.signal,
  );
  try {
    const found = await discoverNow(pool, instance.name, stop.signal);
    if ('contents' in found) return found.contents;
    if ('fault' in found) {
      const { kind, code, message } = found.fault;
      const remedy = type.setup.remedies?.[kind];
      throw new BrokerError('UNAVAILABLE', [message, remedy].filter(Boolean).join(' '), { kind, code });
    }
    throw new BrokerError('NOT_IMPLEMENTED', `The provider type '${instance.type}' does not show its accounts.`);
  } finally {
    stop.abort();
    await pool.close();
  }
}
