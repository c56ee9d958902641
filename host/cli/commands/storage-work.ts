import type { Configuration } from '../../../config/configuration.ts';
import { loadConfiguration } from '../../../config/load.ts';
import { BrokerError } from '../../../core/contract/errors.ts';
import { silentLog } from '../../../core/contract/log.ts';
import type { StorageDriver } from '../../../core/contract/storage.ts';
import type { Terminal } from '../../process/terminal.ts';
import { exitCodes } from '../exit-codes.ts';
import { print, type Form } from '../output/print.ts';

/** `muster storage check` */
export async function checkStorage(
  config: string | undefined,
  file: string | undefined,
  form: Form,
  terminal: Terminal,
): Promise<number> {
  const { driver, options } = await configuredStorage(config);
  if (!driver.check) throw cannot(driver, 'checked');
  const check = await driver.check(options, file);
  await print('check_storage', check, form, terminal);
  return check.valid ? exitCodes.done : exitCodes.refused;
}

/** `muster storage backup` */
export async function backUpStorage(
  config: string | undefined,
  file: string,
  replace: boolean,
  form: Form,
  terminal: Terminal,
): Promise<number> {
  const { driver, options } = await configuredStorage(config);
  if (!driver.backup) throw cannot(driver, 'copied');
  const copy = await driver.backup(options, file, replace);
  // The table omits the counts of each kind.
  const { valid, findings } = copy.check;
  const answer =
    form === 'table' ? { file: copy.file, size_bytes: copy.size_bytes, took_ms: copy.took_ms, valid, findings } : copy;
  await print('back_up_storage', answer, form, terminal);
  if (copy.check.valid) return exitCodes.done;
  terminal.err(`muster: the stored data are damaged, so the copy was discarded; ${copy.file} is unchanged.\n`);
  return exitCodes.refused;
}

/** `muster storage migrate` */
export async function migrateStorage(config: string | undefined, form: Form, terminal: Terminal): Promise<number> {
  const { driver, options } = await configuredStorage(config);
  if (!driver.migrate)
    throw new BrokerError(
      'INVALID_CONFIGURATION',
      `The storage '${driver.type}' is updated by the start of a server, and only by it.`,
    );
  await print('migrate_storage', await driver.migrate(options, { log: silentLog }), form, terminal);
  return exitCodes.done;
}

interface ConfiguredStorage {
  readonly driver: StorageDriver<any>;
  readonly options: Omit<Configuration['storage'], 'type'>;
}

async function configuredStorage(config: string | undefined): Promise<ConfiguredStorage> {
  const { configuration, plugins } = await loadConfiguration({
    cwd: process.cwd(),
    env: process.env,
    ...(config === undefined ? {} : { file: config }),
  });
  const { type, ...options } = configuration.storage;
  const driver = plugins.flatMap((plugin) => plugin.storages ?? []).find((each) => each.type === type);
  if (!driver) throw new BrokerError('INVALID_CONFIGURATION', `No loaded plugin contributes the storage '${type}'.`);
  return { driver, options };
}

const cannot = ({ type }: StorageDriver<any>, what: string) =>
  new BrokerError(
    'INVALID_CONFIGURATION',
    `The storage '${type}' cannot be ${what}: set storage.type to one that keeps files, such as sqlite.`,
  );
