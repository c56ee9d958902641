import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokerError, isBrokerError } from '../../../../core/contract/errors.ts';
import { sentences } from '../../../../core/contract/findings.ts';
import { silentLog } from '../../../../core/contract/log.ts';
import type { TransferEnd } from '../../../../core/contract/transfer.ts';
import { systemClock } from '../../../../core/contract/clock.ts';
import { runningServer } from '../../../client/running-server.ts';
import { startingServer } from '../../../client/server-process.ts';
import { thisBroker } from '../../../process/this-broker.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { restoreStorage } from '../../../store/restore-storage.ts';
import { exitCodes } from '../../exit-codes.ts';
import { print, type Form } from '../../output/print.ts';
import { cannot, configuredStorage, storageAt, transferEnd, type ConfiguredStorage } from './configured-storage.ts';

interface OpenBackup extends AsyncDisposable {
  readonly end: TransferEnd;
  /** Where the backup lies that was named. */
  readonly name: string;
}

type Backup = Pick<ConfiguredStorage, 'driver' | 'options'>;

/** `muster storage restore` */
export async function restoreStorageFrom(
  file: string,
  config: string | undefined,
  replace: boolean,
  form: Form,
  terminal: Terminal,
): Promise<number> {
  const configured = await configuredStorage(config);
  const { data_directory } = configured.configuration;
  const server = (await runningServer(data_directory)) ?? startingServer(data_directory);
  if (server)
    throw new BrokerError(
      'CONFLICT',
      `A server runs on ${data_directory} (pid ${server.pid}). Stop it with \`muster server stop\`, then repeat.`,
    );
  const target = await transferEnd(configured);
  const given = await storageAt(file, configured.drivers);
  await refuseUnsound(given, file);
  await using backup = await backupEnd(given);
  const self = thisBroker(configured.configuration);
  const restored = await restoreStorage(backup.end, target, replace, self, backup.name);
  await print('restore_storage', restored, form, terminal);
  terminal.err(
    `muster: ${restored.to} has the state of the backup. Machines that were started or ended since then differ from it: the next broker detects those that ended, and its sweep reports those that no record knows, which takes up to half an hour; \`muster providers orphans\` lists them, and says which clouds were searched.\n`,
  );
  return exitCodes.done;
}

async function refuseUnsound({ driver, options }: Backup, file: string): Promise<void> {
  if (!driver.check) throw cannot(driver, 'restored');
  const { valid, findings } = await driver.check(options, file);
  if (valid) return;
  const errors = sentences(findings.filter(({ level }) => level === 'error'));
  throw new BrokerError('CONFLICT', `${file} is damaged, and nothing was changed: ${errors}`, { findings });
}

/** The backup, or a private copy of it with the present tables when it was written by an earlier version. */
async function backupEnd(given: Backup): Promise<OpenBackup> {
  const end = await transferEnd(given);
  const name = end.place;
  try {
    await end.state();
    return { end, name, [Symbol.asyncDispose]: async () => {} };
  } catch (error) {
    if (!isBrokerError(error) || error.details['schema_version'] === undefined) throw error;
  }
  const directory = mkdtempSync(join(tmpdir(), 'muster-restore-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const copy = join(directory, 'muster.db');
    copyFileSync(end.place, copy);
    const options = given.driver.optionsOf?.(copy);
    const store = await given.driver.open(options, { clock: systemClock, log: silentLog });
    await store.close();
    return { end: await transferEnd({ ...given, options }), name, [Symbol.asyncDispose]: async () => remove() };
  } catch (error) {
    remove();
    throw error;
  }
}
