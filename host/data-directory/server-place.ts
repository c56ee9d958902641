import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BrokerError } from '../../core/contract/errors.ts';
import { readOwnFile } from './own-file.ts';
import type { StartRecord } from './start-record.ts';

/** Where the server of a data directory is, for the command line and scripts: `<data>/server.json`. */
export interface ServerPlace {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  /** Null when the path would be too long for a socket. */
  readonly socket_path: string | null;
  readonly started_at: string;
  readonly version: string;
  /** How it was started. Absent: not by the command line. */
  readonly start?: StartRecord;
}

const fileOf = (dataDirectory: string): string => join(dataDirectory, 'server.json');

/**
 * What the last server wrote; undefined when it stopped cleanly, or none ever ran. Whether it lives is another question. INVALID_CONFIGURATION when the
 * directory is another user's, or another user wrote it.
 */
export function readServerPlace(dataDirectory: string): ServerPlace | undefined {
  const text = written(dataDirectory);
  if (text === undefined) return undefined;
  try {
    const place = JSON.parse(text) as ServerPlace;
    return isOneProcess(place.pid) && Number.isInteger(place.port) ? place : undefined;
  } catch {
    return undefined;
  }
}

/** To the system a number below one stands for a group of processes, or for all of them. */
const isOneProcess = (pid: unknown): boolean => Number.isInteger(pid) && Number(pid) > 0 && Number(pid) < 2 ** 31;

function written(dataDirectory: string): string | undefined {
  try {
    const { text, ...not } = readOwnFile(fileOf(dataDirectory));
    if (text !== undefined || !('foreign' in not)) return text;
    throw unusable(dataDirectory, `${fileOf(dataDirectory)} is not believed: ${not.foreign}. Ask its server by --url, remove the file`);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw code === 'EACCES' || code === 'EPERM'
      ? unusable(dataDirectory, `${fileOf(dataDirectory)} may not be read (${code}). Its server is another user's: ask it by --url`, cause)
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

/** The id of the user who wrote where the server is; undefined where nobody did. */
export const ownerOfServerPlace = (dataDirectory: string): number | undefined =>
  lstatSync(fileOf(dataDirectory), { throwIfNoEntry: false })?.uid;

export function writeServerPlace(dataDirectory: string, place: ServerPlace): void {
  // A file that is already there keeps its mode, and a link leads elsewhere, so it goes first.
  rmSync(fileOf(dataDirectory), { force: true });
  writeFileSync(fileOf(dataDirectory), `${JSON.stringify(place)}\n`, { mode: 0o600, flag: 'wx' });
}

export function removeServerPlace(dataDirectory: string): void {
  rmSync(fileOf(dataDirectory), { force: true });
}
