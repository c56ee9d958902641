import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { GroupQueue } from '../../../plugins/storage-sqlite/commits/group-queue.ts';
import { WriteTurns } from '../../../plugins/storage-sqlite/commits/write-turns.ts';

const quiet = { committing: () => {}, committed: () => {} };

function pair() {
  const cells = WriteTurns.cells();
  return [new WriteTurns(cells, 0), new WriteTurns(cells, 1)] as const;
}

test('a thread that has written gives way to a thread that waits, and not to one that does not', (t) => {
  const [one, other] = pair();
  one.begin();
  one.end();
  t.false(one.isOthers);
  other.begin();
  t.deepEqual([one.isOthers, other.isOthers], [true, false]);
  // Both wait: the one that did not write last comes first, so they never wait for each other.
  one.begin();
  t.deepEqual([one.isOthers, other.isOthers], [true, false]);
  other.end();
  t.deepEqual([one.isOthers, other.isOthers], [false, true]);
});

test('a thread that has only planned to write is not given way to: it may be busy with other work for long', async (t) => {
  const [one, other] = pair();
  const database = new DatabaseSync(':memory:');
  t.teardown(() => database.close());
  const queue = new GroupQueue(database, '/x.db', 100, quiet, other);
  one.begin();
  one.end();
  const planned = queue.add({ run: () => t.true(one.isOthers, 'it has the lock'), kinds: [], size: 1 });
  t.false(one.isOthers);
  await planned;
});

test('the end of a transaction wakes the threads that wait for it; one that ended earlier delays nobody', async (t) => {
  const [one, other] = pair();
  const seen = one.finished;
  const woken = one.next(seen, 60_000);
  other.begin();
  other.end();
  await woken;
  await one.next(seen, 60_000);
  t.pass();
});

test('a thread that ended while it waited is given way for a moment only', async (t) => {
  const [one, ended] = pair();
  const database = new DatabaseSync(':memory:');
  t.teardown(() => database.close());
  const queue = new GroupQueue(database, '/x.db', 100, quiet, one);
  ended.begin();
  for (let i = 0; i < 20; i += 1) t.is(await queue.add({ run: () => i, kinds: [], size: 1 }), i);
});

test('a thread that writes without a pause lets another thread write after each of its transactions', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'muster-turns-'));
  const path = join(directory, 'x.db');
  const database = new DatabaseSync(path, { timeout: 0 });
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE entry (n INTEGER)');
  // The path of the database is how the thread finds the turns.
  const queue = new GroupQueue(database, path, 30_000, quiet);
  const groups = new Int32Array(new SharedArrayBuffer(8));
  const writer = new Worker(new URL('./support/busy-writer.ts', import.meta.url), { workerData: { path, groups } });
  t.teardown(async () => {
    await writer.terminate();
    database.close();
    rmSync(directory, { recursive: true });
  });
  await Atomics.waitAsync(groups, 1, 0).value;
  const insert = database.prepare('INSERT INTO entry VALUES (1)');
  const waits: number[] = [];
  // On a busy machine the other thread may not get a processor: what is written meanwhile shows nothing.
  for (let tries = 0; waits.length < 20 && tries < 5_000; tries += 1) {
    const before = Atomics.load(groups, 0);
    await queue.add({ run: () => insert.run(), kinds: [], size: 1 });
    const wrote = Atomics.load(groups, 0) - before;
    if (wrote > 0) waits.push(wrote);
  }
  // The transaction that was under way, and one more where this thread was not ready in time.
  t.true((waits.toSorted((a, b) => a - b)[10] ?? Infinity) <= 2, `transactions of the other thread: ${waits}`);
});

test('the turn has ended when watchers are told of a commit, so that they read what was committed', async (t) => {
  const [turns, other] = pair();
  const database = new DatabaseSync(':memory:');
  t.teardown(() => database.close());
  const finished: number[] = [];
  const around = { committing: () => {}, committed: () => finished.push(turns.finished) };
  const queue = new GroupQueue(database, '/x.db', 100, around, turns);
  await queue.add({ run: () => finished.push(turns.finished), kinds: ['signal'], size: 1 });
  t.deepEqual(finished, [0, 1]);
  await t.throwsAsync(
    queue.add({
      run() {
        throw new Error('no');
      },
      kinds: ['signal'],
      size: 1,
    }),
  );
  t.false(other.contended, 'a turn ends with a refusal too');
});
