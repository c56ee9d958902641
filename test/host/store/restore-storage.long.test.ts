import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { dirname, join } from 'node:path';
import test from 'ava';
import { isBrokerError, silentLog, systemClock, type Store } from '../../../core/index.ts';
import { aBroker, aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import postgres from '../../../plugins/storage-postgres/index.ts';
import sqlite from '../../../plugins/storage-sqlite/index.ts';
import { applicationId } from '../../../plugins/storage-sqlite/database/schema-version.ts';
import { fingerprint, migrations, newest } from '../../../plugins/storage-sqlite/migrations/index.ts';
import { bootBroker, makePlace, startBroker } from '../../support/boot-broker.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';
import { runCli, type Ran } from '../../support/run-cli.ts';
import { askFile, rowsOf, storeEverything } from '../../support/stored-everything.ts';
import { oneOfMany } from '../../support/temporary-directory.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
});
test.after.always(() => database.remove());

/** A storage under test, with a configuration file that names it. */
interface Side {
  readonly storage: { readonly type: string } & Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly config: readonly string[];
  open(): Promise<Store>;
  rows(): ReturnType<typeof rowsOf>;
}

const opened = (plugin: typeof sqlite, options: object): Promise<Store> =>
  plugin.storages?.[0]?.open(options, { clock: systemClock, log: silentLog }) ??
  Promise.reject(new Error('The plugin has no driver.'));

function sideOf(storage: Side['storage'], more: Pick<Side, 'open' | 'rows'>): Side {
  const config = join(oneOfMany('muster-config-'), 'muster.config.json');
  writeFileSync(config, JSON.stringify({ storage }));
  return { storage, path: String(storage['path']), config: ['--config', config], ...more };
}

function file(): Side {
  const path = join(oneOfMany('muster-restore-'), 'muster.db');
  return sideOf({ type: 'sqlite', path }, { open: () => opened(sqlite, { path }), rows: () => rowsOf(askFile(path)) });
}

function schema(): Side {
  const name = database.place();
  const options = database.options(name);
  return sideOf(
    { type: 'postgres', ...options },
    { open: () => opened(postgres, options), rows: () => rowsOf(database.run, `${name}.`) },
  );
}

async function filled(side: Side, requests?: number): Promise<Side> {
  const store = await side.open();
  await storeEverything(store, requests);
  await store.close();
  await new Promise((resolve) => void setTimeout(resolve, 5));
  return side;
}

/** A backup as the command writes it. */
async function backupOf(side: Side): Promise<string> {
  const backup = join(oneOfMany('muster-backup-'), 'backup.db');
  const ran = await runCli(['storage', 'backup', backup, ...side.config]);
  if (ran.code !== 0) throw new Error(ran.err);
  return backup;
}

const restore = (backup: string, to: Side, ...more: readonly string[]): Promise<Ran> =>
  runCli(['storage', 'restore', backup, ...to.config, '--output', 'json', ...more]);

async function refusalOf(side: Side): Promise<string | undefined> {
  try {
    await (await side.open()).close();
    return undefined;
  } catch (error) {
    if (!isBrokerError(error)) throw error;
    return error.message;
  }
}

const keptBeside = ({ path }: Side): readonly string[] =>
  readdirSync(dirname(path)).filter((name) => name.includes('.replaced-'));

for (const [title, one, other] of [
  ['SQLite into SQLite', file, file],
  ['SQLite into PostgreSQL', file, schema],
  ['PostgreSQL into PostgreSQL', schema, schema],
] as const)
  test.serial(`a backup of ${title} brings every row back, and stays as it is`, async (t) => {
    const from = await filled(one());
    const before = await from.rows();
    const backup = await backupOf(from);
    const bytes = readFileSync(backup);
    const to = other();
    const ran = await restore(backup, to);
    t.is(ran.code, 0, ran.err);
    t.like(JSON.parse(ran.out), { from: backup, records: { request: 13, machine: 12, event: 21 } });
    t.regex(ran.err, /Machines that were started or ended since then differ.*sweep.*muster providers orphans/s);
    t.deepEqual(await to.rows(), before);
    t.is(await refusalOf(to), undefined);
    t.true(bytes.equals(readFileSync(backup)));
    t.deepEqual(readdirSync(dirname(backup)), ['backup.db'], 'nothing is left beside it');

    const store = await to.open();
    await store.commit([insert('request', aRequest('r-new'))]);
    await store.close();
    const refused = await restore(backup, to);
    t.is(refused.code, 4);
    t.regex(refused.err, /is not empty: it has \d+ records.*--replace/);
    t.is((await to.rows())['request']?.length, 14, 'a refused restore changes nothing');
    const back = await restore(backup, to, '--replace');
    t.is(back.code, 0, back.err);
    t.deepEqual(await to.rows(), before);
    t.is(await refusalOf(to), undefined);
    if (to.storage.type !== 'sqlite') return;
    const [kept = ''] = keptBeside(to);
    t.is(
      (await askFile(join(dirname(to.path), kept))('SELECT * FROM request')).length,
      14,
      'the replaced file is kept',
    );
  });

