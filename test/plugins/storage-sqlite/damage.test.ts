import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { dirname, join } from 'node:path';
import test from 'ava';
import { silentLog, systemClock, type Log } from '../../../core/index.ts';
import plugin from '../../../plugins/storage-sqlite/index.ts';
import { makePlace, startBroker, until } from '../../support/boot-broker.ts';
import { damagedMachine } from '../../support/damaged-machine.ts';
import { runCli } from '../../support/run-cli.ts';
import { aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';

/** A database of some hundred pages of requests. */
async function fill(path: string): Promise<string> {
  const store = await openFile(path);
  for (let i = 0; i < 4; i++)
    await store.commit(
      Array.from({ length: 100 }, (_, j) =>
        insert('request', aRequest(`req-${i}-${j}`, { message: 'x'.repeat(3_000), next_at: null })),
      ),
    );
  await store.close();
  return path;
}

function overwrite(path: string, at: number, length: number, byte: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(length, byte), 0, length, at);
  closeSync(file);
}

/** Half of its pages, and neither end of any tree is sure to be hit. */
const spoilMiddle = (path: string): void => {
  const pages = statSync(path).size / 4096;
  for (let page = Math.floor(pages * 0.3) + 1; page < pages * 0.8; page += 2)
    overwrite(path, page * 4096 + 64, 4_000, 0xa5);
};

const refusedStarts: readonly (readonly [string, (path: string) => void, number, RegExp])[] = [
  [
    'cut short',
    (path) => truncateSync(path, 8 * 4096),
    5,
    /is damaged \(.*malformed\).*not changed.*storage check.*backup/,
  ],
  ['full of zeros', (path) => overwrite(path, 0, statSync(path).size, 0), 4, /not a SQLite database.*backup/],
  ['no database', (path) => writeFileSync(path, 'providers: []\n'.repeat(500)), 4, /not a SQLite database/],
  ['emptied', (path) => truncateSync(path, 0), 5, /is empty \(0 bytes\).*backup.*remove it/],
  ['of a newer muster', (path) => alter(path, 'PRAGMA user_version = 999'), 4, /newer muster.*999.*Install/],
  ['of another program', (path) => alter(path, 'PRAGMA application_id = 7'), 4, /another program/],
  [
    'without a table',
    (path) => alter(path, 'DROP TABLE signal'),
    5,
    /is damaged \(no such table: signal\).*storage check/,
  ],
  [
    'a directory',
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    4,
    /cannot be opened.*storage\.path/,
  ],
];

function alter(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

for (const [what, spoil, code, message] of refusedStarts) {
  test.serial(`a server does not start on a database that is ${what}, says why, and leaves it as it is`, async (t) => {
    const place = await makePlace();
    t.teardown(() => place.close());
    const path = await fill(join(place.directory, 'data', 'muster.db'));
    spoil(path);
    const before = statSync(path).isFile() ? readFileSync(path) : undefined;
    const ran = await runCli([
      'server',
      'start',
      '--foreground',
      '--port',
      '0',
      '--config',
      join(place.directory, 'muster.config.json'),
    ]);
    t.is(ran.code, code);
    t.true(ran.err.includes(path), ran.err);
    t.regex(ran.err, message);
    t.false(ran.err.includes('\n    at '), 'no stack');
    if (before) t.true(before.equals(readFileSync(path)));
  });
}

test('the file of a database in use, copied without its log, is refused: it holds nothing yet', async (t) => {
  const path = freshPath();
  const store = await openFile(path);
  await store.commit([insert('request', aRequest('r-1'))]);
  const copied = freshPath();
  mkdirSync(dirname(copied));
  copyFileSync(path, copied);
  t.is(statSync(copied).size, 4096);
  await t.throwsAsync(openFile(copied), {
    code: 'UNAVAILABLE',
    message: /has no tables, and .*-wal.* is not beside it\. Put the missing file or a backup/,
  });
  copyFileSync(`${path}-wal`, `${copied}-wal`);
  const whole = await openFile(copied);
  t.truthy(await whole.get('request', { request_id: 'r-1' }));
  await Promise.all([store.close(), whole.close()]);
});

test('damage that is found at run time makes the affected calls UNAVAILABLE, is logged once, and all other calls continue', async (t) => {
  const path = await fill(freshPath());
  spoilMiddle(path);
  const told: string[] = [];
  const log: Log = { ...silentLog, error: (_, message) => told.push(message) };
  const store = await plugin.storages?.[0]?.open({ path }, { clock: systemClock, log });
  if (!store) return t.fail();
  await t.notThrowsAsync(async () => store.ready?.());
  for (let i = 0; i < 5; i++) {
    const error = await t.throwsAsync(store.find('request', {}), { code: 'UNAVAILABLE' });
    t.regex(
      error?.message ?? '',
      /is damaged \(.*\)\. `muster storage check` reports what is damaged; stop muster and replace /,
    );
  }
  t.is(told.length, 1);
  await t.notThrowsAsync(store.find('template', {}));
  await t.notThrowsAsync(store.commit([insert('event', { at: 1, type: 'x', data: {} })]));
  await t.throwsAsync(async () => store.ready?.(), { code: 'UNAVAILABLE', message: /is damaged/ }, 'it does not heal');
  await store.close();
});

test('a record that is not JSON counts as damage, and its content is not shown', async (t) => {
  const path = await fill(freshPath());
  alter(path, "UPDATE request SET doc = 'secret' || doc WHERE request_id = 'req-1-5'");
  const store = await openFile(path);
  const error = await t.throwsAsync(store.get('request', { request_id: 'req-1-5' }), {
    code: 'UNAVAILABLE',
    message: /a record of kind request cannot be parsed/,
  });
  t.false(error?.message.includes('secret'));
  t.truthy(await store.get('request', { request_id: 'req-1-6' }));
  await store.close();
});

test('a machine whose record is not JSON stops the work on its request alone', async (t) => {
  const path = freshPath();
  const store = await openFile(path);
  await damagedMachine(t, store, async (assignment) => alter(path, `UPDATE machine ${assignment}`));
  await store.close();
});

test.serial('a server that meets damage says so in /readyz, answers what it can, and stays up', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  spoilMiddle(await fill(join(place.directory, 'data', 'muster.db')));
  const broker = await startBroker({ place });
  t.teardown(() => broker.stop());
  const get = async (path: string) => {
    const answer = await fetch(`${broker.url}${path}`);
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const list = await get('/api/v1/requests/?limit=1000');
  t.is(list.status, 503);
  t.regex(list.body.detail, /is damaged.*storage check/);
  t.is((await get('/api/v1/templates/')).status, 200);
  const ready = await until(async () => {
    const answer = await get('/readyz');
    return answer.status === 503 && answer;
  });
  t.regex(ready.body.checks.storage.message, /is damaged/);
  for (let i = 0; i < 20; i++) await get('/api/v1/requests/?limit=1000');
  t.is((await get('/livez')).body.pid, broker.pid);
  t.true(broker.output.stderr.split('\n').length < 8, broker.output.stderr);
});
