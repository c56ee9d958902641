import type { DatabaseSync } from 'node:sqlite';

/** A host of the inventory. */
export interface Host {
  readonly name: string;
  readonly address: string;
}

/** The `number`th lease of a host. */
export interface Lease extends Host {
  readonly number: number;
  /** Epoch milliseconds. */
  readonly taken_at: number;
  /** Null: the host is still leased. */
  readonly returned_at: number | null;
}

const tables = `
  CREATE TABLE IF NOT EXISTS loan (token TEXT PRIMARY KEY, asked INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS lease (
    name TEXT NOT NULL, number INTEGER NOT NULL, address TEXT NOT NULL, token TEXT NOT NULL,
    taken_at INTEGER NOT NULL, returned_at INTEGER,
    PRIMARY KEY (name, number)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS lease_of ON lease (token);
  -- A host cannot have two open leases, even if the code has a mistake.
  CREATE UNIQUE INDEX IF NOT EXISTS lent ON lease (name) WHERE returned_at IS NULL;`;

/**
 * The leases of all hosts, in one SQLite file. Any number of processes may use it at the same time. A lease that has
 * ended stays in the file.
 */
export class Leases {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#exclusively(() => database.exec(tables));
  }

  /**
   * Leases up to `count` of these hosts, in their sequence, in one transaction. The same token gets the same hosts at
   * each call.
   */
  take(token: string, count: number, hosts: readonly Host[], now: number): readonly Lease[] {
    return this.#exclusively(() => {
      const { changes } = this.#run('INSERT OR IGNORE INTO loan (token, asked) VALUES (?, ?)', token, count);
      if (Number(changes) === 0) return this.of(token);
      const out = new Set(
        this.#all<{ name: string }>('SELECT name FROM lease WHERE returned_at IS NULL').map(({ name }) => name),
      );
      for (const { name, address } of hosts.filter((host) => !out.has(host.name)).slice(0, count)) {
        this.#run(
          `INSERT INTO lease (name, number, address, token, taken_at)
           SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4 FROM lease WHERE name = ?1`,
          name,
          address,
          token,
          now,
        );
      }
      return this.of(token);
    });
  }

  /** The leases of a token, returned ones included. */
  of(token: string): readonly Lease[] {
    return this.#all<Lease>(
      'SELECT name, number, address, taken_at, returned_at FROM lease WHERE token = ? ORDER BY rowid',
      token,
    );
  }

  /** Ends a lease. The host is free at once. A lease that has ended before does not change, nor does a later one. */
  giveBack({ name, number }: Lease, now: number): void {
    this.#run(
      'UPDATE lease SET returned_at = ? WHERE name = ? AND number = ? AND returned_at IS NULL',
      now,
      name,
      number,
    );
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  /** One process at a time executes this; one that is killed leaves no partial change. */
  #exclusively<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #run(sql: string, ...values: (string | number)[]) {
    return this.#database.prepare(sql).run(...values);
  }

  #all<T>(sql: string, ...values: (string | number)[]): T[] {
    return this.#database.prepare(sql).all(...values) as T[];
  }
}
