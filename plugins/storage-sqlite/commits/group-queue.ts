import type { DatabaseSync } from 'node:sqlite';
import { isBrokerError, type BrokerError, type Kind } from '../../../core/index.ts';
import { isBusy, isOfTheDatabase, leftNothing, refusal, unavailable } from '../database/failures.ts';
import { busyPauseMs } from '../database/busy-retry.ts';

/** Something to be done inside a group's transaction. */
export interface Work<T> {
  /**
   * Synchronous. What it throws undoes its own changes and no one else's. Runs again when the group is repeated, so it
   * changes nothing outside the database.
   */
  run(): T;
  /** Kinds that it changes. */
  readonly kinds: Iterable<Kind>;
  /** About how many rows it writes. */
  readonly size: number;
}

/** What happens around each group. */
export interface Surroundings {
  /** Why nothing may be written now; asked before each group. */
  readonly refusal?: () => BrokerError | undefined;
  /** Inside the transaction, after all work, with the kinds of the work that was kept. */
  readonly committing: (kinds: ReadonlySet<Kind>) => void;
  /** The group is durable. */
  readonly committed: (kinds: ReadonlySet<Kind>) => void;
  /** Work was refused because the database cannot serve. */
  readonly failed?: (error: BrokerError, count: number) => void;
  /** A group without kinds is durable too. */
  readonly wrote?: () => void;
}

interface Waiting {
  readonly work: Work<unknown>;
  readonly since: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * A group writes about this many rows at most: some ten milliseconds during which the thread and the lock are taken.
 */
const largest = 200;

/**
 * So many groups after a refusal run each work in a savepoint. Without savepoints, which cost a fifth of a commit, a
 * group that contains a refusal must be rolled back and repeated.
 */
const groupsWithSavepoints = 16;

/** So long the thread waits for a lock that another connection holds, once for each group. */
const blockedAtMostMs = 5;

/**
 * Runs all work of one turn of the event loop in one transaction: the price of durability is paid once for all. Waits
 * for a lock that another connection holds `blockedAtMostMs` milliseconds at most; after that it comes again a moment
 * later, and leaves the thread to others meanwhile.
 */
export class GroupQueue {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #wait: number;
  readonly #around: Surroundings;
  #waiting: Waiting[] = [];
  #tries = 0;
  #savepoints = 0;
  #scheduled = false;
  #idle: (() => void)[] = [];
  readonly #sql;

  constructor(database: DatabaseSync, path: string, wait: number, around: Surroundings) {
    this.#database = database;
    this.#path = path;
    this.#wait = wait;
    this.#around = around;
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

  /** Resolves with what the work returned, once it is durable. */
  add<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, since: performance.now(), resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    if (!this.empty) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.empty) return;
    this.#scheduled = true;
    const go = () => {
      this.#scheduled = false;
      this.#next();
      this.#schedule();
      if (this.empty) for (const resolve of this.#idle.splice(0)) resolve();
    };
    if (this.#tries > 0) setTimeout(go, busyPauseMs(this.#tries));
    else setImmediate(go);
  }

  #next(): void {
    const refused = this.#around.refusal?.();
    if (refused) return this.#fail(this.#waiting.splice(0), refused);
    try {
      this.#begin();
      this.#tries = 0;
    } catch (error) {
      if (isBusy(error)) return this.#comeAgain(error);
      return this.#fail(this.#waiting.splice(0), unavailable(this.#path, error));
    }
    this.#run(this.#group());
  }

  /**
   * Most transactions of others are over in a few milliseconds, and the next turn of a busy event loop comes much
   * later than that.
   */
  #begin(): void {
    try {
      this.#sql.begin.run();
    } catch (error) {
      // Only at first: whoever holds the lock for long must not block this thread again and again.
      if (!isBusy(error) || this.#tries > 0) throw error;
      this.#database.exec(`PRAGMA busy_timeout = ${blockedAtMostMs}`);
      try {
        this.#sql.begin.run();
      } finally {
        this.#database.exec('PRAGMA busy_timeout = 0');
      }
    }
  }

  #comeAgain(cause: unknown): void {
    this.#tries += 1;
    const now = performance.now();
    const late = this.#waiting.filter(({ since }) => now - since > this.#wait);
    this.#waiting = this.#waiting.filter(({ since }) => now - since <= this.#wait);
    if (late.length > 0) this.#fail(late, unavailable(this.#path, cause));
    if (this.empty) this.#tries = 0;
  }

  #group(): Waiting[] {
    let size = 0;
    const end = this.#waiting.findIndex(({ work }) => (size += work.size) > largest);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(end, 1));
  }

  #run(group: readonly Waiting[]): void {
    const kinds = new Set<Kind>();
    const separate = this.#savepoints > 0;
    let committing = false;
    let answers: (() => void)[];
    try {
      // Answers wait for COMMIT, refusals too: they may rest on a neighbour that is not durable yet.
      answers = group.map((one) => (separate ? this.#inSavepoint(one, kinds) : this.#plain(one, kinds)));
      if (separate) this.#savepoints -= 1;
      if (kinds.size > 0) this.#around.committing(kinds);
      committing = true;
      this.#sql.commit.run();
    } catch (error) {
      this.#rollBack();
      if (!separate && !committing && !isOfTheDatabase(error)) {
        this.#savepoints = groupsWithSavepoints;
        return void this.#waiting.unshift(...group);
      }
      return this.#fail(
        group,
        unavailable(this.#path, error, committing && !leftNothing(error) ? 'unknown' : undefined),
      );
    }
    this.#around.wrote?.();
    for (const answer of answers) answer();
    if (kinds.size > 0) this.#around.committed(kinds);
  }

  #plain({ work, resolve }: Waiting, kinds: Set<Kind>): () => void {
    const value = work.run();
    for (const kind of work.kinds) kinds.add(kind);
    return () => resolve(value);
  }

  #inSavepoint(waiting: Waiting, kinds: Set<Kind>): () => void {
    const { reject } = waiting;
    this.#sql.save.run();
    try {
      const answer = this.#plain(waiting, kinds);
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
    this.#around.failed?.(error, group.length);
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
