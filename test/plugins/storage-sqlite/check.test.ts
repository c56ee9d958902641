import { closeSync, openSync, readdirSync, statSync, truncateSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { dirname, join } from 'node:path';
import test from 'ava';
import { newest } from '../../../plugins/storage-sqlite/migrations/index.ts';
import plugin from '../../../plugins/storage-sqlite/index.ts';
import { bootBroker, makePlace } from '../../support/boot-broker.ts';
import {
  aMachine,
  anAttempt,
  anEvent,
  aRequest,
  aSignal,
  insert,
  reserving,
} from '../../../plugin-testkit/storage/records.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';
import { nothingReserved, type BudgetScope, type Change, type StorageCheck } from '../../../core/index.ts';

const [driver] = plugin.storages ?? [];
const check = (path: string): Promise<StorageCheck> =>
  driver?.check?.({ path }) ?? Promise.reject(new Error('It cannot check.'));
const attempt = (number: number, given = {}): Change => ({
  op: 'put',
  kind: 'attempt',
  record: anAttempt(number, given),
});

const budget = (scope: BudgetScope): Change => ({
  op: 'budget',
  name: 'b',
  scope,
  bounds: { max_machines: 99, asked: nothingReserved },
});
const reserves = reserving(2, { provider_instance: 'east', market: 'spot', tags: { team: 'blue', 'a\0b': 'c' } });

/** A database in which everything is as it should be. */
async function sound(): Promise<string> {
  const path = freshPath();
  const store = await openFile(path);
  await store.commit([
    budget({}),
    budget({ template_id: 'small', market: 'spot', tags: { team: 'blue' } }),
    budget({ provider_instance: 'west' }),
    insert('request', aRequest('r-1', { reserves })),
    insert('request', aRequest('r-2', { status: 'completed', next_at: null })),
    insert('request', aRequest('ret-1', { kind: 'return' })),
    attempt(1),
    attempt(2, { token: 't2' }),
    insert('machine', aMachine('m-1')),
    insert('machine', aMachine('m-2', { attempt: 2, request_id: 'r-1' })),
    insert('signal', aSignal('w-1', { return_id: 'ret-1' })),
    ...[1, 2, 3, 4].map(() => insert('event', anEvent({ request_id: 'r-1' }))),
  ]);
  await store.close();
  return path;
}

function altered(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  database.close();
}

const said = ({ findings }: StorageCheck) =>
  findings.map(({ level, path, message }) => `${level} ${path}: ${message}`);

test('an intact database is reported as intact, with its contents, and the check leaves no file behind', async (t) => {
  const path = await sound();
  const found = await check(path);
  t.deepEqual(said(found), []);
  t.like(found, { valid: true, path, schema_version: newest, log_bytes: 0, size_bytes: statSync(path).size });
  t.like(found.records, { request: 3, attempt: 2, machine: 2, signal: 1, event: 4, template: 0 });
  t.deepEqual(readdirSync(dirname(path)), ['muster.db']);
});

test('the sums of budgets are right after groups of commits of which some are refused, by two connections', async (t) => {
  const path = freshPath();
  const stores = [await openFile(path), await openFile(path)] as const;
  const scopes: readonly BudgetScope[] = [
    {},
    { tags: { team: 'a' } },
    { provider_instance: 'east' },
    { market: 'spot' },
  ];
  const parts = [
    {},
    { tags: { team: 'a' } },
    { provider_instance: 'east', market: 'any' },
    { market: 'spot' },
  ] as const;
  const most = (scope: BudgetScope, machines: number): Change => ({
    op: 'budget',
    name: 'b',
    scope,
    bounds: { max_machines: 25, asked: { ...nothingReserved, machines } },
  });
  let refused = 0;
  for (let round = 0; round < 12; round += 1) {
    const put = (i: number, n: number): Change[] => [
      { op: 'fence', request_id: `r-${i}`, epoch: 0 },
      { op: 'put', kind: 'request', record: aRequest(`r-${i}`, { reserves: reserving(n, parts[(i + n) % 4]) }) },
    ];
    const commits = Array.from({ length: 24 }, (_, j): Change[] => {
      const i = 24 * round + j;
      // Budgets come into use one after another, also in commits that are refused.
      const checks = scopes.slice(0, round).map((scope) => most(scope, 1));
      if (j % 6 === 4) return put(i - 24, 1 + (j % 3));
      if (j % 6 === 5) return [{ op: 'delete', kind: 'request', key: { request_id: `r-${i - 30}` } }];
      return [insert('request', aRequest(`r-${i}`, { reserves: reserving(1 + (j % 3), parts[j % 4]) })), ...checks];
    });
    const results = await Promise.allSettled(commits.map((commit, j) => stores[j % 2]?.commit(commit)));
    refused += results.filter(({ status }) => status === 'rejected').length;
  }
  t.true(refused > 24, `${refused} were refused`);
  t.true((await stores[0].reserved({})).machines > 0);
  await Promise.all(stores.map((store) => store.close()));
  t.deepEqual(said(await check(path)), []);
});

const breaks: readonly (readonly [string, string, RegExp])[] = [
  [
    'an attempt without its request',
    "UPDATE attempt SET request_id = 'gone', doc = json_set(doc, '$.request_id', 'gone') WHERE attempt = 2",
    /error \/attempt\/gone\/2: belongs to a request/,
  ],
  [
    'a machine without its request',
    "UPDATE machine SET request_id = 'gone', doc = json_set(doc, '$.request_id', 'gone') WHERE machine_id = 'm-1'",
    /error \/machine\/east\/m-1: belongs to a request.*never released/,
  ],
  [
    'a machine without its attempt',
    'DELETE FROM attempt WHERE attempt = 2',
    /error \/machine\/east\/m-2: belongs to an attempt/,
  ],
  [
    'a signal for nobody',
    "UPDATE signal SET request_id = 'gone', doc = json_set(doc, '$.request_id', 'gone')",
    /error \/signal\/w-1: is meant for/,
  ],
  [
    'a signal of a return that is gone',
    "DELETE FROM request WHERE request_id = 'ret-1'",
    /error \/signal\/w-1: belongs to a return/,
  ],
  [
    'one machine under two attempts',
    "INSERT INTO machine SELECT 'west', machine_id, request_id, 2, template_id, status, name, private_ip, return_id, created_at, gone_at, json_set(doc, '$.provider_instance', 'west', '$.attempt', 2), market FROM machine WHERE machine_id = 'm-1'",
    /warning \/machine\/east\/m-1 and \/machine\/west\/m-1: live under one id/,
  ],
  [
    'two orders under one token',
    "UPDATE attempt SET token = 't', doc = json_set(doc, '$.token', 't')",
    /error \/attempt\/r-1\/2: was ordered under the same token/,
  ],
  [
    'a machine that nobody follows',
    "UPDATE request SET status = 'failed', next_at = NULL, doc = json_set(doc, '$.status', 'failed', '$.next_at', NULL) WHERE request_id = 'r-1'",
    /error \/machine\/east\/m-1: lives, although its request has ended/,
  ],
  [
    'a request that nobody carries on',
    "UPDATE request SET next_at = NULL, doc = json_set(doc, '$.next_at', NULL) WHERE request_id = 'ret-1'",
    /warning \/request\/ret-1: has not ended/,
  ],
  [
    'a claim from the future',
    "INSERT INTO claim VALUES ('r-1', 7, 1)",
    /error \/request\/r-1: is claimed under an epoch/,
  ],
  [
    'a claim without its request',
    "INSERT INTO claim VALUES ('gone', 0, 1)",
    /error \/claim: a row refers to a request/,
  ],
  [
    'a counter of requests that is off',
    "UPDATE counter SET n = n + 1 WHERE of = 'request' AND sort = 'return'",
    /error \/counter\/request\/return\/pending: differs from the number/,
  ],
  [
    'a counter of machines that is missing',
    "DELETE FROM counter WHERE of = 'machine'",
    /error \/counter\/machine\/\/pending: differs from the number/,
  ],
  [
    'a sum of a budget that is off',
    'UPDATE budget SET machines = machines + 1 WHERE scope LIKE \'["small",%\'',
    /error \/budget\/\["small",null,"spot",\[\["team","blue"\]\]\]: differs from what the requests reserve/,
  ],
  [
    'a sum of a budget that nothing reserves for',
    'UPDATE budget SET unpriced = 1 WHERE scope LIKE \'[null,"west",%\'',
    /error \/budget\/\[null,"west",null,\[\]\]: differs from what the requests reserve/,
  ],
  [
    'a document that is none',
    "UPDATE machine SET doc = substr(doc, 5) WHERE machine_id = 'm-2'",
    /error \/machine\/east\/m-2: cannot be parsed/,
  ],
  [
    'a column that says something else',
    "UPDATE request SET status = 'failed' WHERE request_id = 'r-2'",
    /error \/request\/r-2: cannot be parsed, or differs/,
  ],
  ['a journal with a hole', 'DELETE FROM event WHERE seq IN (2, 3)', /warning \/event\/2 to \/event\/3: is missing/],
  [
    'a journal that would count anew',
    "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'event'",
    /error \/event: would get the number/,
  ],
];

for (const [name, sql, finding] of breaks) {
  test(`${name} is found`, async (t) => {
    const path = await sound();
    altered(path, sql);
    const found = await check(path);
    t.true(
      said(found).some((line) => finding.test(line)),
      said(found).join('\n'),
    );
    t.is(found.valid, !finding.source.startsWith('error'));
  });
}

test('garbage in the middle of pages, missing pages and no pages at all are found', async (t) => {
  for (const [spoil, message] of [
    [(path: string) => overwrite(path, 20 * 4096 + 100, 3 * 4096, 0xa5), /./],
    [(path: string) => truncateSync(path, 8 * 4096), /malformed/],
    [(path: string) => overwrite(path, 0, statSync(path).size, 0), /not a database/],
    [(path: string) => truncateSync(path, 0), /empty/],
  ] as const) {
    const path = await sound();
    spoil(path);
    const { valid, findings } = await check(path);
    t.false(valid);
    t.regex(findings.map((each) => each.message).join(), message);
  }
});

function overwrite(path: string, at: number, length: number, byte: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(length, byte), 0, length, at);
  closeSync(file);
}

