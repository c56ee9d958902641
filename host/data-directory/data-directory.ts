import { closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';
import { readServerPlace } from './server-place.ts';

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;

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

/** Says so when others than this user may put files of their own where the store and the socket are. */
export function warnOfOtherWriters(directory: string, log: Log): void {
  const { mode, uid } = statSync(directory);
  const me = process.getuid?.() ?? uid;
  if (uid !== me && uid !== 0) {
    const message = `The data directory ${directory} belongs to the user with id ${uid}, who could replace the store. Give it to the user that runs the broker (id ${me}).`;
    log.warn({ directory }, message);
  }
  if ((mode & 0o022) === 0) return;
  const message = `The data directory ${directory} can be written by others (mode ${(mode & 0o777).toString(8)}): they could replace the store. Take that away with chmod go-w.`;
  log.warn({ directory }, message);
}

/** Who only looks whether the directory is taken holds it for less than this. */
const lookMs = 200;

/** Takes the data directory for this process; CONFLICT when another server has it. */
export function lockDataDirectory(directory: string): Disposable {
  const held = lock(directory, 'server.lock', lookMs);
  if (held) return held;
  throw new BrokerError('CONFLICT', taken(directory));
}

/** Whether a process has the data directory for itself. */
export function isTaken(directory: string): boolean {
  const held = lock(directory, 'server.lock', 0);
  held?.[Symbol.dispose]();
  return held === undefined;
}

/** The turn to start a server on a data directory; undefined while another process has it. */
export const takeTurn = (directory: string): Disposable | undefined => lock(directory, 'start.lock', 0);

/** A lock of SQLite's on a file of its own: the system frees it with the process, however that ends. Undefined when another has it for so long. */
function lock(directory: string, name: string, patience_ms: number): Disposable | undefined {
  const file = join(directory, name);
  let database: DatabaseSync | undefined;
  try {
    closeSync(openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600));
    database = new DatabaseSync(file, { timeout: patience_ms });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    database?.close();
    if ((cause as { errcode?: number }).errcode === busy) return undefined;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The data directory ${directory} cannot be used: ${reason}. Change the rights, or set MUSTER_DATA_DIR to another directory.`;
    throw new BrokerError('INVALID_CONFIGURATION', message, {}, { cause });
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
