import type { DatabaseSync } from 'node:sqlite';

/** A host of the inventory. */
export interface Host {
  readonly name: string;
  readonly address: string;
}

/** A host, lent for the `number`th time. */
export interface Lease extends Host {
  readonly number: number;
  /** Epoch milliseconds. */
  readonly taken_at: number;
  /** Null: it is still out. */
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
  -- Whatever the code above it does: a host is never lent twice.
  CREATE UNIQUE INDEX IF NOT EXISTS lent ON lease (name) WHERE returned_at IS NULL;`;

/**
 * Who has which host, in one file of SQLite. Any number of processes may work with it at the same time. Leases stay
 * written down when they ended.
 */
export class Leases {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#alone(() => database.exec(tables));
  }

  /**
   * Lends up to `count` of these hosts, those first that stand first, in one transaction. The same token gets the same
   * hosts, however often it is asked. /
   */
  take(token: string, count: number, hosts: readonly Host[], now: number): readonly Lease[] {
    return this.#alone(() => {
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

  /** What was lent under a token, returned or not. */
  of(token: string): readonly Lease[] {
    return this.#all<Lease>(
      'SELECT name, number, address, taken_at, returned_at FROM lease WHERE token = ? ORDER BY rowid',
      token,
    );
  }

  /** Takes a host back. It is free at once; one that was taken back before stays as it is, with whomever it is now. */
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

  /** Of all that work with the file, one at a time is in here; one that is killed leaves nothing half done. */
  #alone<T>(work: () => T): T {
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
