import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { BrokerError } from '../../../core/index.ts';
import { partialsOf } from '../upkeep/partial-file.ts';
import { isBusy, resultCode, freeSpace, sqliteMessage, sqlite, text } from './failures.ts';
import { damagedAtStart } from './startup-probe.ts';
import { retryWhileBusy } from './busy-retry.ts';
import { schemaVersion } from './schema-version.ts';

export interface Opened {
  readonly database: DatabaseSync;
  /** The real absolute path: the same in every process that has this file open. */
  readonly path: string;
}

/**
 * Opens the file in WAL mode with full durability, and creates a missing one. Rejects, and leaves the file unchanged,
 * when it belongs to another program, is damaged or has a newer version. Rejects, and creates none, when an incomplete
 * copy to a missing file is beside it.
 */
export async function openDatabase(given: string, wait: number): Promise<Opened> {
  const { DatabaseSync } = await import('node:sqlite');
  const wanted = resolve(given);
  refuseOddPaths(given, wanted);
  const fresh = makeDirectory(wanted);
  if (fresh) refuseIncomplete(wanted);
  else await refuseEmpty(wanted, DatabaseSync);
  let database: DatabaseSync | undefined;
  try {
    if (fresh) makeFile(wanted);
    database = new DatabaseSync(wanted, { timeout: 0 });
    const opened = { database, path: realpathSync(wanted) };
    await retryWhileBusy(() => schemaVersion(opened), wait);
    await retryWhileBusy(() => configure(opened), wait);
    // A connection that was opened read-only stays so, even after the rights change.
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
      `'storage.path' must be a file, not '${given}'. For a broker without stored data, choose storage type 'memory'.`,
    );
  }
  // In this order: another process that is creating the file writes it before its -wal.
  const log = sizeOf(`${path}-wal`);
  if (log && !sizeOf(path)) {
    throw new BrokerError(
      'UNAVAILABLE',
      `The database ${path} is missing or empty, but ${path}-wal beside it contains its data. Put the database back, or move the -wal and -shm files away to begin empty.`,
    );
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    throw invalid(
      `The database ${path} cannot be accessed: ${text(error)}. Change 'storage.path' or the rights on its directory.`,
      error,
    );
  }
}

/** The longest time between the creation of the file by another process and its first page. */
const creationMs = 1_000;

/**
 * Refuses an empty file: it is no new database, but a failed restore or a file that a program emptied. The same holds
 * for a used database that was copied without its log and so contains only its first page.
 */
async function refuseEmpty(path: string, Database: typeof DatabaseSync): Promise<void> {
  const end = performance.now() + creationMs;
  while (isEmpty(path, Database)) {
    if (performance.now() > end) {
      const why =
        sizeOf(path) === 0
          ? 'is empty (0 bytes)'
          : `has no tables, and ${path}-wal, which contains its data, is not beside it`;
      throw new BrokerError(
        'UNAVAILABLE',
        `The database ${path} ${why}. Put the missing file or a backup in its place; to begin without any requests, remove it.`,
      );
    }
    await after(10);
  }
}

function isEmpty(path: string, Database: typeof DatabaseSync): boolean {
  const size = sizeOf(path);
  return size === 0 || (size === pageSize && sizeOf(`${path}-wal`) === 0 && isWithoutTables(path, Database));
}

const pageSize = 4096;

/**
 * Whether a database was used with a write-ahead log and has no tables. SQLite itself reads the file: opening and
 * closing it in another way would drop its locks.
 */
function isWithoutTables(path: string, Database: typeof DatabaseSync): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    const mode = database.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
    return mode === 'wal' && database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n'] === 0;
  } catch {
    // Opening the database finds the same failure and reports it.
    return false;
  } finally {
    database?.close();
  }
}

/** Creates the directory. Returns whether the file has to be created. */
function makeDirectory(path: string): boolean {
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

/** Refuses to begin empty where a copy to the file is under way, or was ended before it was complete. */
function refuseIncomplete(path: string): void {
  const [partial] = partialsIn(path);
  // A copy that was completed meanwhile has given the file its name.
  if (partial === undefined || existsSync(path)) return;
  throw invalid(
    `The database ${path} does not exist yet: beside it is ${partial}, a copy to it that is under way or was interrupted. Wait until the copy ends, or repeat \`muster storage copy\`, \`restore\` or \`backup\`, whichever was interrupted. To begin with an empty storage, remove ${path}.partial-*.`,
  );
}

function partialsIn(path: string): readonly string[] {
  try {
    return partialsOf(path)
      .map((each) => each.path)
      .toSorted();
  } catch {
    // A directory whose files cannot be listed may be one in which files can be created.
    return [];
  }
}

/**
 * Creates the file with owner-only rights, where SQLite would use the umask; -wal and -shm get the rights of the file.
 */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite fails in the same way, and that failure is explained.
  }
}

function configure({ database, path }: Opened): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode !== 'wal') {
    throw invalid(`The file system of ${path} does not allow a write-ahead log. Put the database on a local disk.`);
  }
  // The size limit prevents that one huge group leaves a huge -wal behind.
  database.exec(
    'PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864;',
  );
}

function tryToWrite({ database }: Opened): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    // The lock alone does not prove the right to write: readers get it too.
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
      `The database ${path} is locked by another process. End that process or try again.`,
      {},
      { cause: error },
    );
  }
  switch (resultCode(error)) {
    case undefined:
      return error;
    case sqlite.notADatabase:
      return invalid(
        `${path} is not a SQLite database, or its beginning is damaged. It was not changed: change 'storage.path', or restore it from a backup.`,
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
        `The database ${path} cannot be opened: ${sqliteMessage(error)}${freeSpace(path)}. Check the disk and the rights on the file.`,
        {},
        { cause: error },
      );
  }
}
