import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { isBrokerError, silentLog, systemClock, type Store } from '../../../core/index.ts';
import { thisBroker } from '../../../host/process/this-broker.ts';
import { copyStorage } from '../../../host/store/copy-storage.ts';
import { anEvent, aBroker, aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import postgres from '../../../plugins/storage-postgres/index.ts';
import sqlite from '../../../plugins/storage-sqlite/index.ts';
import { bootBroker, makePlace, startBroker, until } from '../../support/boot-broker.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';
import { runCli, type Ran } from '../../support/run-cli.ts';
import { askFile, rowsOf, storeEverything, type Ask } from '../../support/stored-everything.ts';
import { oneOfMany } from '../../support/temporary-directory.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
});
test.after.always(() => database.remove());

/** A storage under test. */
interface Side {
  readonly storage: { readonly type: string } & Readonly<Record<string, unknown>>;
  /** As `--to` names it. */
  readonly name: string;
  open(): Promise<Store>;
  rows(): ReturnType<typeof rowsOf>;
  readonly ask: Ask;
}

function file(): Side {
  const path = join(oneOfMany('muster-copy-'), 'muster.db');
  return {
    storage: { type: 'sqlite', path },
    name: path,
    open: () => opened(sqlite, { path }),
    rows: () => rowsOf(askFile(path)),
    ask: askFile(path),
  };
}

function schema(): Side {
  const name = database.place();
  const options = database.options(name);
  return {
    storage: { type: 'postgres', ...options },
    name: `${database.server.url}?schema=${name}`,
    open: () => opened(postgres, options),
    rows: () => rowsOf(database.run, `${name}.`),
    ask: database.run,
  };
}

const opened = (plugin: typeof sqlite, options: object): Promise<Store> =>
  plugin.storages?.[0]?.open(options, { clock: systemClock, log: silentLog }) ??
  Promise.reject(new Error('The plugin has no driver.'));

async function filled(side: Side, requests?: number): Promise<Side> {
  const store = await side.open();
  await storeEverything(store, requests);
  await store.close();
  await new Promise((resolve) => void setTimeout(resolve, 5));
  return side;
}

function configured(side: Side): readonly string[] {
  const path = join(oneOfMany('muster-config-'), 'muster.config.json');
  writeFileSync(path, JSON.stringify({ storage: side.storage }));
  return ['--config', path];
}

const copy = (from: Side, to: Side, ...more: readonly string[]): Promise<Ran> =>
  runCli(['storage', 'copy', '--to', to.name, ...configured(from), '--output', 'json', ...more]);

async function refusalOf(side: Side): Promise<string | undefined> {
  try {
    await (await side.open()).close();
    return undefined;
  } catch (error) {
    if (!isBrokerError(error)) throw error;
    return error.message;
  }
}

/** What continues after a copy: events get new numbers, and claims of dead brokers are taken over. */
async function continues(t: ExecutionContext, side: Side): Promise<void> {
  const store = await side.open();
  const [last] = await store.find('event', { order: [['seq', 'desc']], limit: 1 });
  await store.commit([insert('event', anEvent())]);
  const [next] = await store.find('event', { order: [['seq', 'desc']], limit: 1 });
  t.true((next?.seq ?? 0) > (last?.seq ?? 0) + 1, 'the number of a removed event is not used again');
  const claims = await store.claim(aBroker({ host: 'next' }), 100, 1);
  t.deepEqual(claims.map(({ taken_over }) => taken_over).filter(Boolean).length, 3);
  t.true(claims.every(({ epoch, taken_over }) => !taken_over || epoch === 2));
  t.is((await store.job(aBroker({ host: 'next' }), 'sweep', 1))?.epoch, 4);
  t.is((await store.get('fact', { topic: 'installation', name: '', item: '' }))?.value, '0123456789abcdef');
  t.is(await store.count('request', { status: 'in_progress' }), 12);
  await store.close();
}

