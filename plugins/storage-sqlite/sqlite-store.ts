import type { StatementSync } from 'node:sqlite';
import type {
  BrokerError,
  BrokerRecord,
  BrokerState,
  BudgetScope,
  Change,
  Claim,
  Held,
  JobLease,
  Kind,
  KeyOf,
  Query,
  Records,
  Renewal,
  Reserved,
  StorageContext,
  Store,
} from '../../core/index.ts';
import { ChangeFeed } from './commits/change-feed.ts';
import { ChangeWriter } from './commits/change-writer.ts';
import { Claims } from './commits/claims.ts';
import { Budgets } from './database/budgets.ts';
import { Counters } from './database/counters.ts';
import { closed, isBusy, isOfTheDatabase, refusal } from './database/failures.ts';
import { FilePlace } from './database/file-place.ts';
import { GroupQueue, type GroupHooks } from './commits/group-queue.ts';
import { Health } from './database/health.ts';
import { LogWatch } from './database/log-watch.ts';
import { NewerTables } from './database/newer-tables.ts';
import type { Opened } from './database/open-database.ts';
import { retryWhileBusy } from './database/busy-retry.ts';
import { ReadTurn } from './queries/read-turn.ts';
import { RecordReader } from './queries/record-reader.ts';
import { Statements } from './queries/statements.ts';
import { WriteTurns } from './commits/write-turns.ts';

/** A write within this time proves that the database can be written. */
const writeValidMs = 1_000;

/**
 * One connection to the file. Its statements are synchronous, so that a read never sees an incomplete group of this
 * connection.
 */
