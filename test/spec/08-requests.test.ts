import test from 'ava';
import { openReturn } from '../../core/requests/open-return.ts';
import type { BootedBroker } from '../support/boot-broker.ts';
import { shape, specBroker } from './spec-broker.ts';

/** Per scheduler: two requests, of which one is delivered and half given back. */
interface Stage {
  readonly broker: BootedBroker;
  readonly delivered: string;
  readonly returned: string;
}
const stages: Record<string, Stage> = {};
const idOf = ({ body }: { body: any }): string => body.request_id ?? body.requestId;
const one = (body: any): any => body.requests?.[0] ?? body;

test.before(async () => {
  for (const scheduler of ['default', 'hostfactory'] as const) {
    const broker = await specBroker({ scheduler, loop: 'inline', knobs: { shutdown_ms: 60_000 } });
    const delivered = idOf(await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 }));
    const { machines } = await broker.until(async () => {
      const request = one((await broker.call('GET', `/requests/${delivered}`)).body);
      return request.machines.filter((each: any) => each.status === 'running').length === 2 && request;
    });
    const [first] = machines;
    const returned = idOf(
      await broker.call('POST', '/machines/return', { machine_ids: [first.machine_id ?? first.machineId] }),
    );
    stages[scheduler] = { broker, delivered, returned };
  }
});
test.after.always(() => Promise.all(Object.values(stages).map(({ broker }) => broker.close())));
const stage = (scheduler: 'default' | 'hostfactory') => stages[scheduler] as Stage;

test('GET /requests/: the default scheduler lists both kinds without their machines, newest first', async (t) => {
  const { broker, delivered, returned } = stage('default');
  const { status, body } = await broker.call('GET', '/requests/');
  t.is(status, 200);
  t.deepEqual(Object.keys(body), ['requests', 'count', 'total_count']);
  t.deepEqual(
    body.requests.map((each: any) => each.request_id),
    [returned, delivered],
  );
  t.like(body, { count: 2, total_count: 2 });
  t.false('machines' in body.requests[0]);
  t.like(body.requests[1], { template_id: 'small', machine_count: 2, provider_instance: 'east' });
});

test('GET /requests/: HostFactory lists {requests} with its own words', async (t) => {
  const { broker, delivered, returned } = stage('hostfactory');
  const { body } = await broker.call('GET', '/requests/');
  t.deepEqual(Object.keys(body), ['requests']);
  t.deepEqual(
    body.requests.map((each: any) => each.requestId),
    [returned, delivered],
  );
  t.true(['running', 'complete', 'complete_with_error'].includes(body.requests[0].status));
});

test("GET /requests/: status filters by the specification's words, under HostFactory too", async (t) => {
  for (const { broker, delivered } of Object.values(stages)) {
    const { body } = await broker.call('GET', '/requests/?status=completed');
    t.deepEqual(
      body.requests.map((each: any) => each.request_id ?? each.requestId),
      [delivered],
    );
    t.deepEqual((await broker.call('GET', '/requests/?status=cancelled')).body.requests, []);
    t.is((await broker.call('GET', '/requests/?status=complete')).status, 400);
  }
});

test('GET /requests/: limit is how many are given', async (t) => {
  const { body } = await stage('default').broker.call('GET', '/requests/?limit=1');
  t.like(body, { count: 1, total_count: 2 });
  for (const limit of ['0', '1001', 'x', '1.5'])
    t.is((await stage('default').broker.call('GET', `/requests/?limit=${limit}`)).status, 400, limit);
  t.is((await stage('default').broker.call('GET', '/requests/?limit=1000')).status, 200);
});

test('GET /requests/return: the returns that are not done, with their machines', async (t) => {
  const { broker, returned } = stage('default');
  const { status, body } = await broker.call('GET', '/requests/return');
  t.is(status, 200);
  t.like(body, { count: 1, total_count: 1 });
  const [only] = body.requests;
  t.like(only, { request_id: returned, template_id: 'small', machine_count: 1 });
  t.deepEqual(
    only.machine_ids,
    only.machines.map((each: any) => each.machine_id),
  );
  const theirs = (await stage('hostfactory').broker.call('GET', '/requests/return')).body;
  t.deepEqual(Object.keys(theirs), ['requests']);
  t.like(theirs.requests[0], { requestId: stage('hostfactory').returned, status: 'running' });
});

test('GET /requests/return: in pages as other lists, each return once, and how many there are in all', async (t) => {
  const broker = await specBroker();
  t.teardown(() => broker.close());
  const { completed_at: _, ...open } = openReturn([], 60, Date.now(), {}).request;
  const records = Array.from({ length: 1100 }, (_, i) => ({
    ...open,
    request_id: `ret-${i}`,
    status: 'pending' as const,
  }));
  await broker.broker.store.commit(records.map((record) => ({ op: 'insert', kind: 'request', record }) as const));
  const page = async (query: string) => (await broker.call('GET', `/requests/return${query}`)).body;
  const first = await page('');
  t.like(first, { count: 50, total_count: 1100 });
  t.is(first.requests.length, 50);
  t.like(await page('?limit=1000'), { count: 1000, total_count: 1100 });
  const seen = new Set<string>();
  for (let at = 1; at <= 6; at += 1)
    for (const { request_id } of (await page(`?page=${at}&page_size=200`)).requests) seen.add(request_id);
  t.is(seen.size, 1100);
  t.deepEqual(
    (await page('?limit=2&sort=request_id:asc')).requests.map((each: any) => each.request_id),
    ['ret-0', 'ret-1'],
  );
  for (const query of [
    '?limit=0',
    '?limit=1001',
    '?page_size=201',
    '?limit=5&page_size=5',
    '?sort=colour:asc',
    '?offset=3&page=2',
  ])
    t.is((await broker.call('GET', `/requests/return${query}`)).status, 400, query);
});

