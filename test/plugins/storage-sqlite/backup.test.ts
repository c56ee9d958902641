import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test from 'ava';
import plugin from '../../../plugins/storage-sqlite/index.ts';
import { inProcess } from '../../support/storage-sqlite-beside.ts';
import { aRequest, deadPid, insert } from '../../../plugin-testkit/storage/records.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';
import type { StorageCopy } from '../../../core/index.ts';

const [driver] = plugin.storages ?? [];
const backup = (path: string, file: string, replace = false): Promise<StorageCopy> =>
  driver?.backup?.({ path }, file, replace) ?? Promise.reject(new Error('It cannot copy.'));

async function filled(ids: readonly string[] = ['r-1']): Promise<string> {
  const path = freshPath();
  const store = await openFile(path);
  await Promise.all(ids.map((id) => store.commit([insert('request', aRequest(id, { message: 'x'.repeat(4_000) }))])));
  await store.close();
  return path;
}

async function idsIn(path: string): Promise<string[]> {
  const store = await openFile(path);
  const found = await store.find('request', {});
  await store.close();
  return found.map(({ request_id }) => request_id);
}

test('a copy of a database that another process writes has everything that was acknowledged before, whole, and holds no writer up', async (t) => {
  const path = freshPath();
  const writer = inProcess({ path, name: 'w', act: 'forever', times: 0 });
  let printed = '';
  writer.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  while (printed.length < 20_000) await once(writer.stdout ?? writer, 'data');
  const acknowledged = () => printed.slice(0, printed.lastIndexOf('\n')).split('\n');
  const file = join(dirname(dirname(path)), 'copy.db');
  const copy = async () => {
    rmSync(file, { force: true });
    const before = acknowledged();
    const result = await backup(path, file);
    return { ...result, before, during: acknowledged().length - before.length };
  };
  // A busy machine may give the writer no time during a copy of a few milliseconds.
  let copied = await copy();
  for (let n = 0; n < 20 && copied.during === 0; n++) copied = await copy();
  const { check, size_bytes, took_ms, before, during } = copied;
  writer.kill('SIGKILL');
  t.true(check.valid);
  t.deepEqual(check.findings, []);
  t.is(size_bytes, statSync(file).size);
  t.true(during > 0, `nothing was written in the ${took_ms} ms of the copy`);
  t.is((statSync(file).mode & 0o777).toString(8), '600');
  t.deepEqual(readdirSync(dirname(file)).toSorted(), ['copy.db', basename(dirname(path))].toSorted());
  const inCopy = new Set(await idsIn(file));
  t.deepEqual(
    before.filter((id) => !inCopy.has(id)),
    [],
  );
});

test('a file that exists is replaced only when that is asked for, and the database itself never', async (t) => {
  const path = await filled(['r-1', 'r-2']);
  const file = join(dirname(dirname(path)), 'copy.db');
  writeFileSync(file, 'theirs');
  await t.throwsAsync(backup(path, file), { code: 'CONFLICT', message: /exists already.*--force/ });
  t.is(readFileSync(file, 'utf8'), 'theirs');
  await backup(path, file, true);
  t.deepEqual(await idsIn(file), ['r-1', 'r-2']);
  const link = join(dirname(file), 'link.db');
  symlinkSync(path, link);
  for (const own of [path, link])
    await t.throwsAsync(backup(path, own, true), { code: 'INVALID_REQUEST', message: /the database itself/ });
  await t.throwsAsync(backup(path, dirname(file), true), { code: 'INVALID_REQUEST', message: /is not a file/ });
  await t.throwsAsync(backup(path, join(dirname(file), 'none', 'copy.db')), {
    code: 'FILE_NOT_FOUND',
    message: /no directory/,
  });
  await t.throwsAsync(backup(`${path}.none`, `${file}.2`), { code: 'FILE_NOT_FOUND', message: /no database/ });
});

test('a damaged database is not copied over the last good copy', async (t) => {
  const path = await filled(Array.from({ length: 30 }, (_, i) => `r-${i}`));
  const file = join(dirname(dirname(path)), 'copy.db');
  await backup(path, file);
  const good = readFileSync(file);
  const open = openSync(path, 'r+');
  writeSync(open, Buffer.alloc(6_000, 0x5a), 0, 6_000, statSync(path).size - 30_000);
  closeSync(open);
  const { check } = await backup(path, file, true);
  t.false(check.valid);
  t.true(good.equals(readFileSync(file)));
  t.deepEqual(readdirSync(dirname(file)).toSorted(), ['copy.db', basename(dirname(path))].toSorted());
});

test('what a copy left behind that was killed goes with the next one, and what is being written stays', async (t) => {
  const path = await filled();
  const directory = join(dirname(dirname(path)), 'copies');
  mkdirSync(directory);
  for (const name of [
    `copy.db.partial-${deadPid}`,
    `copy.db.partial-${deadPid}-journal`,
    'copy.db.partial-1',
    'other.db.partial-9',
  ])
    writeFileSync(join(directory, name), '');
  await backup(path, join(directory, 'copy.db'));
  t.deepEqual(readdirSync(directory).toSorted(), ['copy.db', 'copy.db.partial-1', 'other.db.partial-9']);
});

test('a database of which a crash left the log is copied with what is in the log', async (t) => {
  const path = freshPath();
  const writer = inProcess({ path, name: 'w', act: 'forever', times: 0 });
  let printed = '';
  writer.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  while (printed.length < 500) await once(writer.stdout ?? writer, 'data');
  const gone = once(writer, 'close');
  writer.kill('SIGKILL');
  await gone;
  t.true(statSync(`${path}-wal`).size > 0);
  const file = join(dirname(dirname(path)), 'copy.db');
  await backup(path, file);
  const copied = new Set(await idsIn(file));
  const acknowledged = printed.slice(0, printed.lastIndexOf('\n')).split('\n');
  t.deepEqual(
    acknowledged.filter((id) => !copied.has(id)),
    [],
  );
});
