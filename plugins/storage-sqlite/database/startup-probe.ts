import type { DatabaseSync } from 'node:sqlite';
import { damageAdvice, Damaged, isOfTheDatabase, text } from './failures.ts';
import { quoted, shapes } from '../../../core/index.ts';
import { decode, selected } from '../queries/decode.ts';
import type { Row } from '../queries/statements.ts';

/**
 * Probes a database before its use: reads the first and the last record of every kind. This reads a few pages whatever
 * the size of the file, and finds missing tables and extensive damage; `check` reads everything. Throws Damaged, or
 * the error of SQLite.
 */
export function probeAtStartup(database: DatabaseSync): void {
  for (const shape of Object.values(shapes)) {
    for (const direction of ['ASC', 'DESC']) {
      const order = shape.key.map((field) => `${quoted(field)} ${direction}`).join(', ');
      const found = rowOf(database, `SELECT ${selected(shape)} FROM ${quoted(shape.kind)} ORDER BY ${order} LIMIT 1`);
      if (found) decode(shape, found);
    }
  }
}

function rowOf(database: DatabaseSync, sql: string): Row | undefined {
  try {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement.get() as unknown as Row | undefined;
  } catch (error) {
    if (isOfTheDatabase(error)) throw error;
    // A table or column is missing: the schema does not match its version.
    throw new Damaged(text(error));
  }
}

/** The message about a damaged database at its start. */
export const damagedAtStart = (path: string, error: unknown): string =>
  `The database ${path} is damaged (${text(error)}). It was not changed: ${damageAdvice(path)}. To begin empty instead, move it and its -wal and -shm files away; muster then does not know the running machines.`;
