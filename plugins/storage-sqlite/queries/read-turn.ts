import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * One transaction for all reads of a turn of the event loop: to take and to give back SQLite's lock of a reader costs
 * more than a short read. It is renewed when a transaction of this process has finished since it began, so that a read
 * sees each commit that was acknowledged before it. A commit of another process is seen in the next turn.
 */
export class ReadTurn {
  readonly #database: DatabaseSync;
  readonly #finished: () => number;
  readonly #begin: StatementSync;
  readonly #rollback: StatementSync;
  #open = false;
  #scheduled = false;
  #since = 0;

  /** `finished` returns how many transactions of this process have finished. */
  constructor(database: DatabaseSync, finished: () => number) {
    this.#database = database;
    this.#finished = finished;
    this.#begin = database.prepare('BEGIN');
    // Nothing was written, and unlike COMMIT it cannot be refused.
    this.#rollback = database.prepare('ROLLBACK');
  }

  /** Called before each read. Inside a transaction that writes it does nothing. */
  begin(): void {
    const finished = this.#finished();
    if (this.#open) {
      if (this.#since === finished && this.#database.isTransaction) return;
      this.end();
    }
    if (this.#database.isTransaction) return;
    this.#begin.run();
    this.#open = true;
    this.#since = finished;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.end();
    });
  }

  /** Ends the transaction, if there is one. Called before anything that needs the connection without it. */
  end(): void {
    if (!this.#open) return;
    this.#open = false;
    // After some errors SQLite has ended the transaction by itself; and a closed connection has none.
    if (this.#database.isOpen && this.#database.isTransaction) this.#rollback.run();
  }
}
