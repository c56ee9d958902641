import type { Configuration } from '../../../../config/configuration.ts';
import { loadConfiguration } from '../../../../config/load.ts';
import { loadPlugins } from '../../../../config/plugins/load-plugins.ts';
import { BrokerError } from '../../../../core/contract/errors.ts';
import type { StorageDriver } from '../../../../core/contract/storage.ts';
import type { TransferEnd } from '../../../../core/contract/transfer.ts';
import { percentDecoded, userinfoOf } from '../../../../core/schema/redact.ts';

/** A storage that a command works on. */
export interface ConfiguredStorage {
  readonly driver: StorageDriver<any>;
  readonly options: unknown;
  readonly configuration: Configuration;
  /** The drivers of all loaded plugins. */
  readonly drivers: readonly StorageDriver<any>[];
}

/** The storage of a configuration file, with the variables of the environment. */
export async function configuredStorage(
  config: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ConfiguredStorage> {
  const { configuration, plugins } = await loadConfiguration({
    cwd: process.cwd(),
    env,
    ...(config === undefined ? {} : { file: config }),
  });
  const { type, ...options } = configuration.storage;
  const drivers = plugins.flatMap((plugin) => plugin.storages ?? []);
  const driver = drivers.find((each) => each.type === type);
  if (!driver) throw new BrokerError('INVALID_CONFIGURATION', `No loaded plugin contributes the storage '${type}'.`);
  return { driver, options, configuration, drivers };
}

/** The storage at a URL or in a file. The storages that muster brings along need not be loaded. */
export async function storageAt(
  place: string,
  drivers: readonly StorageDriver<any>[],
): Promise<Pick<ConfiguredStorage, 'driver' | 'options'>> {
  const own = await loadPlugins(['storage-sqlite', 'storage-postgres'], { cwd: '.' });
  for (const driver of [...drivers, ...own.flatMap((plugin) => plugin.storages ?? [])]) {
    const options = driver.optionsOf?.(place);
    if (options !== undefined) return { driver, options };
  }
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(place)?.[0] ?? '';
  throw new BrokerError('INVALID_REQUEST', `No loaded storage has URLs that begin with '${scheme}'.`);
}

/** Refuses a URL with a password on the command line, where other users of the host can read it. */
export function refusePassword(option: string, place: string, instead: string): void {
  const secret = userinfoOf(place)?.includes(':') || /[?&](?:ssl)?password=/i.test(percentDecoded(place));
  if (!secret) return;
  throw new BrokerError(
    'INVALID_REQUEST',
    `${option} contains a password, which other users of this host can read. Put the URL into ${instead}.`,
  );
}

/** Opens a storage for a copy. */
export async function transferEnd({
  driver,
  options,
}: Pick<ConfiguredStorage, 'driver' | 'options'>): Promise<TransferEnd> {
  if (driver.transfer) return driver.transfer(options);
  throw cannot(driver, 'copied');
}

export const cannot = ({ type }: StorageDriver<any>, what: string) =>
  new BrokerError(
    'INVALID_CONFIGURATION',
    `The storage '${type}' cannot be ${what}: set storage.type to one that keeps files, such as sqlite.`,
  );