const points = [
  'target receive before',
  'page 1',
  'page 8',
  'target receive after',
  'source snapshot after',
  'target complete before',
  'target complete after',
];

for (const [title, other] of [
  ['SQLite', file],
  ['PostgreSQL', schema],
] as const)
  test.serial(`a restore into ${title} that is killed at any point is completed by a repetition`, async (t) => {
    const from = await filled(file());
    const before = await from.rows();
    const backup = await backupOf(from);
    for (const point of points) {
      const to = await filled(other(), 3);
      const old = await to.rows();
      const process = spawn(
        globalThis.process.execPath,
        [
          join(import.meta.dirname, '../../support/killed-copy.ts'),
          point,
          JSON.stringify([{ type: 'sqlite', path: backup }, to.storage]),
          'restore',
        ],
        { stdio: ['ignore', 'inherit', 'inherit'] },
      );
      const [, signal] = await once(process, 'exit');
      t.is(signal, 'SIGKILL', point);
      if ((await refusalOf(to)) === undefined) {
        const now = await to.rows();
        const whole = [old, before].some((each) => JSON.stringify(each['request']) === JSON.stringify(now['request']));
        t.true(whole, `${point}: what brokers can use is the old state or the whole backup`);
      } else t.regex((await refusalOf(to)) ?? '', /incomplete copy of .*muster storage restore/, point);
      const ran = await restore(backup, to, '--replace');
      t.is(ran.code, 0, `${point}: ${ran.err}`);
      t.deepEqual(await to.rows(), before, point);
      t.is(await refusalOf(to), undefined, point);
    }
  });

test.serial('a storage that a broker uses is not replaced', async (t) => {
  const backup = await backupOf(await filled(file()));
  for (const other of [file, schema]) {
    const to = await filled(other(), 3);
    const store = await to.open();
    await store.renew(aBroker({ host: 'far', broker_id: 'b' }), 60_000);
    const before = await to.rows();
    const refused = await restore(backup, to, '--replace');
    t.is(refused.code, 4);
    t.regex(refused.err, /Brokers use .* pid \d+ on far.*muster server stop/);
    t.deepEqual(await to.rows(), before);
    await store.leave(aBroker({ host: 'far', broker_id: 'b' }));
    await store.close();
    t.is((await restore(backup, to, '--replace')).code, 0);
  }
});

/** The ways in which a database cannot be read, and what the refusal without --replace says. */
const unreadable: readonly (readonly [string, (path: string) => void, RegExp])[] = [
  ['cut short', (path) => truncateSync(path, 8192), /damaged|malformed/],
  ['full of zeros', (path) => writeFileSync(path, Buffer.alloc(40_960)), /not a database|damaged/],
  [
    'overwritten in the middle',
    (path) => {
      const at = openSync(path, 'r+');
      for (let page = 1; page < 30; page += 1) writeSync(at, Buffer.alloc(2048, 7), 0, 2048, page * 4096);
    },
    /damaged|malformed/,
  ],
  [
    'of a newer muster',
    (path) => {
      const newer = new DatabaseSync(path);
      newer.exec(`PRAGMA user_version = ${newest + 1}`);
      newer.close();
    },
    /newer muster/,
  ],
];

for (const [title, spoil, says] of unreadable)
  test.serial(`a database that is ${title} is replaced by a backup, and kept under another name`, async (t) => {
    const from = await filled(file());
    const backup = await backupOf(from);
    const to = await filled(file());
    spoil(to.path);
    const refused = await restore(backup, to);
    t.is(refused.code, 4, refused.err);
    t.regex(refused.err, says);
    t.regex(refused.err, /--replace/);
    t.deepEqual(keptBeside(to), []);
    const ran = await restore(backup, to, '--replace');
    t.is(ran.code, 0, ran.err);
    t.deepEqual(await to.rows(), await from.rows());
    t.is(await refusalOf(to), undefined);
    t.is(keptBeside(to).filter((name) => !/-(wal|shm)$/.test(name)).length, 1);
  });

