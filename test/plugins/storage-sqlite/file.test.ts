import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { dirname } from 'node:path';
import test from 'ava';
import { aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
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

test('a database of a newer schema is refused and stays as it is', async (t) => {
  const path = await filled();
  altered(path, 'PRAGMA user_version = 999');
  const before = readFileSync(path);
  await t.throwsAsync(openFile(path), { code: 'INVALID_CONFIGURATION', message: /newer muster.*999.*Install/ });
  t.deepEqual(readFileSync(path), before);
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
