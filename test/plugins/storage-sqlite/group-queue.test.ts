import { DatabaseSync } from 'node:sqlite';
import test, { type ExecutionContext } from 'ava';
import { BrokerError, type Kind } from '../../../core/index.ts';
import { GroupQueue, type GroupHooks } from '../../../plugins/storage-sqlite/commits/group-queue.ts';

function stage(t: ExecutionContext, around: Partial<GroupHooks> = {}) {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE word (text TEXT UNIQUE) STRICT');
  t.teardown(() => database.close());
  const queue = new GroupQueue(database, '/x.db', 100, { committing: () => {}, committed: () => {}, ...around });
  const write = (text: string, then: () => void = () => {}) =>
    queue.add({
      run() {
        database.prepare('INSERT INTO word VALUES (?)').run(text);
        then();
        return text;
      },
      kinds: ['signal'],
      size: 1,
    });
  const words = () =>
    database
      .prepare('SELECT text FROM word')
      .all()
      .map((row) => row['text']);
  return { database, queue, write, words };
}

test('all work of one turn is one transaction, and its answers come after it', async (t) => {
  const groups: Kind[][] = [];
  const { write, words } = stage(t, { committed: (kinds) => groups.push([...kinds]) });
  const answers = await Promise.all([write('a'), write('b'), write('c')]);
  t.deepEqual(
    [answers, words()],
    [
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ],
  );
  t.deepEqual(groups, [['signal']]);
  await write('d');
  t.is(groups.length, 2);
});

const refused = () => {
  throw new BrokerError('CONFLICT', 'no');
};

test('work that throws is undone alone, and its kinds are not reported', async (t) => {
  const told: Kind[][] = [];
  const { queue, write, words } = stage(t, { committed: (kinds) => told.push([...kinds]) });
  const results = await Promise.allSettled([
    write('a'),
    write('b', refused),
    write('a'),
    queue.add({ run: refused, kinds: ['fact'], size: 1 }),
    write('c'),
  ]);
  t.deepEqual(
    results.map((each) => (each.status === 'rejected' ? (each.reason as BrokerError).code : each.value)),
    ['a', 'CONFLICT', 'INTERNAL', 'CONFLICT', 'c'],
  );
  t.deepEqual(words(), ['a', 'c']);
  t.deepEqual(told, [['signal']]);
});

test('a full disk makes the whole group UNAVAILABLE and writes nothing of it; later work continues', async (t) => {
  const { database, write, words } = stage(t);
  await write('a');
  database.exec('PRAGMA max_page_count = 4');
  const results = await Promise.allSettled([write('b'), write('x'.repeat(100_000)), write('c')]);
  for (const each of results) {
    t.is(each.status, 'rejected');
    if (each.status === 'rejected') t.like(each.reason, { code: 'UNAVAILABLE', details: {} });
  }
  t.deepEqual(words(), ['a']);
  t.is(await write('d'), 'd');
});

test('when COMMIT itself fails the outcome is unknown, unless the disk is full', async (t) => {
  const { database, write, words } = stage(t);
  database.exec(
    'CREATE TABLE late (id INTEGER REFERENCES early (id) DEFERRABLE INITIALLY DEFERRED); CREATE TABLE early (id INTEGER PRIMARY KEY)',
  );
  const failing = write('a', () => database.exec('INSERT INTO late VALUES (7)'));
  const beside = write('b');
  await t.throwsAsync(failing, { code: 'UNAVAILABLE' });
  const error = await t.throwsAsync(beside, { code: 'UNAVAILABLE' });
  t.deepEqual((error as unknown as BrokerError).details, { outcome: 'unknown' });
  t.deepEqual(words(), []);
  t.is(await write('c'), 'c');
});

test('much work is cut into groups, so that the lock is let go in between', async (t) => {
  let groups = 0;
  const { queue } = stage(t, { committing: () => (groups += 1) });
  const work = (size: number) => queue.add({ run: () => size, kinds: ['signal'], size });
  await Promise.all([...Array.from({ length: 6 }, () => work(100)), work(5_000)]);
  t.is(groups, 4);
  await queue.drain();
  t.true(queue.empty);
});

test('a group with a refusal is repeated before its answers, and each work that was kept is stored once', async (t) => {
  const { write, words } = stage(t);
  let runs = 0;
  const results = await Promise.allSettled([write('a', () => (runs += 1)), write('b', refused), write('c')]);
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.deepEqual(words(), ['a', 'c']);
  t.is(runs, 2);
  // Work that comes next to a refusal is not repeated again and again.
  await Promise.allSettled([write('d', () => (runs += 1)), write('a')]);
  t.is(runs, 3);
  t.deepEqual(words(), ['a', 'c', 'd']);
});
