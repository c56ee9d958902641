import type { DatabaseSync } from 'node:sqlite';
import { isBrokerError, type BrokerError, type Kind } from '../../../core/index.ts';
import { isBusy, isOfTheDatabase, leftNothing, refusal, unavailable } from '../database/failures.ts';
import { busyPauseMs } from '../database/busy-retry.ts';
import { WriteTurns } from './write-turns.ts';

/** Work for the transaction of a group. */
export interface Work<T> {
  /**
   * Synchronous. An error undoes the changes of this work alone. The work runs again when its group is repeated, so it
   * changes nothing outside the database.
   */
  run(): T;
  /** Kinds of records that the work changes. */
  readonly kinds: Iterable<Kind>;
  /** The approximate number of rows that the work writes. */
  readonly size: number;
}

/** The calls around each group. */
export interface GroupHooks {
  /** Returns the refusal of all writes; undefined when writes are allowed. Called before each group. */
  readonly refusal?: () => BrokerError | undefined;
  /** Called before the transaction. */
  readonly beginning?: () => void;
  /** Returns the refusal of all writes, as a transaction finds it; undefined when writes are allowed. */
  readonly refusalInside?: () => BrokerError | undefined;
  /** Called inside the transaction, before all work. */
  readonly began?: () => void;
  /** Called inside the transaction, after all work. */
  readonly ending?: () => void;
  /** Called inside the transaction, after all work, with the kinds of the successful work. */
  readonly committing: (kinds: ReadonlySet<Kind>) => void;
  /** Called when the group is durable. */
  readonly committed: (kinds: ReadonlySet<Kind>) => void;
  /** Called when work was refused because the database cannot serve. */
  readonly failed?: (error: BrokerError, count: number) => void;
  /** Called after each durable group, including groups without kinds. */
  readonly wrote?: () => void;
}

interface Waiting {
  readonly work: Work<unknown>;
  readonly since: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The most rows of a group: it holds the thread and the lock for some ten milliseconds. */
const maxRows = 200;

/**
 * The number of groups after a refusal that run each work in a savepoint. Savepoints cost a fifth of a commit; without
 * them, a group that contains a refusal is rolled back and repeated.
 */
const groupsWithSavepoints = 16;

/** The longest time for which the thread blocks on the lock of another process, once for each group. */
const maxBlockMs = 5;
/** The longest time for which a thread that has just written waits for the transaction of another thread. */
const maxGiveWayMs = 10;

/**
 * Runs all work of one turn of the event loop in one transaction, so that all share the cost of durability. Threads of
 * this process take turns. It blocks on the lock of another process for at most `maxBlockMs`; after that it retries a
 * moment later, and the thread does other work meanwhile.
 */
export class GroupQueue {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #wait: number;
  readonly #hooks: GroupHooks;
  readonly #turns: WriteTurns;
  #waiting: Waiting[] = [];
  #tries = 0;
  #savepoints = 0;
  #scheduled = false;
  #idle: (() => void)[] = [];
  readonly #sql;

