import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stat } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { ReadTurn } from '../../../plugins/storage-sqlite/queries/read-turn.ts';

/** Two connections to one file: one reads in turns, the other writes. `finished` counts what the threads announce. */
function pair(t: ExecutionContext) {
  const directory = mkdtempSync(join(tmpdir(), 'muster-read-turn-'));
  const path = join(directory, 'a.db');
  const [reader, writer] = [new DatabaseSync(path), new DatabaseSync(path)];
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE one (n INTEGER); INSERT INTO one VALUES (0)');
  const threads = { finished: 0 };
  const turn = new ReadTurn(reader, () => threads.finished);
  const read = () => {
    turn.begin();
    return reader.prepare('SELECT n FROM one').get()?.['n'];
  };
  const write = (n: number) => writer.exec(`UPDATE one SET n = ${n}`);
  t.teardown(() => {
    for (const database of [reader, writer]) if (database.isOpen) database.close();
    rmSync(directory, { recursive: true });
  });
  return { reader, writer, turn, threads, read, write };
}

/** Whether the log could be moved into the file whole, which no reader of an older state may prevent. */
const movesLog = (database: DatabaseSync): boolean =>
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;

test('the reads of a turn share a transaction, which ends with the turn', async (t) => {
  const { reader, read, write } = pair(t);
  t.is(read(), 0);
  t.true(reader.isTransaction);
  write(1);
  t.is(read(), 0, 'nobody who knows of the commit can have called');
  await nextTurn();
  t.false(reader.isTransaction);
  t.is(read(), 1);
  await nextTurn();
  t.false(reader.isTransaction);
});

test('a read sees each commit of this process that was acknowledged before it, in the same turn too', (t) => {
  const { threads, read, write } = pair(t);
  t.is(read(), 0);
  for (const n of [1, 2, 3]) {
    write(n);
    threads.finished += 1;
    t.is(read(), n);
  }
});

test('a read after an event sees the commits of other processes before it, also where the turn began before', async (t) => {
  const { reader, read, write } = pair(t);
  for (const n of [1, 2, 3]) {
    // Here the next immediate comes after the next events.
    await nextTurn();
    t.is(read(), n - 1);
    t.true(reader.isTransaction);
    const event = stat('.').then(() => read());
    write(n);
    t.is(await event, n);
  }
});

test('while the log is long, because somebody reads an older state, reads share no transaction', async (t) => {
  const { reader, writer, read, write } = pair(t);
  const older = new DatabaseSync(reader.location() ?? '');
  t.teardown(() => older.close());
  writer.exec('CREATE TABLE large (b BLOB)');
  older.exec('BEGIN; SELECT n FROM one');
  for (let n = 0; n < 3; n++) writer.exec('INSERT INTO large VALUES (zeroblob(4000000))');
  await wait(60);
  write(1);
  t.is(read(), 1);
  t.false(reader.isTransaction);
  older.exec('ROLLBACK');
  t.true(movesLog(writer));
  write(2);
  await wait(60);
  t.is(read(), 2);
  t.true(reader.isTransaction);
});

test('a turn that has ended keeps no log from being moved into the file', async (t) => {
  const { writer, read, write } = pair(t);
  read();
  write(1);
  t.false(movesLog(writer), 'the reader still shows the state before');
  await nextTurn();
  t.true(movesLog(writer));
});

test('reads inside a transaction that writes belong to it, and do not end it', async (t) => {
  const { reader, read } = pair(t);
  reader.exec('BEGIN IMMEDIATE; UPDATE one SET n = 7');
  t.is(read(), 7);
  await nextTurn();
  t.true(reader.isTransaction);
  reader.exec('COMMIT');
});

test('a write in the turn of a read begins after the end of the reads; later reads of the turn see it', async (t) => {
  const { reader, turn, read } = pair(t);
  read();
  turn.end();
  reader.exec('BEGIN IMMEDIATE; UPDATE one SET n = 7; COMMIT');
  t.is(read(), 7);
  t.true(reader.isTransaction);
  await nextTurn();
  t.false(reader.isTransaction);
});

test('a transaction that SQLite has ended by itself, and a connection that was closed, disturb nothing', async (t) => {
  const { reader, read, write } = pair(t);
  read();
  reader.exec('ROLLBACK');
  write(1);
  t.is(read(), 1);
  reader.close();
  await t.notThrowsAsync(nextTurn());
});
