import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** A row as an array, in the order of the columns asked for. */
export type Row = readonly unknown[];

/** The most statements that are kept prepared; the hot ones come back at once. */
const kept = 300;

/** Prepared statements of one connection, kept by their text. All give rows as arrays. */
export class Statements {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** For statements that the caller holds on to. */
  prepare(sql: string): StatementSync {
    const statement = this.database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  all(sql: string, values: readonly SQLInputValue[]): readonly Row[] {
    return rows(this.kept(sql), values);
  }

  /** For texts of which there may be many. */
  kept(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement) return statement;
    if (this.#prepared.size >= kept) this.#prepared.clear();
    statement = this.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

// The types of node:sqlite do not know that setReturnArrays changes what comes back.
export const row = (statement: StatementSync, values: readonly SQLInputValue[]): Row | undefined =>
  statement.get(...values) as unknown as Row | undefined;

export const rows = (statement: StatementSync, values: readonly SQLInputValue[]): readonly Row[] =>
  statement.all(...values) as unknown as readonly Row[];
