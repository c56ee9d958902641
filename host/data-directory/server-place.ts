import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOneProcess, readPlaceText } from './place-text.ts';
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

/** The file of a server that answers. */
export const placeFile = 'server.json';

const fileOf = (dataDirectory: string): string => join(dataDirectory, placeFile);

/**
 * Reads what the last server wrote; undefined when it stopped cleanly or no server ever ran. The process may have died
 * since. Throws INVALID_CONFIGURATION when another user owns the directory or wrote the file.
 */
export function readServerPlace(dataDirectory: string): ServerPlace | undefined {
  const text = readPlaceText(dataDirectory, placeFile);
  if (text === undefined) return undefined;
  try {
    const place = JSON.parse(text) as ServerPlace;
    return isOneProcess(place.pid) && Number.isInteger(place.port) ? place : undefined;
  } catch {
    return undefined;
  }
}

export function writeServerPlace(dataDirectory: string, place: ServerPlace): void {
  // An existing file would keep its mode, and a link would redirect the write: remove it first.
  rmSync(fileOf(dataDirectory), { force: true });
  writeFileSync(fileOf(dataDirectory), `${JSON.stringify(place)}\n`, { mode: 0o600, flag: 'wx' });
}

export function removeServerPlace(dataDirectory: string): void {
  rmSync(fileOf(dataDirectory), { force: true });
}
