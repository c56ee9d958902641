import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** A row as an array, in the order of the selected columns. */
export type Row = readonly unknown[];

/** The most prepared statements in the cache. A full cache is cleared; frequent statements return to it at once. */
const maxCached = 300;

/** The prepared statements of one connection, cached by their text. All return rows as arrays. */
export class Statements {
  readonly database: DatabaseSync;
  readonly #cache = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** Prepares a statement that the caller keeps. */
  prepare(sql: string): StatementSync {
    const statement = this.database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  all(sql: string, values: readonly SQLInputValue[]): readonly Row[] {
    return rows(this.cached(sql), values);
  }

  /** Returns a cached statement, for SQL texts of which there may be many. */
  cached(sql: string): StatementSync {
    let statement = this.#cache.get(sql);
    if (statement) return statement;
    if (this.#cache.size >= maxCached) this.#cache.clear();
    statement = this.prepare(sql);
    this.#cache.set(sql, statement);
    return statement;
  }
}

// The types of node:sqlite do not describe the effect of setReturnArrays.
export const row = (statement: StatementSync, values: readonly SQLInputValue[]): Row | undefined =>
  statement.get(...values) as unknown as Row | undefined;

export const rows = (statement: StatementSync, values: readonly SQLInputValue[]): readonly Row[] =>
  statement.all(...values) as unknown as readonly Row[];
