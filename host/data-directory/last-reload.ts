import { join } from 'node:path';
import { readOwnFile, replaceOwnFile } from './own-file.ts';

/** What came of the last time that a server read its configuration again: `server.reload.json` of the data directory. */
export interface LastReload {
  readonly pid: number;
  /** When the server began to read, in epoch milliseconds. */
  readonly began_at: number;
  /** The parts of the configuration that changed, and take effect now. */
  readonly applied: readonly string[];
  /** The parts that differ from those with which the server runs, and take effect with a restart. */
  readonly needs_restart: readonly string[];
  /** Why the server keeps the configuration that it has: the configuration cannot be used. */
  readonly error?: string;
}

const fileOf = (dataDirectory: string): string => join(dataDirectory, 'server.reload.json');

/** Undefined when no server of the data directory read its configuration again, or another user wrote the file. */
export function readLastReload(dataDirectory: string): LastReload | undefined {
  try {
    const reload = JSON.parse(readOwnFile(fileOf(dataDirectory)).text ?? '') as LastReload;
    return Array.isArray(reload.applied) && typeof reload.began_at === 'number' ? reload : undefined;
  } catch {
    return undefined;
  }
}

export const writeLastReload = (dataDirectory: string, reload: LastReload): void =>
  replaceOwnFile(fileOf(dataDirectory), reload);
