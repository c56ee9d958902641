import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  BrokerError,
  brokerStates,
  isBrokerError,
  quoted,
  shapes,
  type BrokerRecord,
  type StorageCheck,
  type StorageSnapshot,
  type TransferEnd,
  type TransferMark,
  type TransferState,
} from '../../../core/index.ts';
import { retryWhileBusy } from '../database/busy-retry.ts';
import { isDamage, refusal } from '../database/failures.ts';
import { schemaVersion } from '../database/schema-version.ts';
import { newest } from '../migrations/index.ts';
import { checkDatabase, logSize, openToRead, tidyUp } from '../upkeep/check-database.ts';
import { makePartial, putInPlace, removePartial, sync } from '../upkeep/partial-file.ts';
import { keepUnder, moveAside, replacedName } from './set-aside.ts';
import { FileSnapshot } from './file-snapshot.ts';
import { mark, markDone, marksOf, unmark } from './marks.ts';
import { writeSnapshot } from './write-snapshot.ts';

type Given = Pick<TransferMark, 'copy_id' | 'place'>;

/** A database file as the source or the target of a copy. */
export class FileEnd implements TransferEnd {
  readonly place: string;
  readonly #wait: number;

  constructor(path: string, wait: number) {
    this.place = existsSync(path) ? realpathSync(path) : resolve(path);
    this.#wait = wait;
  }

