import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BrokerError, type StorageCopy } from '../../../core/index.ts';
import { checkDatabase, logSize, openToRead, tidyUp } from './check-database.ts';
import { isOfTheDatabase, refusal, text } from '../database/failures.ts';
import { schemaVersion } from '../database/schema-version.ts';
import { retryWhileBusy } from '../database/busy-retry.ts';
import { makePartial, putInPlace, removePartial, sync, targetExists } from './partial-file.ts';

/** All pages in one step: between two steps, a commit of another process makes SQLite start again. */
const allPages = 2 ** 30;

/**
 * Copies a database at one moment into one file without a log, while other processes use it. The copy gets its name
 * when it is complete, checked and durable; until then it is named `….partial-PID`.
 */
export async function backupDatabase(
  source: string,
  to: string,
  replace: boolean,
  maxWaitMs: number,
): Promise<StorageCopy> {
  const file = resolve(to);
  refuseTarget(file, source, replace);
  const partial = makePartial(file);
  try {
    const began = performance.now();
    await copy(source, partial, maxWaitMs);
    const took_ms = Math.round(performance.now() - began);
    const { path: _, ...check } = await checkDatabase(partial, maxWaitMs);
    sync(partial);
    if (check.valid) putInPlace(partial, file, replace);
    return { file, size_bytes: check.size_bytes, took_ms, check: { path: file, ...check } };
  } catch (error) {
    if (!isOfTheDatabase(error) && !isSystem(error)) throw error;
    throw new BrokerError(
      'UNAVAILABLE',
      `No copy was created in ${file}: ${text(error)}. No file was changed.`,
      {},
      { cause: error },
    );
  } finally {
    removePartial(partial);
  }
}

const isSystem = (error: unknown): boolean => typeof (error as NodeJS.ErrnoException).syscall === 'string';

function refuseTarget(file: string, source: string, replace: boolean): void {
  const present = statSync(file, { throwIfNoEntry: false });
  if (!existsSync(source)) throw new BrokerError('FILE_NOT_FOUND', `There is no database ${source}.`);
  if (
    present &&
    [source, `${source}-wal`, `${source}-shm`].some(
      (own) => existsSync(own) && realpathSync(own) === realpathSync(file),
    )
  )
    throw new BrokerError(
      'INVALID_REQUEST',
      `${file} is the database itself. Copy it to another place, best on another disk.`,
    );
  if (present && !present.isFile()) throw new BrokerError('INVALID_REQUEST', `${file} is not a file. Name a file.`);
  if (present && !replace) throw targetExists(file);
  if (!existsSync(dirname(file)))
    throw new BrokerError(
      'FILE_NOT_FOUND',
      `There is no directory ${dirname(file)}. Create it, or choose another place.`,
    );
}

async function copy(source: string, partial: string, maxWaitMs: number): Promise<void> {
  const { backup, DatabaseSync } = await import('node:sqlite');
  const log_bytes = logSize(source) ?? 0;
  const database = await openToRead(source);
  try {
    const version = await retryWhileBusy(() => schemaVersion({ database, path: source }), maxWaitMs).catch(
      (error: unknown) => {
        throw refusal(error, source);
      },
    );
    if (version === 0)
      throw new BrokerError('INVALID_REQUEST', `${source} has no tables of muster. Name a database of muster.`);
    await backup(database, partial, { rate: allPages });
  } finally {
    database.close();
    await tidyUp(source, log_bytes);
  }
  // One file that can be read from any medium; muster turns the log on again when it opens the file.
  const copied = new DatabaseSync(partial);
  copied.exec('PRAGMA journal_mode = DELETE');
  copied.close();
}