test('GET /requests/{request_id}/status: the row of the default scheduler', async (t) => {
  const { broker, delivered } = stage('default');
  const { status, body } = await broker.call('GET', `/requests/${delivered}/status`);
  t.is(status, 200);
  t.like(shape(body), { request_id: 'string', template_id: 'string', machine_count: 'integer', status: 'string' });
  t.like(shape(body.machines[1]), { machine_id: 'string', status: 'string', private_ip: 'string' });
});

test('GET /requests/{request_id}/status: long defaults to true, false omits machines and selection', async (t) => {
  const { broker, delivered } = stage('default');
  const path = `/requests/${delivered}/status`;
  t.deepEqual((await broker.call('GET', path)).body, (await broker.call('GET', `${path}?long=true`)).body);
  const { body } = await broker.call('GET', `${path}?long=false`);
  t.false('machines' in body);
  t.false('provider_selection' in body);
  t.like(body, { request_id: delivered, status: 'completed', provider_instance: 'east' });
  t.is((await broker.call('GET', `${path}?long=2`)).status, 400);
  const theirs = stage('hostfactory');
  const short = (await theirs.broker.call('GET', `/requests/${theirs.delivered}/status?long=false`)).body;
  t.deepEqual(short.requests[0].machines, []);
});

test('GET /requests/{request_id}/status: HostFactory gets {requests: [one]} with results of machines', async (t) => {
  const { broker, delivered } = stage('hostfactory');
  const { body } = await broker.call('GET', `/requests/${delivered}/status`);
  t.deepEqual(Object.keys(body), ['requests']);
  t.is(body.requests.length, 1);
  t.like(body.requests[0], { requestId: delivered, status: 'complete' });
  t.deepEqual(
    body.requests[0].machines.map((each: any) => each.result),
    ['succeed', 'succeed'],
  );
  t.like(shape(body.requests[0].machines[0]), {
    machineId: 'string',
    name: 'string',
    result: 'string',
    status: 'string',
    privateIpAddress: 'string',
    launchtime: 'integer',
    message: 'string',
  });
});

test('GET /requests/{request_id}/status: verbose is another name of long', async (t) => {
  for (const { broker, delivered } of Object.values(stages)) {
    const path = `/requests/${delivered}/status`;
    const short = await broker.call('GET', `${path}?verbose=false`);
    t.is(short.status, 200);
    t.deepEqual(short.body, (await broker.call('GET', `${path}?long=false`)).body);
    t.deepEqual(
      (await broker.call('GET', `${path}?verbose=true`)).body,
      (await broker.call('GET', `${path}?long=true`)).body,
    );
    const both = await broker.call('GET', `${path}?verbose=true&long=false`);
    t.is(both.status, 400);
    t.regex(both.body.detail, /'verbose' and 'long' are the same field/);
  }
});

test('GET /requests/{request_id}: the same as the status with long=true', async (t) => {
  for (const { broker, delivered } of Object.values(stages)) {
    const [plain, long] = await Promise.all([
      broker.call('GET', `/requests/${delivered}`),
      broker.call('GET', `/requests/${delivered}/status?long=true`),
    ]);
    t.is(plain.status, 200);
    t.deepEqual(plain.body, long.body);
    t.is((await broker.call('GET', `/requests/${delivered}?long=false`)).status, 400, 'it takes no long');
  }
});

test('GET /requests/…: 404 for an unknown id, under both schedulers', async (t) => {
  for (const { broker } of Object.values(stages)) {
    for (const path of ['/requests/req-none', '/requests/req-none/status', '/requests/ret-none']) {
      const { status, body } = await broker.call('GET', path);
      t.is(status, 404);
      t.deepEqual(Object.keys(body), ['detail', 'code']);
    }
  }
});

test('GET /requests/…: the header X-Observed-At says how old the answer is', async (t) => {
  const { broker, delivered } = stage('default');
  t.regex(
    (await broker.call('GET', `/requests/${delivered}/status`)).headers['x-observed-at'] ?? '',
    /^\d{4}-\d\d-\d\dT/,
  );
});

test('a request tells its deadline, and while it is open when the provider was asked', async (t) => {
  const { broker, delivered, returned } = stage('default');
  const ended = (await broker.call('GET', `/requests/${delivered}`)).body;
  t.is(ended.status, 'completed');
  t.false('observed_at' in ended);
  t.is(Date.parse(ended.deadline_at) - Date.parse(ended.created_at), 3_600_000);
  const { body, headers } = await broker.call('GET', `/requests/${returned}`);
  t.is(body.status, 'in_progress');
  t.is(Date.parse(body.deadline_at) - Date.parse(body.created_at), 3_600_000);
  t.is(body.observed_at, headers['x-observed-at']);
  const [listed] = (await broker.call('GET', '/requests/return')).body.requests;
  t.is(listed.deadline_at, body.deadline_at);
});
