import { BrokerError } from '../../../../core/contract/errors.ts';
import { thisBroker } from '../../../process/this-broker.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { copyStorage } from '../../../store/copy-storage.ts';
import { exitCodes } from '../../exit-codes.ts';
import { print, type Form } from '../../output/print.ts';
import { configuredStorage, refusePassword, storageAt, transferEnd } from './configured-storage.ts';

export interface CopyFlags {
  readonly config?: string;
  /** A URL or a file. */
  readonly from?: string;
  readonly to?: string;
  /** The configuration file that names the target. */
  readonly toConfig?: string;
  readonly replace?: boolean;
}

/** `muster storage copy` */
export async function copyStorageTo(flags: CopyFlags, form: Form, terminal: Terminal): Promise<number> {
  const { config, from, to, toConfig, replace = false } = flags;
  if (from !== undefined) refusePassword('--from', from, 'MUSTER_STORAGE_URL');
  if (to !== undefined) refusePassword('--to', to, 'MUSTER_STORAGE_TO_URL');
  const url = process.env['MUSTER_STORAGE_TO_URL'] || undefined;
  const place = to ?? (toConfig === undefined ? url : undefined);
  if ((place === undefined || place === '') === (toConfig === undefined))
    throw new BrokerError(
      'INVALID_REQUEST',
      'Name the target in one way: --to with a URL or a file, MUSTER_STORAGE_TO_URL, or --to-config with a configuration file.',
    );
  const present = await configuredStorage(config);
  const source = await transferEnd(from === undefined ? present : await storageAt(from, present.drivers));
  const target = await transferEnd(
    toConfig === undefined
      ? await storageAt(place ?? '', present.drivers)
      : await configuredStorage(toConfig, environmentOfTarget(process.env, url)),
  );
  const copied = await copyStorage(source, target, replace, thisBroker(present.configuration));
  await print('copy_storage', copied, form, terminal);
  terminal.err(
    copied.copied
      ? `muster: name ${copied.to} in 'storage' and start the brokers. ${copied.from} is kept, and refuses brokers.\n`
      : `muster: everything was copied to ${copied.to} already; brokers may have changed it since.\n`,
  );
  return exitCodes.done;
}

/** The variables MUSTER_STORAGE_… are about the present storage, and MUSTER_STORAGE_TO_URL about the target. */
const environmentOfTarget = (env: NodeJS.ProcessEnv, url: string | undefined): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('MUSTER_STORAGE_'))),
  ...(url === undefined ? {} : { MUSTER_STORAGE_URL: url }),
});

/** `muster storage reopen` */
export async function reopenStorage(
  config: string | undefined,
  force: boolean,
  form: Form,
  terminal: Terminal,
): Promise<number> {
  const storage = await transferEnd(await configuredStorage(config));
  const { exists, from, to } = await storage.state();
  if (!exists) throw new BrokerError('FILE_NOT_FOUND', `There is no storage of muster in ${storage.place}.`);
  if (!to && from?.done === false)
    throw new BrokerError(
      'CONFLICT',
      `${storage.place} is an incomplete copy of ${from.place}. Repeat \`muster storage copy\` or \`muster storage restore\`, whichever was interrupted: it completes the copy.`,
    );
  if (to?.done && !force)
    throw new BrokerError(
      'CONFLICT',
      `${storage.place} was copied to ${to.place} at ${new Date(to.at).toISOString()}. Brokers on both would work on the same machines: use --force only when no broker will use the copy any more. What happened there since is not here.`,
    );
  if (to) await storage.unfence();
  await print('reopen_storage', { place: storage.place, reopened: to !== undefined }, form, terminal);
  return exitCodes.done;
}
