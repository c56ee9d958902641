import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { dirname, join } from 'node:path';
import test from 'ava';
import { silentLog } from '../../../core/index.ts';
import { aBroker, aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import plugin from '../../../plugins/storage-sqlite/index.ts';
import { newest } from '../../../plugins/storage-sqlite/migrations/index.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function filled(): Promise<string> {
  const path = freshPath();
  const store = await openFile(path);
  for (let i = 0; i < 20; i += 1)
    await store.commit([insert('request', aRequest(`r-${i}`, { message: 'x'.repeat(4_000) }))]);
  await store.close();
  return path;
}

function altered(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

test('the file and the files beside it are readable by the owner alone', async (t) => {
  const path = freshPath();
  const store = await openFile(path);
  await store.commit([insert('request', aRequest('r-1'))]);
  t.deepEqual(
    [mode(dirname(path)), mode(path), mode(`${path}-wal`), mode(`${path}-shm`)],
    ['700', '600', '600', '600'],
  );
  await store.close();
  t.false(existsSync(`${path}-wal`));
});

test('the rights that someone gave an existing file stay', async (t) => {
  const path = await filled();
  chmodSync(path, 0o640);
  await (await openFile(path)).close();
  t.is(mode(path), '640');
});

test('where a copy to a file that does not exist is incomplete, no empty database is created', async (t) => {
  const path = freshPath();
  mkdirSync(dirname(path), { recursive: true });
  for (const other of ['muster.db.replaced-2026-01-01', 'other.db.partial-7', 'muster.db.partial-x'])
    writeFileSync(join(dirname(path), other), '');
  const partial = `${path}.partial-4711`;
  writeFileSync(partial, '');
  writeFileSync(`${partial}-journal`, '');
  const refused = {
    code: 'INVALID_CONFIGURATION',
    message: /muster\.db\.partial-4711, a copy .*Wait.*repeat `muster storage copy`.*remove .*muster\.db\.partial-\*/,
  };
  await t.throwsAsync(openFile(path), refused);
  await t.throwsAsync(plugin.storages?.[0]?.migrate?.({ path }, { log: silentLog }) ?? Promise.resolve(), refused);
  t.false(existsSync(path));
  rmSync(partial);
  rmSync(`${partial}-journal`);
  await (await openFile(path)).close();
  writeFileSync(partial, '');
  await t.notThrowsAsync(async () => (await openFile(path)).close(), 'a file that exists is not asked about');
});

test('a database of a newer schema is refused and stays as it is', async (t) => {
  const path = await filled();
  altered(path, 'PRAGMA user_version = 999');
  const before = readFileSync(path);
  await t.throwsAsync(openFile(path), { code: 'INVALID_CONFIGURATION', message: /newer muster.*999.*Install/ });
  t.deepEqual(readFileSync(path), before);
});

test('a store whose tables a newer muster updates meanwhile refuses all writes, and still reads', async (t) => {
  const path = await filled();
  const store = await openFile(path);
  t.teardown(() => store.close());
  await store.commit([insert('request', aRequest('before'))]);
  altered(path, 'PRAGMA user_version = 999');
  const refused = { code: 'UNAVAILABLE', message: /updated by a newer muster: its tables have version 999/ };
  const commits = ['after-1', 'after-2'].map((id) => store.commit([insert('request', aRequest(id))]));
  for (const commit of commits) await t.throwsAsync(commit, refused);
  await t.throwsAsync(store.claim(aBroker(), 10, 1_000), refused);
  t.truthy(await store.get('request', { request_id: 'before' }));
  t.is(await store.get('request', { request_id: 'after-1' }), undefined);
  // The older version was put back.
  altered(path, `PRAGMA user_version = ${newest}`);
  await store.commit([insert('request', aRequest('after-1'))]);
  t.is(await store.count('request', { status: 'pending' }), (await store.find('request', {})).length);
});

test('a request without a status is refused alone', async (t) => {
  const store = await openFile(freshPath());
  t.teardown(() => store.close());
  const broken = { ...aRequest('r-2'), status: null } as never;
  const [first, second, third] = await Promise.allSettled(
    [aRequest('r-1'), broken, aRequest('r-3')].map((record) => store.commit([insert('request', record)])),
  );
  t.deepEqual([first?.status, third?.status], ['fulfilled', 'fulfilled']);
  t.like(second, { status: 'rejected', reason: { code: 'INTERNAL' } });
  t.is(await store.count('request', { status: 'pending' }), 2);
});

test('a database of an earlier build is refused in one sentence, and stays as it is', async (t) => {
  for (const sql of [
    "DELETE FROM counter WHERE of = 'schema'",
    "UPDATE counter SET n = n + 1 WHERE of = 'schema'",
    'DROP TABLE counter',
  ]) {
    const path = await filled();
    altered(path, sql);
    const before = readFileSync(path);
    await t.throwsAsync(openFile(path), {
      code: 'INVALID_CONFIGURATION',
      message: /by a build of muster from before its release/,
    });
    t.deepEqual(readFileSync(path), before);
  }
});

test('a database of another program is refused', async (t) => {
  const path = freshPath();
  mkdirSync(dirname(path));
  altered(path, 'CREATE TABLE theirs (a)');
  await t.throwsAsync(openFile(path), { code: 'INVALID_CONFIGURATION', message: /another program/ });
});

test('a file that is no database is refused and stays as it is', async (t) => {
  const path = freshPath();
  mkdirSync(dirname(path));
  writeFileSync(path, 'providers: []\n'.repeat(500));
  await t.throwsAsync(openFile(path), { code: 'INVALID_CONFIGURATION', message: /not a SQLite database/ });
  t.true(readFileSync(path, 'utf8').startsWith('providers:'));
});

test('a truncated database is refused and stays as it is', async (t) => {
  const path = await filled();
  truncateSync(path, 40_000);
  const before = readFileSync(path);
  await t.throwsAsync(openFile(path), { code: 'UNAVAILABLE', message: /damaged.*storage check.*backup/ });
  t.deepEqual(readFileSync(path), before);
});

test('a database that was taken from beside its log is refused, and the log stays', async (t) => {
  const path = freshPath();
  const store = await openFile(path);
  await store.commit([insert('request', aRequest('r-1'))]);
  writeFileSync(`${path}.copy-wal`, readFileSync(`${path}-wal`));
  await store.close();
  renameSync(path, `${path}.away`);
  renameSync(`${path}.copy-wal`, `${path}-wal`);
  await t.throwsAsync(openFile(path), { code: 'UNAVAILABLE', message: /missing or empty.*-wal/ });
  t.true(statSync(`${path}-wal`).size > 0);
});

test('paths that cannot be a file are refused with what to do', async (t) => {
  await t.throwsAsync(openFile(':memory:'), { code: 'INVALID_CONFIGURATION', message: /'memory'/ });
  await t.throwsAsync(openFile('/dev/null/muster.db'), { code: 'INVALID_CONFIGURATION', message: /storage\.path/ });
  await t.throwsAsync(openFile(dirname(dirname(freshPath()))), {
    code: 'INVALID_CONFIGURATION',
    message: /storage\.path/,
  });
});
