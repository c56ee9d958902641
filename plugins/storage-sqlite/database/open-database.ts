import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { BrokerError } from '../../../core/index.ts';
import { isBusy, resultCode, room, said, sqlite, text } from './failures.ts';
import { damagedAtStart } from './startup-probe.ts';
import { retryWhileBusy } from './busy-retry.ts';
import { schemaVersion } from './schema-version.ts';

export interface Opened {
  readonly database: DatabaseSync;
  /** Real and absolute: the same for everyone who has this file open. */
  readonly path: string;
}

/**
 * Opens the file, made when missing, in WAL mode with full durability. Rejects, and leaves the file as it is, when it
 * is not muster's, is damaged, or is of a newer version. /
 */
export async function openDatabase(given: string, wait: number): Promise<Opened> {
  const { DatabaseSync } = await import('node:sqlite');
  const wanted = resolve(given);
  refuseOddPaths(given, wanted);
  const fresh = makeRoom(wanted);
  if (!fresh) await refuseEmpty(wanted, DatabaseSync);
  let database: DatabaseSync | undefined;
  try {
    if (fresh) makeFile(wanted);
    database = new DatabaseSync(wanted, { timeout: 0 });
    const opened = { database, path: realpathSync(wanted) };
    await retryWhileBusy(() => schemaVersion(opened), wait);
    await retryWhileBusy(() => configure(opened), wait);
    // One that was opened for reading alone stays so, whatever becomes of the rights.
    await retryWhileBusy(() => tryToWrite(opened), wait);
    return opened;
  } catch (error) {
    database?.close();
    throw explain(error, wanted);
  }
}

function refuseOddPaths(given: string, path: string): void {
  if (given === ':memory:' || given.startsWith('file:')) {
    throw invalid(
      `'storage.path' must be a file, not '${given}'. For a broker that keeps nothing, choose storage type 'memory'.`,
    );
  }
  // Looked at in this order: another process that makes the file at this moment writes it before its -wal.
  const log = sizeOf(`${path}-wal`);
  if (log && !sizeOf(path)) {
    throw new BrokerError(
      'UNAVAILABLE',
      `The database ${path} is missing or empty, but ${path}-wal beside it holds data of it. Put the database back, or move the -wal and -shm files away to begin empty.`,
    );
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    throw invalid(
      `The database ${path} cannot be looked at: ${text(error)}. Change 'storage.path' or the rights on its directory.`,
      error,
    );
  }
}

/** A process that makes the file at this moment has written its beginning after milliseconds. */
const makingMs = 1_000;

/**
 * A file without anything in it is no new database: a restore failed, or a program emptied it. The same holds for one
 * that was in use, is copied without its log, and so holds nothing but its first page. /
 */
async function refuseEmpty(path: string, Database: typeof DatabaseSync): Promise<void> {
  const end = performance.now() + makingMs;
  while (isHollow(path, Database)) {
    if (performance.now() > end) {
      const why =
        sizeOf(path) === 0
          ? 'is empty (0 bytes)'
          : `has no tables, and ${path}-wal, which holds what was written, is not beside it`;
      throw new BrokerError(
        'UNAVAILABLE',
        `The database ${path} ${why}. Put the missing file or a backup in its place; to begin without any requests, remove it.`,
      );
    }
    await after(10);
  }
}

function isHollow(path: string, Database: typeof DatabaseSync): boolean {
  const size = sizeOf(path);
  return size === 0 || (size === pageSize && sizeOf(`${path}-wal`) === 0 && isBlank(path, Database));
}

const pageSize = 4096;

/**
 * Whether it was in use, with a write-ahead log, and has no tables. Asked of SQLite: to open and close the file
 * otherwise would drop its locks.
 */
function isBlank(path: string, Database: typeof DatabaseSync): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    const mode = database.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
    return mode === 'wal' && database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n'] === 0;
  } catch {
    // What is wrong with it is found again, and said, when it is opened.
    return false;
  } finally {
    database?.close();
  }
}

/** Makes the directory; says whether the file is still to be made. */
function makeRoom(path: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw invalid(
      `The directory of the database ${path} cannot be made: ${text(error)}. Change 'storage.path' or the rights.`,
      error,
    );
  }
  return !existsSync(path);
}

/** SQLite would make the file with the rights of the umask; its companions -wal and -shm take the file's own. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite meets the same, and what it says of it is explained.
  }
}

function configure({ database, path }: Opened): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode !== 'wal') {
    throw invalid(`The file system of ${path} does not allow a write-ahead log. Put the database on a local disk.`);
  }
  // The length limit keeps one huge group from leaving a huge -wal behind.
  database.exec(
    'PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864;',
  );
}

function tryToWrite({ database }: Opened): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    // A lock alone is given to readers too.
    database.exec('PRAGMA user_version = 0');
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

const invalid = (message: string, cause?: unknown) => new BrokerError('INVALID_CONFIGURATION', message, {}, { cause });

function explain(error: unknown, path: string): unknown {
  if (isBusy(error)) {
    return new BrokerError(
      'UNAVAILABLE',
      `The database ${path} is kept locked by another process. End that process or try again.`,
      {},
      { cause: error },
    );
  }
  switch (resultCode(error)) {
    case undefined:
      return error;
    case sqlite.notADatabase:
      return invalid(
        `${path} is not a SQLite database, or its beginning is damaged. It was left as it is: change 'storage.path', or restore it from a backup.`,
        error,
      );
    case sqlite.corrupt:
      return new BrokerError('UNAVAILABLE', damagedAtStart(path, error), {}, { cause: error });
    case sqlite.readOnly:
      return new BrokerError(
        'UNAVAILABLE',
        `The database ${path} is read-only (${text(error)}). Make the file, its directory and the file system writable, then start again.`,
        {},
        { cause: error },
      );
    case sqlite.cantOpen:
      return invalid(
        `The database ${path} cannot be opened: ${text(error)}. Change 'storage.path' or the rights on the file and its directory.`,
        error,
      );
    default:
      return new BrokerError(
        'UNAVAILABLE',
        `The database ${path} cannot be opened: ${said(error)}${room(path)}. See to the disk and the rights on the file.`,
        {},
        { cause: error },
      );
  }
}