export class SqliteStore implements Store {
  readonly #opened: Opened;
  readonly #wait: number;
  readonly #reader: RecordReader;
  readonly #readTurn: ReadTurn;
  readonly #writer: ChangeWriter;
  readonly #budgets: Budgets;
  readonly #claims: Claims;
  readonly #feed: ChangeFeed;
  readonly #queue: GroupQueue;
  readonly #health: Health;
  readonly #place: FilePlace;
  /** Writes a page: an update that changes no value would write none. */
  readonly #touch: StatementSync;
  #probe: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(opened: Opened, wait: number, { clock, log }: StorageContext) {
    const { database, path } = opened;
    const statements = new Statements(database);
    this.#opened = opened;
    this.#wait = wait;
    const turns = WriteTurns.at(path);
    this.#reader = new RecordReader(statements);
    this.#readTurn = new ReadTurn(database, () => turns.finished);
    this.#budgets = new Budgets(statements);
    const counters = new Counters(statements);
    const newer = new NewerTables(statements, path);
    this.#writer = new ChangeWriter(statements, this.#budgets, counters);
    this.#claims = new Claims(statements, () => clock.now());
    this.#feed = new ChangeFeed(statements, path, log);
    this.#health = new Health(log);
    this.#place = new FilePlace(path);
    const logWatch = new LogWatch(path, log);
    this.#touch = statements.prepare(
      "INSERT INTO counter VALUES ('write', '', '', 1) ON CONFLICT DO UPDATE SET n = n + 1",
    );
    const hooks: GroupHooks = {
      refusal: () => this.#place.lost,
      beginning: () => this.#readTurn.end(),
      refusalInside: () => newer.refusal(),
      began: () => {
        this.#budgets.begin();
        counters.begin();
      },
      ending: () => {
        this.#budgets.store();
        counters.store();
      },
      committing: (kinds) => this.#feed.raise(kinds),
      committed: (kinds) => this.#feed.announce(kinds),
      failed: (error, count) => this.#health.failed(error, count),
      wrote: () => {
        this.#health.wrote();
        logWatch.wrote();
      },
    };
    this.#queue = new GroupQueue(database, path, wait, hooks, turns);
  }

  get<K extends Kind>(kind: K, key: KeyOf<K>): Promise<Records[K] | undefined> {
    return this.#read(() => this.#reader.get(kind, key));
  }

  find<K extends Kind>(kind: K, query: Query<K>): Promise<readonly Records[K][]> {
    return this.#read(() => this.#reader.find(kind, query));
  }

  count<K extends Kind>(kind: K, where: NonNullable<Query<K>['where']>): Promise<number> {
    return this.#read(() => this.#reader.count(kind, where));
  }

  changes(kind: Kind): Promise<number> {
    return this.#read(() => this.#feed.changes(kind));
  }

  versions(query: Query<'request'>): Promise<readonly { readonly request_id: string; readonly version: number }[]> {
    return this.#read(() => this.#reader.versions(query));
  }

  sizes(request_ids: readonly string[]): Promise<readonly { readonly request_id: string; readonly bytes: number }[]> {
    return this.#read(() => this.#reader.sizes(request_ids));
  }

  reserved(scope: BudgetScope): Promise<Reserved> {
    return this.#read(() => this.#budgets.reserved(scope));
  }

  async commit(changes: readonly Change[]): Promise<void> {
    this.#refuseWhenClosed();
    await this.#queue.add(this.#writer.work(changes));
  }

  async claim(broker: BrokerRecord, limit: number, lease_ms: number): Promise<readonly Claim[]> {
    this.#refuseWhenLost(this.#place.lost);
    if (this.#queue.empty && !(await this.#read(() => this.#claims.anyDue(broker)))) return [];
    return this.#claim(2 * limit, () => this.#claims.claim(broker, limit, lease_ms));
  }

  async renew(broker: BrokerRecord, lease_ms: number): Promise<Renewal> {
    return this.#claim(1, () => this.#claims.renew(broker, lease_ms));
  }

  async yield(claims: readonly Held[]): Promise<void> {
    this.#refuseWhenClosed();
    if (claims.length > 0) await this.#claim(claims.length, () => this.#claims.yield(claims));
  }

  async leave(broker: BrokerRecord): Promise<void> {
    await this.#claim(1, () => this.#claims.leave(broker));
  }

  brokers(): Promise<readonly BrokerState[]> {
    return this.#read(() => this.#claims.brokers());
  }

  async job(broker: BrokerRecord, job: string, lease_ms: number): Promise<JobLease | undefined> {
    const own = this.#queue.empty ? await this.#read(() => this.#claims.ownJob(broker, job)) : undefined;
    return own ?? this.#claim(1, () => this.#claims.job(broker, job, lease_ms));
  }

  async freeJob(lease: JobLease): Promise<void> {
    await this.#claim(1, () => this.#claims.freeJob(lease));
  }

  watch(on: (kinds: ReadonlySet<Kind>) => void): Disposable {
    this.#refuseWhenClosed();
    // The watch begins with the marks of now.
    this.#readTurn.end();
    return this.#feed.watch(on);
  }

  async ready(): Promise<void> {
    this.#refuseWhenClosed();
    if (this.#health.damage) throw this.#health.damage;
    this.#refuseWhenLost(this.#place.check());
    if (this.#health.wroteWithin(writeValidMs)) return;
    this.#probe ??= this.#queue
      .add({ run: () => void this.#touch.run(), kinds: [], size: 1 })
      .finally(() => (this.#probe = undefined));
    await this.#probe;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.drain();
    this.#feed.close();
    this.#readTurn.end();
    try {
      // Moves the log into the file, so that a copy of the file alone is complete. Other connections may prevent it;
      // the last one succeeds.
      if (!this.#place.check()) this.#opened.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log is as durable as the file.
    }
    this.#opened.database.close();
  }

  /** Runs work about claims, which no watcher is notified of. */
  async #claim<T>(size: number, run: () => T): Promise<T> {
    this.#refuseWhenClosed();
    return this.#queue.add({ run, kinds: [], size });
  }

  // A read fails because of a lock only while another process repairs the log after a crash, which is short.
  async #read<T>(read: () => T): Promise<T> {
    this.#refuseWhenClosed();
    try {
      this.#readTurn.begin();
      return read();
    } catch (error) {
      if (!isBusy(error)) throw this.#failed(error);
    }
    return this.#readLater(read);
  }

  async #readLater<T>(read: () => T): Promise<T> {
    try {
      return await retryWhileBusy(() => {
        this.#refuseWhenClosed();
        return read();
      }, this.#wait);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): BrokerError {
    const refused = refusal(error, this.#opened.path);
    if (isOfTheDatabase(error)) this.#health.failed(refused);
    return refused;
  }

  #refuseWhenLost(lost: BrokerError | undefined): void {
    if (!lost) return;
    this.#health.failed(lost);
    throw lost;
  }

  #refuseWhenClosed(): void {
    if (this.#closing) throw closed(this.#opened.path);
  }
}
