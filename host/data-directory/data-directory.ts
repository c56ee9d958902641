import { closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';
import { readServerPlace } from './server-place.ts';
import { readStartingServer, startingSentence } from './starting-server.ts';

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;

/**
 * Creates the data directory with mode 0700. Idempotent: an existing directory keeps its mode, since other programs
 * may use it. Throws INVALID_CONFIGURATION when the directory cannot be created.
 */
export function makeDataDirectory(directory: string): void {
  if (existsSync(directory)) return;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new BrokerError(
      'INVALID_CONFIGURATION',
      `The data directory ${directory} cannot be created (${code}). Set MUSTER_DATA_DIR to another place.`,
      {},
      { cause },
    );
  }
}

/** Logs a warning when other users can replace files in the data directory, which holds the store and the socket. */
export function warnOfOtherWriters(directory: string, log: Log): void {
  const { mode, uid } = statSync(directory);
  const me = process.getuid?.() ?? uid;
  if (uid !== me && uid !== 0) {
    const message = `The data directory ${directory} belongs to the user with id ${uid}, who can replace the store. Change its owner to the user that runs the broker (id ${me}).`;
    log.warn({ directory }, message);
  }
  if ((mode & 0o022) === 0) return;
  const message = `The data directory ${directory} can be written by others (mode ${(mode & 0o777).toString(8)}): they can replace the store. Remove that permission with chmod go-w.`;
  log.warn({ directory }, message);
}

/** Milliseconds to wait for the lock: `isTaken` of another process holds it for less time. */
const probeMs = 200;

/**
 * Locks the data directory for this process until the result is disposed. Throws CONFLICT when another server holds
 * the lock.
 */
export function lockDataDirectory(directory: string): Disposable {
  const held = lock(directory, 'server.lock', probeMs);
  if (held) return held;
  throw new BrokerError('CONFLICT', taken(directory));
}

/** Whether a server process holds the lock of the data directory. */
export function isTaken(directory: string): boolean {
  const held = lock(directory, 'server.lock', 0);
  held?.[Symbol.dispose]();
  return held === undefined;
}

/**
 * Takes the lock to start a server on a data directory; undefined while another process holds it. Dispose the result
 * to release it.
 */
export const lockStart = (directory: string): Disposable | undefined => lock(directory, 'start.lock', 0);

/**
 * Takes an exclusive SQLite lock on a file of its own. The operating system releases it when the process ends in any
 * way. Returns undefined when another process holds it for `timeout_ms`.
 */
function lock(directory: string, name: string, timeout_ms: number): Disposable | undefined {
  const file = join(directory, name);
  let database: DatabaseSync | undefined;
  try {
    closeSync(openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600));
    database = new DatabaseSync(file, { timeout: timeout_ms });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    database?.close();
    if ((cause as { errcode?: number }).errcode === busy) return undefined;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The data directory ${directory} cannot be used: ${reason}. Change the permissions, or set MUSTER_DATA_DIR to another directory.`;
    throw new BrokerError('INVALID_CONFIGURATION', message, {}, { cause });
  }
  const held = database;
  return { [Symbol.dispose]: () => held.close() };
}

/** SQLITE_BUSY: another connection holds the lock. */
const busy = 5;

function taken(directory: string): string {
  const place = readServerPlace(directory);
  // The one who has the lock has removed what others left.
  const starting = place ? undefined : readStartingServer(directory);
  if (starting) return startingSentence(starting, directory);
  const which = place ? ` (pid ${place.pid}, http://${place.host}:${place.port})` : '';
  return `Another server${which} runs on the data directory ${directory}. Stop it, or set MUSTER_DATA_DIR to another directory.`;
}