for (const [title, one, other] of [
  ['SQLite to PostgreSQL and back', file, schema],
  ['PostgreSQL to SQLite and back', schema, file],
  ['PostgreSQL to another schema and back', schema, schema],
] as const)
  test.serial(`a copy from ${title} keeps every row, and only one of the two storages can be used`, async (t) => {
    const [from, to] = [await filled(one()), other()];
    const before = await from.rows();
    const ran = await copy(from, to);
    t.is(ran.code, 0, ran.err);
    t.like(JSON.parse(ran.out), { copied: true, records: { request: 13, machine: 12, event: 21 } });
    t.deepEqual(await to.rows(), before);
    t.regex((await refusalOf(from)) ?? '', /was copied to .* brokers continue there/);
    const check = await runCli(['storage', 'check', ...configured(to), '--output', 'json']);
    t.is(check.code, 0, check.out + check.err);
    t.deepEqual(
      JSON.parse(check.out).findings.filter(({ level }: any) => level === 'error'),
      [],
    );
    const again = await copy(from, to);
    t.is(again.code, 0, again.err);
    t.like(JSON.parse(again.out), { copied: false });

    await continues(t, to);
    const changed = await to.rows();
    await new Promise((resolve) => void setTimeout(resolve, 5));
    const refused = await copy(to, from);
    t.is(refused.code, 4);
    t.regex(refused.err, /is not empty: it has \d+ records.*--replace/);
    t.is(await refusalOf(to), undefined, 'a refused copy leaves its source usable');
    const back = await copy(to, from, '--replace');
    t.is(back.code, 0, back.err);
    t.deepEqual(await from.rows(), changed);
    t.is(await refusalOf(from), undefined);
    t.regex((await refusalOf(to)) ?? '', /was copied to/);
  });

/** Where a process is killed: the calls of the source and of the target, and pages of records. */
const points = [
  'source fence before',
  'source fence after',
  'page 1',
  'page 5',
  'page 8',
  'target receive after',
  'source moved before',
  'source moved after',
  'target complete before',
  'target complete after',
];

for (const [title, one, other] of [
  ['SQLite to PostgreSQL', file, schema],
  ['PostgreSQL to SQLite', schema, file],
] as const)
  test.serial(`a copy from ${title} that is killed at any point is completed by a repetition`, async (t) => {
    for (const point of points) {
      const [from, to] = [await filled(one()), other()];
      const before = await from.rows();
      const process = spawn(
        globalThis.process.execPath,
        [join(import.meta.dirname, '../../support/killed-copy.ts'), point, JSON.stringify([from.storage, to.storage])],
        { stdio: ['ignore', 'inherit', 'inherit'] },
      );
      const [, signal] = await once(process, 'exit');
      t.is(signal, 'SIGKILL', point);
      const exists = to.storage.type !== 'sqlite' || existsSync(to.name);
      const usable = [await refusalOf(from), exists ? await refusalOf(to) : 'absent'].map(
        (each) => each === undefined,
      );
      if (!exists && point.startsWith('page')) {
        t.regex((await refusalOf(to)) ?? '', /partial-\d+.* under way or was interrupted/, point);
        t.false(existsSync(to.name), `${point}: a broker that is refused creates no file`);
      }
      t.false(
        usable[0] && usable[1] && (await to.rows())['request']?.length !== 0,
        `${point}: both storages can be used`,
      );
      const ran = await copy(from, to);
      t.is(ran.code, 0, `${point}: ${ran.err}`);
      t.deepEqual(await to.rows(), before, point);
      t.is(await refusalOf(to), undefined, point);
      t.regex((await refusalOf(from)) ?? '', /was copied to/, point);
      if (to.storage.type === 'sqlite')
        t.deepEqual(
          readdirSync(dirname(to.name)).filter((name) => name.includes('partial')),
          [],
          point,
        );
      // A broker that worked meanwhile: a further repetition changes nothing.
      const store = await to.open();
      await store.commit([insert('request', aRequest('r-new'))]);
      await store.close();
      t.is((await copy(from, to)).code, 0);
      t.is((await to.rows())['request']?.length, 14, point);
    }
  });

test.serial('an interrupted copy is given up with reopen, and the source goes on', async (t) => {
  const [from, to, third] = [await filled(file()), schema(), file()];
  for (const point of ['source fence after', 'source moved before']) {
    const process = spawn(
      globalThis.process.execPath,
      [join(import.meta.dirname, '../../support/killed-copy.ts'), point, JSON.stringify([from.storage, to.storage])],
      { stdio: 'inherit' },
    );
    await once(process, 'exit');
    t.regex((await refusalOf(from)) ?? '', /is being copied.*muster storage reopen/);
    const ran = await runCli(['storage', 'reopen', ...configured(from)]);
    t.is(ran.code, 0, ran.err);
    t.is(await refusalOf(from), undefined);
  }
  t.regex((await refusalOf(to)) ?? '', /incomplete copy/);
  t.is((await runCli(['storage', 'reopen', ...configured(to)])).code, 4);
  // The source changed since: the incomplete copy is not completed with what it has.
  const store = await from.open();
  await store.commit([insert('request', aRequest('r-new'))]);
  await store.close();
  const ran = await copy(from, to);
  t.is(ran.code, 0, ran.err);
  t.deepEqual(await to.rows(), await from.rows());
  const elsewhere = await copy(from, third);
  t.is(elsewhere.code, 4);
  t.regex(elsewhere.err, /was copied to .* already/);
  t.is((await runCli(['storage', 'reopen', ...configured(from)])).code, 4);
  t.is((await runCli(['storage', 'reopen', '--force', ...configured(from)])).code, 0);
  t.is(await refusalOf(from), undefined);
});

