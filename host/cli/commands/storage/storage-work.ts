import { existsSync } from 'node:fs';
import { BrokerError } from '../../../../core/contract/errors.ts';
import { silentLog } from '../../../../core/contract/log.ts';
import type { StorageCopy } from '../../../../core/contract/upkeep.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { exitCodes } from '../../exit-codes.ts';
import { print, type Form } from '../../output/print.ts';
import { cannot, configuredStorage, storageAt, transferEnd, type ConfiguredStorage } from './configured-storage.ts';

/** `muster storage check` */
export async function checkStorage(
  config: string | undefined,
  file: string | undefined,
  form: Form,
  terminal: Terminal,
): Promise<number> {
  const configured = await configuredStorage(config);
  // The backup of a database is a file of the storage that keeps files.
  const isOther = file !== undefined && configured.driver.optionsOf && !configured.driver.optionsOf(file);
  const { driver, options } = isOther ? await storageAt(file, configured.drivers) : configured;
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
  const configured = await configuredStorage(config);
  const { driver, options } = configured;
  const copy = await (driver.backup?.(options, file, replace) ?? portableBackup(configured, file, replace));
  // The table omits the counts of each kind.
  const { valid, findings } = copy.check;
  const answer =
    form === 'table' ? { file: copy.file, size_bytes: copy.size_bytes, took_ms: copy.took_ms, valid, findings } : copy;
  await print('back_up_storage', answer, form, terminal);
  if (copy.check.valid) return exitCodes.done;
  terminal.err(`muster: the stored data are damaged, so the copy was discarded; ${copy.file} is unchanged.\n`);
  return exitCodes.refused;
}

/** Copies a storage without files, as it is at one moment, into a file that every muster can read. */
async function portableBackup(configured: ConfiguredStorage, file: string, replace: boolean): Promise<StorageCopy> {
  const source = await transferEnd(configured);
  const target = await transferEnd(await storageAt(file, configured.drivers));
  if (existsSync(target.place) && !replace)
    throw new BrokerError(
      'CONFLICT',
      `${target.place} exists already and was not changed. Choose another name, or replace the file with --force.`,
    );
  if (!(await source.state()).exists)
    throw new BrokerError('FILE_NOT_FOUND', `There is no storage of muster in ${source.place}.`);
  const began = performance.now();
  await using snapshot = await source.snapshot();
  const check = await target.receive(snapshot, undefined, replace);
  const took_ms = Math.round(performance.now() - began) - check.took_ms;
  return { file: target.place, size_bytes: check.size_bytes, took_ms, check };
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
