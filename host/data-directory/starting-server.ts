import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceOwnFile } from './own-file.ts';
import { isOneProcess, readPlaceText } from './place-text.ts';
import type { StartRecord } from './start-record.ts';

/** A server that holds its data directory and does not answer yet: `<data>/server.starting.json`. */
export interface StartingServer {
  readonly pid: number;
  readonly started_at: string;
  readonly version: string;
  /** How the server was started. Absent: another program than the command line started it. */
  readonly start?: StartRecord;
  /** Why the start waits. Absent: it goes on. */
  readonly waits_for?: string;
}

/** The file of a server that starts. It goes when the server answers, and says nothing when its process has ended. */
export const startingFile = 'server.starting.json';

/**
 * Reads what a server wrote that had not started yet; undefined when there is none. The process may have died since.
 * Throws INVALID_CONFIGURATION when another user owns the directory or wrote the file.
 */
export function readStartingServer(dataDirectory: string): StartingServer | undefined {
  const text = readPlaceText(dataDirectory, startingFile);
  if (text === undefined) return undefined;
  try {
    const starting = JSON.parse(text) as StartingServer;
    return isOneProcess(starting.pid) ? starting : undefined;
  } catch {
    return undefined;
  }
}

export const writeStartingServer = (dataDirectory: string, starting: StartingServer): void =>
  replaceOwnFile(join(dataDirectory, startingFile), starting);

export const removeStartingServer = (dataDirectory: string): void =>
  rmSync(join(dataDirectory, startingFile), { force: true });

/** Says to who wants to start a server that this one has the data directory. */
export function startingSentence({ pid, waits_for }: StartingServer, dataDirectory: string): string {
  const state =
    waits_for === undefined
      ? `starts on the data directory ${dataDirectory}.`
      : `waits with its start on the data directory ${dataDirectory}: ${waits_for}`;
  return `Another server (pid ${pid}) ${state} \`muster server stop\` ends it.`;
}
