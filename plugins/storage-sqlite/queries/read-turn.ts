import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Frames of the log from which on reads no longer share a transaction. SQLite moves the log into the file from 1000
 * frames on, and begins it anew at a moment without a reader of an older state: with several busy threads there is
 * none while their transactions last for a turn.
 */
const longLog = 2_000;
const checkIntervalMs = 50;

/** Before 3.51 SQLite would move the log instead of telling its length: then reads share no transaction. */
const tellsLogLength = versionOf(process.versions['sqlite']) >= versionOf('3.51');

/** What shows that a transaction may be older than a commit that a caller knows of. */
interface Moment {
  /** Transactions of this process that have finished. */
  readonly finished: number;
  /** Turns of the event loop, and events that it has received from the system. */
  readonly turns: number;
  readonly events: number;
}

/**
 * One transaction for the reads of a turn of the event loop: to take and to give back SQLite's lock of a reader costs
 * more than a short read. A read sees each commit that was acknowledged before it: the transaction is renewed when a
 * transaction of this process has finished, or when the event loop has received events, which may come from somebody
 * who knows of a commit of another process.
 *
 * Threads whose stores were opened before the first one of the main thread do not share the counter of transactions;
 * for them a commit of another thread counts as one of another process.
 */
export class ReadTurn {
  readonly #database: DatabaseSync;
  readonly #finished: () => number;
  readonly #begin: StatementSync;
  readonly #rollback: StatementSync;
  readonly #logState: StatementSync;
  #since: Moment | undefined;
  #scheduled = false;
  #logIsLong = false;
  #checkAt = -Infinity;

  /** `finished` returns how many transactions of this process have finished. */
  constructor(database: DatabaseSync, finished: () => number) {
    this.#database = database;
    this.#finished = finished;
    this.#begin = database.prepare('BEGIN');
    // Nothing was written, and unlike COMMIT it cannot be refused.
    this.#rollback = database.prepare('ROLLBACK');
    this.#logState = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  }

  /** Called before each read. Inside a transaction that writes it does nothing. */
  begin(): void {
    const { loopCount: turns, events } = performance.nodeTiming.uvMetricsInfo;
    const now: Moment = { finished: this.#finished(), turns, events };
    if (this.#since) {
      if (isSame(this.#since, now) && this.#database.isTransaction) return;
      this.end();
    }
    if (this.#database.isTransaction || this.#isLogLong()) return;
    this.#begin.run();
    this.#since = now;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.end();
    });
  }

  /** Ends the transaction, if there is one. Called before anything that needs the connection without it. */
  end(): void {
    if (!this.#since) return;
    this.#since = undefined;
    // After some errors SQLite has ended the transaction by itself; and a closed connection has none.
    if (this.#database.isOpen && this.#database.isTransaction) this.#rollback.run();
  }

  #isLogLong(): boolean {
    if (!tellsLogLength) return true;
    const now = performance.now();
    if (now < this.#checkAt) return this.#logIsLong;
    this.#checkAt = now + checkIntervalMs;
    this.#logIsLong = Number(this.#logState.get()?.['log']) > longLog;
    return this.#logIsLong;
  }
}

/** Major and minor version as a number. */
function versionOf(text = ''): number {
  const [major = 0, minor = 0] = text.split('.').map(Number);
  return 1_000 * major + minor;
}

const isSame = (one: Moment, other: Moment): boolean =>
  one.finished === other.finished && one.turns === other.turns && one.events === other.events;