test.serial('a run that was suspended replaces nothing that another run of the same copy received', async (t) => {
  for (const [one, other] of [
    [file, schema],
    [schema, file],
  ] as const) {
    const [from, to] = [await filled(one()), other()];
    const endOf = (side: Side) =>
      (side.storage.type === 'sqlite' ? sqlite : postgres).storages?.[0]?.transfer?.(side.storage as any) as any;
    const [source, target] = [await endOf(from), await endOf(to)];
    const resumed = Promise.withResolvers<void>();
    const receive = target.receive.bind(target);
    target.receive = async (...given: unknown[]) => {
      await resumed.promise;
      return receive(...given);
    };
    const self = thisBroker({ server: { port: 0 } } as never);
    const suspended = copyStorage(source, target, true, self);
    await until(async () => (await source.state()).to !== undefined);
    t.is((await copy(from, to)).code, 0);
    const store = await to.open();
    await store.commit([insert('request', aRequest('r-new'))]);
    await store.close();
    resumed.resolve();
    t.like(await t.throwsAsync(suspended), { code: 'CONFLICT' });
    t.is((await to.rows())['request']?.length, 14);
    t.is(await refusalOf(to), undefined);
    t.regex((await refusalOf(from)) ?? '', /was copied to/, 'the failed run does not open the source again');
  }
});

test.serial(
  'a storage that a broker uses is not copied, nor replaced, and a store that is open can write no more',
  async (t) => {
    for (const [one, other] of [
      [file, schema],
      [schema, file],
    ] as const) {
      const [from, to] = [await filled(one()), other()];
      const store = await from.open();
      t.teardown(() => store.close());
      await store.renew(aBroker({ host: 'far', broker_id: 'b' }), 60_000);
      const refused = await copy(from, to);
      t.is(refused.code, 4);
      t.regex(refused.err, /Brokers use .* pid \d+ on far.*muster server stop/);
      await store.commit([insert('request', aRequest('r-still'))]);
      await store.leave(aBroker({ host: 'far', broker_id: 'b' }));
      // An API-only server has no lease.
      t.is((await copy(from, to)).code, 0);
      for (const write of [
        store.commit([insert('request', aRequest('r-late'))]),
        store.renew(aBroker({ host: 'far' }), 60_000),
        store.yield([{ request_id: 'r-1', epoch: 1 }]),
      ]) {
        const error: any = await write.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        t.is(error?.code, 'UNAVAILABLE');
        t.regex(error.message, /it is being copied to .*, or was/);
      }
      t.deepEqual(await to.rows(), await from.rows());
      const live = await to.open();
      t.teardown(() => live.close());
      await live.renew(aBroker({ host: 'far' }), 60_000);
      const empty = await filled(one());
      t.regex((await copy(empty, to, '--replace')).err, /Brokers use/);
    }
  },
);

test.serial('what cannot be copied is refused before anything changes, and no password is printed', async (t) => {
  const from = await filled(file());
  const config = configured(from);
  const secret = 'geheimes-wort';
  const away = `postgres://muster:${secret}@127.0.0.1:1/nowhere`;
  const run = (...args: string[]) => runCli(['storage', 'copy', ...args, ...config, '--output', 'json']);
  const results = [
    [4, await run('--to', away), /--to contains a password.*MUSTER_STORAGE_TO_URL/],
    [4, await run('--to', `postgres://127.0.0.1:1/x?password=${secret}`), /contains a password/],
    [4, await run('--to', `mysql://muster@host/${'x'}`), /begin with 'mysql:\/\/'/],
    [4, await run(), /Name the target in one way/],
    [4, await run('--to', from.name), /is the source and the target/],
    [3, await run('--from', '/nowhere/muster.db', '--to', '/tmp/x.db'), /There is no storage of muster/],
  ] as const;
  process.env['MUSTER_STORAGE_TO_URL'] = away;
  t.teardown(() => delete process.env['MUSTER_STORAGE_TO_URL']);
  const absent = [5, await run(), /nowhere at 127\.0\.0\.1:1.*ECONNREFUSED/] as const;
  for (const [code, ran, text] of [...results, absent]) {
    t.is(ran.code, code, ran.err);
    t.regex(ran.err, text);
    t.notRegex(ran.out + ran.err, new RegExp(secret));
  }
  t.is(await refusalOf(from), undefined);
  // Two names of one schema.
  const [one] = [await filled(schema())];
  const alias = await runCli([
    'storage',
    'copy',
    '--to',
    one.name.replace('127.0.0.1', 'localhost'),
    '--replace',
    ...configured(one),
  ]);
  t.is(alias.code, 4, alias.out);
  t.regex(alias.err, /is the source and the target/);
  t.is((await one.rows())['request']?.length, 13);
  t.is(await refusalOf(one), undefined);
});

