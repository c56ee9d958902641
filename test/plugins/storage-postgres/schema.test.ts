import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import pg from 'pg';
import {
  countQuery,
  isBrokerError,
  kinds,
  nothingReserved,
  selectQuery,
  silentLog,
  systemClock,
} from '../../../core/index.ts';
import type { Kind, Log, Store } from '../../../core/index.ts';
import { byCreation } from '../../../core/requests/queries/machine-order.ts';
import {
  aMachine,
  anAttempt,
  aBroker,
  anEvent,
  aRequest,
  insert,
  reserving,
} from '../../../plugin-testkit/storage/records.ts';
import { numberColumns } from '../../../plugins/storage-postgres/commits/change-statements.ts';
import plugin from '../../../plugins/storage-postgres/index.ts';
import { fingerprint, migrations, newest } from '../../../plugins/storage-postgres/migrations/index.ts';
import { postgresDialect } from '../../../plugins/storage-postgres/queries/dialect.ts';
import { checkHeldBefore, heldBefore } from '../../support/held-before.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';
import { runCli } from '../../support/run-cli.ts';
import { oneOfMany } from '../../support/temporary-directory.ts';

// One after another: many stores that open at once on a busy computer would get no connection in time.
let database: TestDatabase;
let schema = '';
test.before(async () => {
  database = await testDatabase();
  schema = database.place();
  await (await openIn(schema)).close();
});
test.after.always(() => database.remove());

const openIn = (schema: string, options: object = {}, log: Log = silentLog): Promise<Store> =>
  plugin.storages?.[0]?.open({ ...database.options(schema), ...options }, { clock: systemClock, log }) ??
  Promise.reject(new Error('The plugin has no driver.'));

for (const [kind, { key, columns, indexes }] of Object.entries(kinds)) {
  test.serial(`the table of ${kind} has every column and index that the kind asks for`, async (t) => {
    const present = await database.run(
      `SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = '${schema}' AND table_name = '${kind}'`,
    );
    const types = new Map(present as readonly (readonly [string, string])[]);
    t.deepEqual(
      [...key, ...columns].map((column) => [column, types.get(column)]),
      [...key, ...columns].map((column) => [
        column,
        numberColumns.has(column) || column === 'seq' ? 'bigint' : 'text',
      ]),
    );
    const led = (
      await database.run(`SELECT indexdef FROM pg_indexes WHERE schemaname = '${schema}' AND tablename = '${kind}'`)
    ).map(([text]) =>
      (/\((.*?)\)/.exec(String(text))?.[1] ?? '').split(', ').map((column) => column.replace(/ NULLS FIRST$/, '')),
    );
    for (const index of indexes)
      t.true(
        led.some((each) => index.every((column, i) => each[i] === column)),
        `an index for ${index.join(', ')}`,
      );
  });
}

const pages: readonly (readonly [string, Kind, object])[] = [
  ['all requests, newest first', 'request', { order: [['created_at', 'desc']], limit: 50 }],
  ['requests of a status', 'request', { where: { status: 'failed' }, order: [['created_at', 'desc']], limit: 50 }],
  ['requests of a template', 'request', { where: { template_id: 't' }, order: [['created_at', 'desc']], limit: 50 }],
  ['machines of a request', 'machine', { where: { request_id: 'r' }, order: byCreation }],
  ['living machines', 'machine', { where: { gone_at: null }, order: byCreation, limit: 50 }],
  ['all machines', 'machine', { order: byCreation, limit: 50 }],
  ['events of a request', 'event', { where: { request_id: 'r' }, order: [['seq', 'asc']], limit: 50 }],
  ['facts that ended', 'fact', { where: { until: { before: 5 } }, order: [['until', 'asc']] }],
];

test.serial('pages are read in the order of an index, without sorting', async (t) => {
  const client = new pg.Client(database.server.url);
  await client.connect();
  // The tables are empty: a plan that sorts would be cheapest.
  await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off');
  const plan = async (sql: string, values: readonly unknown[]) => {
    const { rows } = await client.query({ text: `EXPLAIN ${sql}`, values: [...values], rowMode: 'array' });
    return rows.join('\n');
  };
  const dialect = postgresDialect(schema);
  for (const [name, kind, query] of pages) {
    const { sql, values } = selectQuery(dialect, 'doc', kind, query);
    const found = await plan(sql, values);
    t.regex(found, /Index Scan/, name);
    t.notRegex(found, /Sort|Seq Scan/, name);
  }
  const living = countQuery(dialect, 'machine', { return_id: 'r', gone_at: null });
  t.regex(await plan(living.sql, living.values), /machine_returning/);
  await client.end();
});