test('what a broker leaves at any moment of its work is sound, and the check does not hinder it', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const booted = await bootBroker({ place });
  t.teardown(() => booted.close());
  const path = join(place.directory, 'data', 'muster.db');
  const ids: string[] = [];
  for (let i = 0; i < 6; i++) {
    const { body } = await booted.call('POST', '/machines/request', {
      template_id: i % 2 ? 'small' : 'fleet',
      machine_count: 2,
    });
    ids.push(body.request_id);
    t.deepEqual(said(await check(path)), []);
  }
  const status = async (id: string) => (await booted.call('GET', `/requests/${id}/status`)).body;
  const machines = await booted.until(async () => {
    t.deepEqual(said(await check(path)), []);
    const seen = await Promise.all(ids.map(status));
    return seen.every((each) => each.status === 'completed') && seen.flatMap((each) => each.machines);
  });
  t.is(machines.length, 12);
  const { body } = await booted.call('POST', '/machines/return', {
    machine_ids: machines.map((each: any) => each.machine_id),
  });
  await booted.until(async () => {
    t.deepEqual(said(await check(path)), []);
    return (await status(body.request_id)).status === 'completed';
  });
  // A request is over for the loop a moment after its return.
  const found = await booted.until(async () => {
    await booted.broker.services.cleanUp.requests(0);
    const now = await check(path);
    t.deepEqual(said(now), []);
    return now.records['machine'] === 0 && now;
  });
  t.true((found.records['event'] ?? 0) > 0);
});