test.serial('the log of a database that was removed is not read as part of the backup', async (t) => {
  const from = await filled(file());
  const backup = await backupOf(from);
  const to = file();
  const store = await filledOpen(to);
  copyFileSync(`${to.path}-wal`, `${to.path}-left`);
  await store.close();
  const left = file();
  copyFileSync(`${to.path}-left`, `${left.path}-wal`);
  const refused = await restore(backup, left);
  t.is(refused.code, 4);
  t.regex(refused.err, /The log of a database.*without the database/);
  const ran = await restore(backup, left, '--replace');
  t.is(ran.code, 0, ran.err);
  t.deepEqual(await left.rows(), await from.rows());
});

async function filledOpen(side: Side): Promise<Store> {
  const store = await side.open();
  await storeEverything(store, 2);
  return store;
}

test.serial('a backup of an earlier version is restored with the present tables', async (t) => {
  const backup = join(oneOfMany('muster-backup-'), 'earlier.db');
  const earlier = new DatabaseSync(backup);
  for (const step of migrations.slice(0, 1)) earlier.exec(step);
  earlier.prepare("INSERT INTO counter VALUES ('schema', '', '', ?)").run(fingerprint(1));
  earlier.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1`);
  earlier.close();
  const bytes = readFileSync(backup);
  for (const other of [file, schema]) {
    const to = other();
    const ran = await restore(backup, to);
    t.is(ran.code, 0, ran.err);
    t.is(JSON.parse(ran.out).from, backup);
    t.is(await refusalOf(to), undefined);
  }
  t.true(bytes.equals(readFileSync(backup)));
});

test.serial('a backup that is damaged, absent or the storage itself changes nothing', async (t) => {
  const to = await filled(file());
  const before = await to.rows();
  const damaged = await backupOf(to);
  truncateSync(damaged, 8 * 4096);
  const bad = await restore(damaged, to, '--replace');
  t.is(bad.code, 4);
  t.regex(bad.err, /is damaged, and nothing was changed/);
  t.is((await restore('/nowhere/backup.db', to, '--replace')).code, 3);
  const itself = await restore(to.path, to, '--replace');
  t.is(itself.code, 4);
  t.regex(itself.err, /is the storage itself/);
  t.deepEqual(await to.rows(), before);
  t.deepEqual(keptBeside(to), []);
});

test.serial(
  'a running server keeps its storage; after its stop a restore brings the machines of the backup back',
  async (t) => {
    const place = await makePlace();
    t.teardown(() => place.close());
    const config = ['--config', join(place.directory, 'muster.config.json')];
    const first = await startBroker({ place });
    const call = async (path: string, body?: object): Promise<any> =>
      (
        await fetch(`${first.url}/api/v1${path}`, {
          ...(body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        })
      ).json();
    const ask = () => call('/machines/request', { template_id: 'small', machine_count: 2 });
    const completed = async (id: string): Promise<any> => {
      for (;;) {
        const status = await call(`/requests/${id}/status`);
        if (status.status === 'completed') return status;
        await new Promise((resolve) => void setTimeout(resolve, 50));
      }
    };
    const early = (await ask()).request_id;
    await completed(early);
    const backup = join(place.directory, 'backup.db');
    t.is((await runCli(['storage', 'backup', backup, ...config])).code, 0);
    const late = (await ask()).request_id;
    const unknown = (await completed(late)).machines.map(({ machine_id }: any) => machine_id);
    const refused = await runCli(['storage', 'restore', backup, '--replace', ...config]);
    t.is(refused.code, 4);
    t.regex(refused.err, /A server runs on .*\(pid \d+\).*muster server stop/);
    await first.kill('SIGTERM');

    t.is((await runCli(['storage', 'restore', backup, '--replace', ...config])).code, 0);
    const broker = await bootBroker({ place, settings: { sweep_ms: 500, sweep_first_ms: 100, sweep_grace_ms: 0 } });
    t.teardown(() => broker.close());
    t.is((await broker.call('GET', `/requests/${late}/status`)).status, 404);
    t.is((await broker.call('GET', `/requests/${early}/status?long=true`)).body.machines.length, 2);
    // The sweep compares: the machines of the later request are in the cloud and in no record.
    await broker.until(async () => {
      const { body } = await broker.call('GET', '/providers/orphans');
      return unknown.every((id: string) => JSON.stringify(body).includes(id));
    });
    t.true(existsSync(backup));
  },
);
