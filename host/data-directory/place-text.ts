import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { BrokerError } from '../../core/contract/errors.ts';
import { readOwnFile } from './own-file.ts';

/**
 * Reads a file with which a server says that it is there; undefined when the file does not exist. Throws
 * INVALID_CONFIGURATION when another user owns the directory or wrote the file.
 */
export function readPlaceText(dataDirectory: string, name: string): string | undefined {
  const file = join(dataDirectory, name);
  try {
    const { text, ...not } = readOwnFile(file);
    if (text !== undefined || !('foreign' in not)) return text;
    throw unusable(dataDirectory, `${file} is not used: ${not.foreign}. Call its server with --url, remove the file`);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw code === 'EACCES' || code === 'EPERM'
      ? unusable(
          dataDirectory,
          `${file} cannot be read (${code}). Its server belongs to another user: call it with --url`,
          cause,
        )
      : cause;
  }
}

/** Returns the id of the owner of such a file; undefined when the file does not exist. */
export const ownerOfPlaceText = (dataDirectory: string, name: string): number | undefined =>
  lstatSync(join(dataDirectory, name), { throwIfNoEntry: false })?.uid;

/** A pid below one means a group of processes, or all of them, to the operating system. */
export const isOneProcess = (pid: unknown): boolean =>
  Number.isInteger(pid) && Number(pid) > 0 && Number(pid) < 2 ** 31;

const unusable = (dataDirectory: string, why: string, cause?: unknown): BrokerError =>
  new BrokerError(
    'INVALID_CONFIGURATION',
    `The data directory ${dataDirectory} cannot be used: ${why}, or set MUSTER_DATA_DIR to another directory.`,
    {},
    { cause },
  );