  constructor(
    database: DatabaseSync,
    path: string,
    wait: number,
    hooks: GroupHooks,
    turns: WriteTurns = WriteTurns.at(path),
  ) {
    this.#database = database;
    this.#path = path;
    this.#wait = wait;
    this.#hooks = hooks;
    this.#turns = turns;
    this.#sql = {
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      save: database.prepare('SAVEPOINT one'),
      undo: database.prepare('ROLLBACK TO one'),
      keep: database.prepare('RELEASE one'),
    };
  }

  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves with the result of the work once it is durable. */
  add<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, since: performance.now(), resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Resolves when the queue is empty. */
  async drain(): Promise<void> {
    if (!this.empty) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.empty) return;
    this.#scheduled = true;
    const seen = this.#turns.finished;
    const runNext = () => {
      this.#scheduled = false;
      this.#next();
      this.#schedule();
      if (this.empty) for (const resolve of this.#idle.splice(0)) resolve();
    };
    if (this.#tries > 0) void this.#turns.next(seen, busyPauseMs(this.#tries)).then(runNext);
    else
      setImmediate(() => (this.#turns.isOthers ? void this.#turns.next(seen, maxGiveWayMs).then(runNext) : runNext()));
  }

  #next(): void {
    const refused = this.#hooks.refusal?.();
    if (refused) return this.#giveUp(refused);
    this.#turns.begin();
    try {
      this.#hooks.beginning?.();
      this.#begin();
      this.#tries = 0;
    } catch (error) {
      if (isBusy(error)) return this.#retryLater(error);
      return this.#giveUp(unavailable(this.#path, error));
    }
    const refusedInside = this.#hooks.refusalInside?.();
    if (!refusedInside) return this.#run(this.#group());
    this.#rollBack();
    this.#giveUp(refusedInside);
  }

  #giveUp(error: BrokerError): void {
    this.#turns.end();
    this.#fail(this.#waiting.splice(0), error);
  }

  /**
   * Begins the transaction. Most transactions of other processes end within a few milliseconds, and the next turn of
   * a busy event loop comes much later. The end of another thread's transaction is announced.
   */
  #begin(): void {
    try {
      this.#sql.begin.run();
    } catch (error) {
      // Only at the first try: a long lock must not block this thread repeatedly.
      if (!isBusy(error) || this.#tries > 0 || this.#turns.contended) throw error;
      this.#database.exec(`PRAGMA busy_timeout = ${maxBlockMs}`);
      try {
        this.#sql.begin.run();
      } finally {
        this.#database.exec('PRAGMA busy_timeout = 0');
      }
    }
  }

  #retryLater(cause: unknown): void {
    this.#tries += 1;
    const now = performance.now();
    const expired = this.#waiting.filter(({ since }) => now - since > this.#wait);
    this.#waiting = this.#waiting.filter(({ since }) => now - since <= this.#wait);
    if (expired.length > 0) this.#fail(expired, unavailable(this.#path, cause));
    if (!this.empty) return;
    this.#tries = 0;
    this.#turns.end();
  }

  #group(): Waiting[] {
    let size = 0;
    const end = this.#waiting.findIndex(({ work }) => (size += work.size) > maxRows);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(end, 1));
  }

  #run(group: readonly Waiting[]): void {
    const kinds = new Set<Kind>();
    const separate = this.#savepoints > 0;
    let committing = false;
    let answers: (() => void)[];
    try {
      this.#hooks.began?.();
      // Results wait for COMMIT, and refusals too: they may depend on other work of the group that is not durable yet.
      answers = group.map((one) => (separate ? this.#runInSavepoint(one, kinds) : this.#runPlain(one, kinds)));
      if (separate) this.#savepoints -= 1;
      this.#hooks.ending?.();
      if (kinds.size > 0) this.#hooks.committing(kinds);
      committing = true;
      this.#sql.commit.run();
    } catch (error) {
      this.#rollBack();
      this.#turns.end();
      if (!separate && !committing && !isOfTheDatabase(error)) {
        this.#savepoints = groupsWithSavepoints;
        return void this.#waiting.unshift(...group);
      }
      return this.#fail(
        group,
        unavailable(this.#path, error, committing && !leftNothing(error) ? 'unknown' : undefined),
      );
    }
    // Before anybody is told of the commit: whoever reads then must not use a transaction from before it.
    this.#turns.end();
    this.#hooks.wrote?.();
    for (const answer of answers) answer();
    if (kinds.size > 0) this.#hooks.committed(kinds);
  }

  #runPlain({ work, resolve }: Waiting, kinds: Set<Kind>): () => void {
    const value = work.run();
    for (const kind of work.kinds) kinds.add(kind);
    return () => resolve(value);
  }

  #runInSavepoint(waiting: Waiting, kinds: Set<Kind>): () => void {
    const { reject } = waiting;
    this.#sql.save.run();
    try {
      const answer = this.#runPlain(waiting, kinds);
      this.#sql.keep.run();
      return answer;
    } catch (error) {
      if (isOfTheDatabase(error)) throw error;
      this.#sql.undo.run();
      this.#sql.keep.run();
      return () => reject(isBrokerError(error) ? error : refusal(error, this.#path));
    }
  }

  #fail(group: readonly Waiting[], error: BrokerError): void {
    this.#hooks.failed?.(error, group.length);
    for (const { reject } of group) reject(error);
  }

  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // The failure that led here is what gets reported; SQLite undoes the transaction when the connection closes.
    }
  }
}
