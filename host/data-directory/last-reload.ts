import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOwnFile } from './own-file.ts';

/** What came of the last time that a server read its configuration again: `server.reload.json` of the data directory. */
export interface LastReload {
  readonly pid: number;
  /** When the server began to read, in epoch milliseconds. */
  readonly began_at: number;
  /** The parts of the configuration that changed, and take effect now. */
  readonly applied: readonly string[];
  /** The parts that differ from those with which the server runs, and take effect with a restart. */
  readonly needs_restart: readonly string[];
  /** Why nothing was changed: the configuration cannot be used. */
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

/** Replaces the file in one step, so that nobody reads a part of it. */
export function writeLastReload(dataDirectory: string, reload: LastReload): void {
  const temporary = `${fileOf(dataDirectory)}.${randomUUID()}`;
  writeFileSync(temporary, `${JSON.stringify(reload)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, fileOf(dataDirectory));
}
