import type { DatabaseSync } from 'node:sqlite';
import { damageAdvice, Damaged, isOfTheDatabase, text } from './failures.ts';
import { decode, quoted, selected, shapes } from '../queries/shapes.ts';
import type { Row } from '../queries/statements.ts';

/**
 * Probes a database before it is used: reads the first and the last record of every kind. It reads a few pages,
 * whatever the size of the file, and meets what is missing or damaged at large; the rest is for `check`, which reads
 * everything. Throws Damaged, or what SQLite throws. /
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
    // A table or column is not there: the schema is not the one that its version promises.
    throw new Damaged(text(error));
  }
}

/** What is said of a database that is damaged, at its start. */
export const damagedAtStart = (path: string, error: unknown): string =>
  `The database ${path} is damaged (${text(error)}). It was left as it is: ${damageAdvice(path)}. To begin empty instead, move it and its -wal and -shm files away; machines that live are not known then.`;