test.serial('five stores that open a new schema at once find one set of tables', async (t) => {
  const place = database.place();
  const updated: object[] = [];
  const log = { ...silentLog, info: (data: object) => updated.push(data) } as Log;
  const stores = await Promise.all([1, 2, 3, 4, 5].map(() => openIn(place, {}, log)));
  t.is(updated.length, 1);
  await Promise.all(stores.map((each) => each.close()));
  t.deepEqual(
    await database.run(`SELECT version FROM ${place}.migration ORDER BY version`),
    Array.from({ length: newest }, (_, index) => [String(index + 1)]),
  );
});

async function refusal(opening: Promise<Store>): Promise<string> {
  const error = await opening.then(
    (opened) => opened.close().then(() => new Error('It was opened.')),
    (reason: unknown) => reason,
  );
  return isBrokerError(error) ? `${error.code}: ${error.message}` : String(error);
}

test.serial('a start that must not migrate refuses outdated tables and names the command', async (t) => {
  t.regex(
    await refusal(openIn(database.place(), { migrate: false })),
    /INVALID_CONFIGURATION.*version 0.*`muster storage migrate`/,
  );
  await (await openIn(schema, { migrate: false })).close();
});

test.serial(
  'tables of a newer muster are used where they work with this one, and refused where they do not',
  async (t) => {
    const place = database.place();
    await (await openIn(place)).close();
    await database.run(
      `INSERT INTO ${place}.migration (version, fingerprint, works_with) VALUES (${newest + 1}, 1, 1)`,
    );
    const opened = await openIn(place);
    await opened.commit([insert('request', aRequest('r-1'))]);
    await opened.close();
    await database.run(`UPDATE ${place}.migration SET works_with = ${newest + 1} WHERE version = ${newest + 1}`);
    t.regex(await refusal(openIn(place)), /INVALID_CONFIGURATION.*newer muster/);
  },
);

test.serial('tables of another program, and of an unreleased build, are refused and stay as they are', async (t) => {
  const place = database.place();
  await database.run(`CREATE SCHEMA ${place}`);
  await database.run(`CREATE TABLE ${place}.theirs (a int)`);
  t.regex(await refusal(openIn(place)), /INVALID_CONFIGURATION.*another program/);
  const older = database.place();
  await (await openIn(older)).close();
  await database.run(`UPDATE ${older}.migration SET fingerprint = 1`);
  t.regex(await refusal(openIn(older)), /INVALID_CONFIGURATION.*before its release/);
});

test.serial('a request whose commit is under way is not taken over, and its holder is not refused', async (t) => {
  const place = database.place();
  const opened = await openIn(place);
  t.teardown(() => opened.close());
  await opened.commit([insert('request', aRequest('r-1')), insert('request', aRequest('r-2'))]);
  const [held] = await opened.claim(aBroker({ host: 'far' }), 1, 1);
  // A commit that has checked its epoch and is not durable yet.
  const client = new pg.Client(database.server.url);
  await client.connect();
  await client.query('BEGIN');
  await client.query(`SELECT 1 FROM ${place}.request WHERE request_id = 'r-1' AND epoch = 1 FOR NO KEY UPDATE`);
  await new Promise((resolve) => void setTimeout(resolve, 10));
  const taken = await opened.claim(aBroker(), 9, 60_000);
  t.deepEqual([held?.request_id, taken.map(({ request_id }) => request_id)], ['r-1', ['r-2']]);
  await client.query('COMMIT');
  await client.end();
  const [over] = await opened.claim(aBroker(), 9, 60_000);
  t.deepEqual(over, { request_id: 'r-1', epoch: 2, taken_over: true });
});

test.serial('the check names records that disagree', async (t) => {
  const place = database.place();
  const opened = await openIn(place);
  await opened.commit([
    insert('request', aRequest('r-1', { message: 'a\0b' })),
    { op: 'insert', kind: 'attempt', record: anAttempt(1) },
    insert('machine', aMachine('m-1', { name: 'with \0 inside' })),
    insert('signal', {
      signal_id: 'w-1',
      kind: 'cancel',
      request_id: 'r-1',
      machines: [],
      created_at: 1,
      applied: true,
    }),
  ]);
  await opened.close();
  const check = () => plugin.storages?.[0]?.check?.(database.options(place));
  t.deepEqual((await check())?.findings, []);
  await database.run(`UPDATE ${place}.machine SET template_id = 'other', request_id = 'r-9'`);
  await database.run(`UPDATE ${place}.counter SET n = 7 WHERE of = 'machine'`);
  const found = await check();
  t.false(found?.valid);
  t.deepEqual(
    new Set(found?.findings.map(({ path }) => path)),
    new Set(['/machine/east/m-1', '/counter/machine//pending']),
  );
});

