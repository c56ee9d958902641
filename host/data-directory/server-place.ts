import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BrokerError } from '../../core/contract/errors.ts';
import { readOwnFile } from './own-file.ts';
import type { StartRecord } from './start-record.ts';

/** The address of the server of a data directory, for the command line and scripts: `<data>/server.json`. */
export interface ServerPlace {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  /** Null when the path would be too long for a socket. */
  readonly socket_path: string | null;
  readonly started_at: string;
  readonly version: string;
  /** How the server was started. Absent: another program than the command line started it. */
  readonly start?: StartRecord;
}

const fileOf = (dataDirectory: string): string => join(dataDirectory, 'server.json');

/**
 * Reads what the last server wrote; undefined when it stopped cleanly or no server ever ran. The process may have died
 * since. Throws INVALID_CONFIGURATION when another user owns the directory or wrote the file.
 */
export function readServerPlace(dataDirectory: string): ServerPlace | undefined {
  const text = readPlaceText(dataDirectory);
  if (text === undefined) return undefined;
  try {
    const place = JSON.parse(text) as ServerPlace;
    return isOneProcess(place.pid) && Number.isInteger(place.port) ? place : undefined;
  } catch {
    return undefined;
  }
}

/** A pid below one means a group of processes, or all of them, to the operating system. */
const isOneProcess = (pid: unknown): boolean => Number.isInteger(pid) && Number(pid) > 0 && Number(pid) < 2 ** 31;

function readPlaceText(dataDirectory: string): string | undefined {
  try {
    const { text, ...not } = readOwnFile(fileOf(dataDirectory));
    if (text !== undefined || !('foreign' in not)) return text;
    throw unusable(
      dataDirectory,
      `${fileOf(dataDirectory)} is not used: ${not.foreign}. Call its server with --url, remove the file`,
    );
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw code === 'EACCES' || code === 'EPERM'
      ? unusable(
          dataDirectory,
          `${fileOf(dataDirectory)} cannot be read (${code}). Its server belongs to another user: call it with --url`,
          cause,
        )
      : cause;
  }
}

const unusable = (dataDirectory: string, why: string, cause?: unknown): BrokerError =>
  new BrokerError(
    'INVALID_CONFIGURATION',
    `The data directory ${dataDirectory} cannot be used: ${why}, or set MUSTER_DATA_DIR to another directory.`,
    {},
    { cause },
  );

/** Returns the id of the owner of `server.json`; undefined when the file does not exist. */
export const ownerOfServerPlace = (dataDirectory: string): number | undefined =>
  lstatSync(fileOf(dataDirectory), { throwIfNoEntry: false })?.uid;

export function writeServerPlace(dataDirectory: string, place: ServerPlace): void {
  // An existing file would keep its mode, and a link would redirect the write: remove it first.
  rmSync(fileOf(dataDirectory), { force: true });
  writeFileSync(fileOf(dataDirectory), `${JSON.stringify(place)}\n`, { mode: 0o600, flag: 'wx' });
}

export function removeServerPlace(dataDirectory: string): void {
  rmSync(fileOf(dataDirectory), { force: true });
}