test.serial(
  'a backup of PostgreSQL beside a broker at work is one moment, and a broker continues from it',
  async (t) => {
    const from = await filled(schema());
    const store = await from.open();
    t.teardown(() => store.close());
    await store.renew(aBroker({ host: 'far' }), 60_000);
    let writes = 0;
    const writer = new AbortController();
    const writing = (async () => {
      for (; !writer.signal.aborted; writes += 1)
        await store.commit([
          insert('request', aRequest(`w-${writes}`)),
          insert('event', anEvent({ request_id: `w-${writes}` })),
        ]);
    })();
    await until(async () => writes > 20);
    const backup = join(oneOfMany('muster-backup-'), 'muster.db');
    const config = configured(from);
    const acknowledged = writes;
    const ran = await runCli(['storage', 'backup', backup, ...config, '--output', 'json']);
    writer.abort();
    await writing;
    t.is(ran.code, 0, ran.err);
    t.like(JSON.parse(ran.out), { file: backup, check: { valid: true, path: backup } });
    const [[requests = 0] = []] = await askFile(backup)("SELECT count(*) FROM request WHERE request_id LIKE 'w-%'");
    const [[events = 0] = []] = await askFile(backup)("SELECT count(*) FROM event WHERE request_id LIKE 'w-%'");
    t.true(Number(requests) >= acknowledged);
    t.is(requests, events);
    t.is((await runCli(['storage', 'backup', backup, ...config])).code, 4);
    t.is((await runCli(['storage', 'backup', backup, '--force', ...config])).code, 0);
    t.deepEqual(readdirSync(dirname(backup)), ['muster.db']);
    const check = await runCli(['storage', 'check', '--file', backup, ...config]);
    t.is(check.code, 0, check.out + check.err);
    // The way back: into an empty schema.
    const restored = schema();
    const back = await runCli(['storage', 'copy', '--from', backup, '--to', restored.name, ...config]);
    t.is(back.code, 0, back.err);
    t.is(await refusalOf(restored), undefined);
    t.deepEqual(await restored.rows(), await rowsOf(askFile(backup)));
  },
);

test.serial(
  'machines that were started before a copy are returned after it, and nothing is started twice',
  async (t) => {
    const place = await makePlace({ knobs: { latency_ms: { RunInstances: 300 } } });
    t.teardown(() => place.close());
    const call = async (url: string, method: string, path: string, body?: unknown): Promise<any> => {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      return answer.json();
    };
    const first = await startBroker({ place });
    const ask = async () =>
      (await call(first.url, 'POST', '/machines/request', { template_id: 'small', machine_count: 2 })).request_id;
    const early = await ask();
    await until(async () => (await call(first.url, 'GET', `/requests/${early}/status`)).status === 'completed');
    // Killed while the cloud answers: the outcome of this order is unknown to the storage.
    const late = await ask();
    await until(async () => Object.keys(place.simulator.ledger().launches).length > 1);
    await first.kill('SIGKILL');

    const to = schema();
    const config = ['--config', join(place.directory, 'muster.config.json')];
    const ran = await runCli(['storage', 'copy', '--to', to.name, ...config]);
    t.is(ran.code, 0, ran.err);
    const other = await bootBroker({ place: { ...place, directory: besides(place.directory, to.storage) } });
    t.teardown(() => other.close());
    const status = async (id: string) => (await other.call('GET', `/requests/${id}/status?long=true`)).body;
    await other.until(async () => (await status(late)).status === 'completed');
    const machine_ids = [...(await status(early)).machines, ...(await status(late)).machines].map(
      ({ machine_id }: any) => machine_id,
    );
    t.is(machine_ids.length, 4);
    const { request_id } = (await other.call('POST', '/machines/return', { machine_ids })).body;
    await other.until(async () => (await status(request_id)).status === 'completed');
    const { live, launches, untagged } = place.simulator.ledger();
    t.deepEqual(Object.values(live).flat(), []);
    t.deepEqual(untagged, []);
    t.deepEqual(Object.values(launches), [2, 2]);
  },
);

/** A directory with the same configuration on another storage. */
function besides(directory: string, storage: object): string {
  const other = oneOfMany('muster-copied-');
  const configuration = JSON.parse(readFileSync(join(directory, 'muster.config.json'), 'utf8'));
  const plugins = [...configuration.plugins, 'storage-postgres'];
  writeFileSync(join(other, 'muster.config.json'), JSON.stringify({ ...configuration, plugins, storage }));
  copyFileSync(join(directory, 'templates.json'), join(other, 'templates.json'));
  return other;
}