test.serial(
  'the check names sums of budgets that differ from what requests reserve, and triggers that are off',
  async (t) => {
    const place = database.place();
    const opened = await openIn(place);
    const tags = { team: 'blue' };
    for (const scope of [{}, { template_id: 'small', market: 'spot', tags } as const, { provider_instance: 'west' }])
      await opened.commit([{ op: 'budget', name: 'b', scope, bounds: { max_machines: 99, asked: nothingReserved } }]);
    const spot = reserving(2, { provider_instance: 'east', market: 'spot', tags: { ...tags, 'a\0b': 'c' } });
    await opened.commit([
      insert('request', aRequest('r-1', { reserves: spot })),
      insert('request', aRequest('r-2', { reserves: reserving(3) })),
    ]);
    await opened.close();
    const check = async () => (await plugin.storages?.[0]?.check?.(database.options(place)))?.findings;
    t.deepEqual(await check(), []);
    await database.run(`UPDATE ${place}.budget SET machines = machines + 1 WHERE template_id = 'small'`);
    await database.run(`UPDATE ${place}.budget SET unpriced = 1 WHERE provider_instance = 'west'`);
    await database.run(`ALTER TABLE ${place}.request DISABLE TRIGGER freed`);
    t.deepEqual(
      new Set((await check())?.map(({ level, path, message }) => `${level} ${path}: ${message}`)),
      new Set([
        'error /budget/["small",null,"spot",[["team","blue"]]]: differs from what the requests reserve',
        'error /budget/[null,"west",null,[]]: differs from what the requests reserve',
        'error /request: has not its triggers, so that its records are not counted',
      ]),
    );
  },
);

test.serial('the check names a gap in the journal, and tables that were changed by hand', async (t) => {
  const place = database.place();
  const opened = await openIn(place);
  await opened.commit([1, 2, 3, 4, 5].map(() => insert('event', anEvent())));
  await opened.commit([2, 3].map((seq) => ({ op: 'delete', kind: 'event', key: { seq } })));
  await opened.close();
  await database.run(`ALTER TABLE ${place}.machine DISABLE TRIGGER turned`);
  await database.run(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${place}.machine_name'::regclass`);
  await database.run(`DELETE FROM ${place}.clock`);
  const found = await plugin.storages?.[0]?.check?.(database.options(place));
  t.deepEqual(
    found?.findings.map(({ level, path }) => [level, path]),
    [
      ['warning', '/event/2 to /event/3'],
      ['error', `/index/${place}.machine_name`],
      ['error', '/machine'],
      ['error', '/clock'],
    ],
  );
});

test.serial('the command line prepares a schema and checks it, and shows the URL to nobody', async (t) => {
  const place = database.place();
  const directory = oneOfMany('muster-postgres-');
  const file = join(directory, 'muster.config.json');
  const url = database.server.url.replace('muster@', 'muster:geheimes-wort@');
  writeFileSync(file, JSON.stringify({ storage: { type: 'postgres', url, schema: place, migrate: false } }));
  const config = ['--config', file, '--output', 'json'];
  const before = await runCli(['storage', 'check', ...config]);
  t.is(before.code, 3, before.err);
  for (const from of [0, newest]) {
    const ran = await runCli(['storage', 'migrate', ...config]);
    t.is(ran.code, 0, ran.err);
    t.like(JSON.parse(ran.out), { from, to: newest });
  }
  const checked = await runCli(['storage', 'check', ...config]);
  t.is(checked.code, 0, checked.err);
  t.like(JSON.parse(checked.out), { valid: true, schema_version: newest, records: { request: 0 } });
  const copied = await runCli(['storage', 'backup', join(directory, 'copy'), ...config]);
  t.is(copied.code, 0, copied.err);
  const shown = await runCli(['config', 'show', '--config', file]);
  t.is(shown.code, 0, shown.err);
  t.regex(shown.out, /postgres/);
  t.notRegex([before, checked, copied, shown].map(({ out, err }) => out + err).join(), /geheimes/);
});

test.serial('a filled database of a version without budgets counts what its requests hold', async (t) => {
  const place = database.place();
  await database.run(`CREATE SCHEMA ${place}`);
  await database.run(
    `CREATE TABLE ${place}.migration (version bigint PRIMARY KEY, fingerprint bigint NOT NULL, works_with bigint NOT NULL, at timestamptz NOT NULL DEFAULT now())`,
  );
  for (const [index, { sql, worksWith }] of migrations.slice(0, 2).entries()) {
    await database.run(sql(place));
    await database.run(
      `INSERT INTO ${place}.migration (version, fingerprint, works_with) VALUES (${index + 1}, ${fingerprint(index + 1)}, ${worksWith})`,
    );
  }
  for (const [id, kind, provider_instance, holds] of heldBefore) {
    const record = {
      ...aRequest(id, { kind, provider_instance, holds, additional_data: { 'no\0te': 'a\0b \ud800' } }),
      template_id: 'small',
    };
    await database.run(
      `INSERT INTO ${place}.request (request_id, kind, status, template_id, provider_instance, holds, created_at, doc)
        VALUES ('${id}', '${kind}', '${record.status}', 'small', '${provider_instance}', ${holds}, ${record.created_at}, '${JSON.stringify(record)}')`,
    );
  }
  const store = await openIn(place);
  t.teardown(() => store.close());
  await checkHeldBefore(t, store);
});
