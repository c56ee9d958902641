import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BrokerError } from '../core/errors.ts';
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
 * directory is another user's.
 */
export function readServerPlace(dataDirectory: string): ServerPlace | undefined {
  try {
    const place = JSON.parse(readFileSync(fileOf(dataDirectory), 'utf8')) as ServerPlace;
    return Number.isInteger(place.pid) && Number.isInteger(place.port) ? place : undefined;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') return undefined;
    const message = `The data directory ${dataDirectory} cannot be used: ${fileOf(dataDirectory)} may not be read (${code}). Its server is another user's: ask it by --url, or set MUSTER_DATA_DIR to another directory.`;
    throw new BrokerError('INVALID_CONFIGURATION', message, {}, { cause });
  }
}

export function writeServerPlace(dataDirectory: string, place: ServerPlace): void {
  // A file that is already there keeps its mode, so it goes first.
  rmSync(fileOf(dataDirectory), { force: true });
  writeFileSync(fileOf(dataDirectory), `${JSON.stringify(place)}\n`, { mode: 0o600 });
}

export function removeServerPlace(dataDirectory: string): void {
  rmSync(fileOf(dataDirectory), { force: true });
}
