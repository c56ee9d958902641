import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BrokerError } from '../core/errors.ts';
import { readServerPlace } from './server-place.ts';

/** Makes the data directory, readable by the owner alone. One that exists keeps its mode: it may be anybody's. */
export function makeDataDirectory(directory: string): void {
  if (existsSync(directory)) return;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new BrokerError(
      'INVALID_CONFIGURATION',
      `The data directory ${directory} cannot be made (${code}). Set MUSTER_DATA_DIR to another place.`,
      {},
      { cause },
    );
  }
}

/**
 * Takes the data directory for this process; CONFLICT when another server has it. The lock is SQLite's on a file of its own, so the
 * system frees it with the process, however that ends.
 */
export function lockDataDirectory(directory: string): Disposable {
  const file = join(directory, 'server.lock');
  let database: DatabaseSync | undefined;
  try {
    closeSync(openSync(file, 'a', 0o600));
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    database?.close();
    if ((cause as { errcode?: number }).errcode === busy) throw new BrokerError('CONFLICT', taken(directory));
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BrokerError('INVALID_CONFIGURATION', `The data directory ${directory} cannot be used: ${reason}.`, {}, { cause });
  }
  const held = database;
  return { [Symbol.dispose]: () => held.close() };
}

const busy = 5;

function taken(directory: string): string {
  const place = readServerPlace(directory);
  const which = place ? ` (pid ${place.pid}, http://${place.host}:${place.port})` : '';
  return `Another server${which} runs on the data directory ${directory}. Stop it, or set MUSTER_DATA_DIR to another directory.`;
}