  async state(): Promise<TransferState> {
    const nothing = { exists: false, records: 0, brokers: [] };
    if (!existsSync(this.place)) return nothing;
    if (!statSync(this.place).isFile()) throw new BrokerError('INVALID_REQUEST', `${this.place} is no file.`);
    return this.#reading((database, version) => {
      if (version === 0) return nothing;
      const marks = marksOf(database);
      if (version < newest) throw this.#outdated(version);
      const counts = Object.values(shapes).map(
        ({ kind }) => database.prepare(`SELECT count(*) AS n FROM ${quoted(kind)}`).get()?.['n'] as number,
      );
      return { exists: true, records: counts.reduce((sum, n) => sum + n, 0), ...marks, brokers: brokersIn(database) };
    });
  }

  async unreadable(): Promise<string | undefined> {
    try {
      await this.state();
      return undefined;
    } catch (error) {
      if (isReplaceable(error)) return (error as Error).message;
      throw error;
    }
  }

  async snapshot(): Promise<StorageSnapshot> {
    return this.#explained(async () => {
      const database = await openToRead(this.place);
      try {
        const version = await retryWhileBusy(() => schemaVersion({ database, path: this.place }), this.#wait);
        if (version !== newest) throw this.#outdated(version);
        return await retryWhileBusy(() => new FileSnapshot(database), this.#wait);
      } catch (error) {
        database.close();
        throw error;
      }
    });
  }

  fence(given: Given): Promise<void> {
    return this.#writing((database) => {
      if (marksOf(database).to?.copy_id !== given.copy_id) mark(database, 'to', given);
    });
  }

  unfence(copy_id?: string): Promise<void> {
    return this.#writing((database) => unmark(database, copy_id));
  }

  moved(copy_id: string): Promise<void> {
    return this.#writing((database) => markDone(database, 'to', copy_id));
  }

  complete(copy_id: string): Promise<void> {
    return this.#writing((database) => markDone(database, 'from', copy_id));
  }

  async receive(snapshot: StorageSnapshot, given: Given | undefined, replace: boolean): Promise<StorageCheck> {
    const path = this.place;
    if (!existsSync(dirname(path)))
      throw new BrokerError(
        'FILE_NOT_FOUND',
        `There is no directory ${dirname(path)}. Create it, or choose another place.`,
      );
    const present = await this.#usable(given, replace);
    const replaces = replace || (present?.exists === true && present.records === 0);
    const partial = makePartial(path);
    try {
      return await this.#explained(async () => {
        const { DatabaseSync: Database } = await import('node:sqlite');
        const database = new Database(partial);
        try {
          await writeSnapshot(database, snapshot, given);
        } finally {
          database.close();
        }
        const check = await checkDatabase(partial, this.#wait);
        sync(partial);
        if (check.valid) {
          if (await this.#usable(given, replace)) await this.#keep(replaces, given !== undefined);
          else moveAside(path);
          putInPlace(partial, path, replaces);
        }
        return { ...check, path };
      });
    } finally {
      removePartial(partial);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /**
   * Refuses a file that came into use: another run of the same copy may have come further meanwhile. Undefined for a
   * file that cannot be read and is to be replaced.
   */
  async #usable(given: Given | undefined, replace: boolean): Promise<TransferState | undefined> {
    const present = await this.state().catch((error: unknown) => {
      if (replace && isReplaceable(error)) return undefined;
      throw error;
    });
    const isLive = present?.brokers.some(({ status }) => status !== 'dead');
    if (given && (isLive || present?.from?.copy_id === given.copy_id))
      throw new BrokerError('CONFLICT', `${this.place} came into use meanwhile. Nothing was changed there.`);
    return present;
  }

  /**
   * Makes a file ready to be replaced: a kill at any point leaves the old or the new one under its name.
   * `keeps`: the present one also gets another name, unless it is an incomplete copy.
   */
  async #keep(replaces: boolean, keeps: boolean): Promise<void> {
    const path = this.place;
    if (!existsSync(path)) {
      // A log without its file would be read as part of the new one.
      if (replaces) moveAside(path);
      else if (logSize(path) !== undefined) throw strayLog(path);
      return;
    }
    if (!replaces) return;
    // Nothing of it stays in its log.
    const { DatabaseSync: Database } = await import('node:sqlite');
    const database = new Database(path, { timeout: this.#wait });
    let isKept = keeps;
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      isKept &&= marksOf(database).from?.done !== false;
    } catch (error) {
      if (!isDamage(error)) throw error;
      moveAside(path);
      return;
    } finally {
      database.close();
    }
    if (logSize(path) !== undefined)
      throw new BrokerError('CONFLICT', `Another process has ${path} open. End it, then repeat.`);
    if (isKept) keepUnder(path, replacedName(path));
  }

  #reading<T>(read: (database: DatabaseSync, version: number) => T): Promise<T> {
    return this.#explained(async () => {
      const log_bytes = logSize(this.place) ?? 0;
      const database = await openToRead(this.place);
      try {
        return await retryWhileBusy(() => read(database, schemaVersion({ database, path: this.place })), this.#wait);
      } finally {
        database.close();
        await tidyUp(this.place, log_bytes);
      }
    });
  }

  #writing(write: (database: DatabaseSync) => void): Promise<void> {
    return this.#explained(async () => {
      const { DatabaseSync: Database } = await import('node:sqlite');
      const database = new Database(this.place, { timeout: 0 });
      try {
        database.exec('PRAGMA synchronous = FULL');
        await retryWhileBusy(() => database.exec('BEGIN IMMEDIATE'), this.#wait);
        if (schemaVersion({ database, path: this.place }) !== newest) throw this.#outdated(0);
        write(database);
        database.exec('COMMIT');
      } finally {
        if (database.isTransaction) database.exec('ROLLBACK');
        database.close();
      }
    });
  }

  async #explained<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (isBrokerError(error) || typeof (error as NodeJS.ErrnoException).syscall !== 'string')
        throw refusal(error, this.place);
      throw new BrokerError('UNAVAILABLE', `${this.place}: ${(error as Error).message}`, {}, { cause: error });
    }
  }

  #outdated(version: number): BrokerError {
    return new BrokerError(
      'INVALID_CONFIGURATION',
      `The tables of the database ${this.place} have version ${version}, a copy needs ${newest}. Run \`muster storage migrate\` first.`,
      { schema_version: version },
    );
  }
}

/** Whether a file that muster cannot read is one that a restore exists for: damaged, or of another version. */
const isReplaceable = (error: unknown): boolean =>
  isBrokerError(error) && (isDamage(error.cause) || error.details['schema_version'] !== undefined);

const strayLog = (path: string) =>
  new BrokerError(
    'CONFLICT',
    `The log of a database, ${path}-wal, is there without the database. Put the database back, or replace both with --replace.`,
  );

function brokersIn(database: DatabaseSync): TransferState['brokers'] {
  const rows = database.prepare('SELECT lease_until, ended_at, doc FROM broker ORDER BY term').all();
  const stored = rows.map(({ lease_until, ended_at, doc }) => ({
    record: JSON.parse(doc as string) as BrokerRecord,
    lease_until: lease_until as number,
    ended_at: ended_at as number | null,
    holds: 0,
  }));
  return brokerStates(stored, Date.now());
}
