import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import test from 'ava';
import { Pressure } from '../../../host/http/pressure.ts';
import { until } from '../../support/boot-broker.ts';
import { serveBroker, type Served } from './serve.ts';

async function call({ port }: Served, method: string, path: string, body?: unknown) {
  const began = performance.now();
  const json =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...json });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, ms: performance.now() - began };
}

const wanted = { template_id: 'small', machine_count: 1 };
const ask = (server: Served) => call(server, 'POST', '/api/v1/machines/request', wanted);

test('while the storage cannot keep up, calls that would change something are refused at once, and all others are served', async (t) => {
  const server = await serveBroker(
    { max_wait_ms: 100 },
    { storage: 'sqlite', configuration: { storage: { type: 'sqlite', busy_timeout_ms: 60_000 } } },
  );
  t.is((await ask(server)).status, 200);
  // Another process that writes for long.
  const other = new DatabaseSync(join(server.place.directory, 'data/muster.db'));
  other.exec('BEGIN IMMEDIATE');
  t.teardown(() => server.close());
  const waiting = Array.from({ length: 5 }, () => ask(server));
  const refused = await until(async () => {
    const asked = ask(server);
    const first = await Promise.race([
      asked,
      new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), 50)),
    ]);
    if (first === undefined) waiting.push(asked);
    return first;
  });
  t.is(refused.status, 503);
  t.is(refused.headers.get('retry-after'), '1');
  t.regex(
    JSON.parse(refused.text).detail,
    /^The storage is overloaded: calls wait \d+ ms, the maximum is 100 ms \(server\.max_wait_ms\)\. Nothing was done/,
  );

  const writes = [
    ['POST', '/api/v1/machines/return', { machine_ids: ['i-1'] }],
    ['POST', '/api/v1/requests/', { templateId: 'small', maxNumber: 1 }],
    ['POST', '/api/v1/templates/', { template_id: 'new' }],
    ['DELETE', '/api/v1/requests/req-1', undefined],
    ['POST', '/api/v1/operations/create_request', wanted],
    ['POST', '/api/v1/hostfactory/requestMachines', { input: { template: { templateId: 'small', machineCount: 1 } } }],
    ['POST', '/api/v1/hostfactory/requestReturnMachines', { input: { machines: [{ name: 'a' }] } }],
  ] as const;
  for (const [method, path, body] of writes) {
    const { status, text, ms, headers } = await call(server, method, path, body);
    t.is(status, 503, `${path}: ${text}`);
    t.is(headers.get('retry-after'), '1', path);
    t.true(ms < 4_000, `${path}: ${ms} ms`);
  }
  const coded = JSON.parse((await call(server, 'POST', '/api/v1/operations/create_request', wanted)).text);
  t.like(coded.error, { code: 'UNAVAILABLE', details: { retry_after_s: 1 } });

  const reads = [
    '/livez',
    '/info',
    '/api/v1/templates/',
    '/api/v1/requests/',
    '/api/v1/providers/',
    '/openapi.json',
    '/metrics',
  ];
  for (const path of reads) t.is((await call(server, 'GET', path)).status, 200, path);
  t.is((await call(server, 'POST', '/api/v1/templates/validate', { template_id: 'a' })).status, 200);
  t.is((await call(server, 'POST', '/api/v1/operations/list_active_requests', {})).status, 200);
  const metrics = (await call(server, 'GET', '/metrics')).text;
  t.regex(metrics, /^muster_calls_refused_total\{worker="0"\} [1-9]/m);
  t.regex(metrics, /^muster_store_commits_waiting\{worker="0"\} [1-9]/m);

  other.exec('ROLLBACK');
  other.close();
  const ends = (await Promise.all(waiting)).map(({ status }) => status);
  // Some of those that were slow to be answered were refused.
  t.true(ends.every((status) => status === 200 || status === 503));
  const taken = ends.filter((status) => status === 200).length;
  t.true(taken >= 5);
  t.is((await ask(server)).status, 200);
  // All that were taken, the one before and the one after; none of those that were refused.
  t.is(await server.broker.store.count('request', {}), taken + 2);
});

test('calls that come after a thread has read others for too long are refused, and those of its next turn are not', async (t) => {
  const pressure = new Pressure(50, 0);
  t.is(pressure.objection(), undefined);
  const end = performance.now() + 60;
  while (performance.now() < end);
  t.regex(pressure.objection()?.message ?? '', /^The server is overloaded/);
  await new Promise<void>((resolve) => void setImmediate(resolve));
  t.is(pressure.objection(), undefined);
});

test('asking costs less than a microsecond', (t) => {
  const pressure = new Pressure(1_000, 0);
  for (let i = 0; i < 10_000; i += 1) pressure.objection();
  const began = performance.now();
  for (let i = 0; i < 100_000; i += 1) pressure.objection();
  const each = (performance.now() - began) / 100;
  t.log(`${each.toFixed(2)} µs`);
  t.true(each < 20);
});
