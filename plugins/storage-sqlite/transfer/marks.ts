import type { DatabaseSync } from 'node:sqlite';
import { BrokerError, kinds, type TransferMark, type TransferState } from '../../../core/index.ts';

/** Created by the first copy: the storage to which, and from which, this one was copied. */
const table = `CREATE TABLE IF NOT EXISTS transfer (
  side TEXT NOT NULL PRIMARY KEY, copy_id TEXT NOT NULL, place TEXT NOT NULL, at INTEGER NOT NULL, done INTEGER NOT NULL
) STRICT`;

type Given = Pick<TransferMark, 'copy_id' | 'place'>;

/** The marks of copies. */
export function marksOf(database: DatabaseSync): Pick<TransferState, 'from' | 'to'> {
  const present = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'transfer'").get();
  if (!present) return {};
  const rows = database.prepare('SELECT side, copy_id, place, at, done FROM transfer').all();
  return Object.fromEntries(
    rows.map(({ side, copy_id, place, at, done }) => [side, { copy_id, place, at, done: done === 1 }]),
  );
}

/** Stores a mark that is not done, and makes every write fail. Runs inside a transaction. */
export function mark(database: DatabaseSync, side: 'from' | 'to', { copy_id, place }: Given): void {
  database.exec(table);
  database
    .prepare('INSERT OR REPLACE INTO transfer (side, copy_id, place, at, done) VALUES (?, ?, ?, ?, 0)')
    .run(side, copy_id, place, Date.now());
  unblock(database);
  const text = `it is being copied to ${place}, or was: brokers no longer use it`;
  const message = side === 'to' ? text : `it is an incomplete copy of ${place}`;
  for (const name of guarded)
    for (const operation of ['INSERT', 'UPDATE', 'DELETE'])
      database.exec(`CREATE TRIGGER ${triggerOf(name, operation)} BEFORE ${operation} ON "${name}"
        BEGIN SELECT RAISE(ABORT, '${message.replaceAll("'", "''")}'); END`);
}

/** Stores that the copy is done. Rejects with CONFLICT when the mark is of another copy. */
export function markDone(database: DatabaseSync, side: 'from' | 'to', copy_id: string): void {
  const present = marksOf(database)[side];
  if (present?.copy_id !== copy_id)
    throw new BrokerError('CONFLICT', 'Another copy began meanwhile. Repeat `muster storage copy`.');
  database.prepare('UPDATE transfer SET done = 1, at = ? WHERE side = ? AND done = 0').run(Date.now(), side);
  if (side === 'from' && !marksOf(database).to) unblock(database);
}

/** Removes the mark of a copy to another place, or only that of one copy while it is not done. */
export function unmark(database: DatabaseSync, copy_id?: string): void {
  const { to } = marksOf(database);
  if (!to || (copy_id !== undefined && (to.done || to.copy_id !== copy_id))) return;
  database.exec("DELETE FROM transfer WHERE side = 'to'");
  if (marksOf(database).from?.done !== false) unblock(database);
}

/** The tables that brokers write. */
const guarded = [...Object.keys(kinds), 'claim', 'broker', 'job', 'mark', 'counter'];

const triggerOf = (name: string, operation: string): string => `transfer_${name}_${operation.toLowerCase()}`;

function unblock(database: DatabaseSync): void {
  for (const name of guarded)
    for (const operation of ['INSERT', 'UPDATE', 'DELETE'])
      database.exec(`DROP TRIGGER IF EXISTS ${triggerOf(name, operation)}`);
}
