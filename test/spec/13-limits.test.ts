import test from 'ava';
import { bootBroker, type BootedBroker } from '../support/boot-broker.ts';
import { provider, specBroker } from './spec-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await specBroker({
    templates: [
      ...['a', 'b', 'c', 'd'].map((id, index) => ({
        template_id: id,
        image_id: 'ami-1',
        machine_type: 't3.small',
        subnet_ids: ['subnet-1'],
        max_instances: [9, 10, 100, 2][index],
      })),
      {
        template_id: 'unbounded',
        image_id: 'ami-1',
        machine_type: 't3.small',
        subnet_ids: ['subnet-1'],
        max_instances: -1,
      },
      { template_id: 'none', image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'], max_instances: 0 },
    ],
    configuration: {
      providers: [
        provider('east', { limits: { max_instances_per_request: 10_000 }, priority: 2 }),
        provider('west', { priority: 10, enabled: false }),
      ],
    },
  });
  for (let i = 0; i < 60; i++)
    await broker.call('POST', '/machines/request', { template_id: 'unbounded', machine_count: 1 + (i % 11) });
});
test.after.always(() => broker.close());

const groups: readonly (readonly [string, number, 'GET' | 'POST', string, unknown?])[] = [
  ['provider operations', 100, 'GET', '/providers/'],
  ['template operations', 200, 'GET', '/templates/'],
  ['request creation', 50, 'POST', '/machines/request', { template_id: 'small', machine_count: 1 }],
  ['validation operations', 500, 'POST', '/templates/validate', {}],
];
for (const [what, most, method, path, body] of groups) {
  test(`rate limits: ${what} are limited to ${most} per minute and client, in four headers`, async (t) => {
    const limited = await bootBroker({
      storage: 'memory',
      loop: 'none',
      configuration: { server: { rate_limit: { enabled: true } } },
    });
    t.teardown(() => limited.close());
    const first = await limited.call(method, path, body);
    t.is(first.headers['x-ratelimit-limit'], String(most) as never);
    t.is(Number(first.headers['x-ratelimit-remaining']), most - 1);
    t.is(Number(first.headers['x-ratelimit-window']), 60);
    const left = Number(first.headers['x-ratelimit-reset']) - Date.now() / 1000;
    t.true(left > 0 && left <= 61, 'the reset is a time in epoch seconds');
    for (let i = 1; i < most; i++) await limited.call(method, path, body);
    const refused = await limited.call(method, path, body);
    t.is(refused.status, 429);
    t.true(Number(refused.headers['retry-after']) > 0);
    t.is(Number(refused.headers['x-ratelimit-remaining']), 0);
    if (path === '/providers/') t.is(refused.body.error.code, 'RATE_LIMITED');
    else t.deepEqual(Object.keys(refused.body), ['detail', 'code']);
  });
}

/**
 * What decisions say of each route; those that read requests and machines are limited too since callers ended servers
 * with them.
 */
const grouped: Readonly<Record<string, number>> = {
  'GET /templates/': 200,
  'GET /templates/{template_id}': 200,
  'POST /templates/': 200,
  'PUT /templates/{template_id}': 200,
  'DELETE /templates/{template_id}': 200,
  'POST /templates/refresh': 200,
  'POST /templates/validate': 500,
  'POST /templates/{template_id}/validate': 500,
  'POST /templates/{template_id}/validate-multi': 500,
  'POST /requests/plan': 500,
  'POST /providers/validate': 500,
  'POST /providers/validate-env': 500,
  'GET /providers/': 100,
  'GET /providers/health': 100,
  'GET /providers/metrics': 100,
  'GET /providers/orphans': 100,
  'POST /providers/orphans/end': 100,
  'GET /providers/{provider_name}': 100,
  'GET /providers/{provider_name}/capabilities': 100,
  'POST /providers/{provider_name}/check': 100,
  'GET /providers/{provider_name}/discover': 100,
  'POST /providers/select': 100,
  'GET /requests/{request_id}/provider': 100,
  'POST /machines/reclaimed': 100,
  'POST /machines/request': 50,
  'POST /machines/return': 50,
  'POST /machines/extend': 50,
  'POST /machines/hold': 50,
  'POST /requests/': 50,
  'DELETE /requests/{request_id}': 50,
  'GET /requests/': 6000,
  'GET /requests/return': 6000,
  'GET /requests/{request_id}': 6000,
  'GET /requests/{request_id}/status': 6000,
  'POST /requests/status': 6000,
  'GET /brokers/': 6000,
  'GET /events/': 6000,
  'GET /requests/{request_id}/timeline': 6000,
  'GET /capacity/': 6000,
  'GET /requests/{request_id}/explain': 6000,
  'GET /brokers/overview': 6000,
  'GET /inventory/': 6000,
  'GET /usage': 6000,
  'GET /budgets/': 6000,
  'GET /inventory/{machine_id}': 6000,
};
test('rate limits: every route counts in its group; refusals have the headers too', async (t) => {
  const limited = await bootBroker({
    storage: 'memory',
    loop: 'none',
    configuration: { server: { rate_limit: { enabled: true } } },
  });
  t.teardown(() => limited.close());
  for (const { method, path } of limited.broker.operations.flatMap(({ rest }) => [rest ?? []].flat())) {
    const { headers } = await limited.call(
      method,
      path.replaceAll(/\{\w+\}/g, 'any'),
      method === 'GET' || method === 'DELETE' ? undefined : {},
    );
    t.is(headers['x-ratelimit-limit'], grouped[`${method} ${path}`]?.toString() as never, `${method} ${path}`);
  }
});

test('rate limits: the numbers are configurable, and off means no header at all', async (t) => {
  const few = await bootBroker({
    storage: 'memory',
    loop: 'none',
    configuration: { server: { rate_limit: { template: 1 } } },
  });
  t.teardown(() => few.close());
  t.deepEqual(
    [(await few.call('GET', '/templates/')).status, (await few.call('GET', '/templates/')).status],
    [200, 429],
  );
  t.is((await broker.call('GET', '/templates/')).headers['x-ratelimit-limit'], undefined as never);
});

test('paging: page defaults to 1 and page_size to 50', async (t) => {
  const { body } = await broker.call('GET', '/requests/');
  t.like(body, { count: 50, total_count: 60 });
  t.deepEqual((await broker.call('GET', '/requests/?page=1')).body, body);
  t.is((await broker.call('GET', '/requests/?page=2')).body.count, 10);
  t.is((await broker.call('GET', '/requests/?page=3')).body.count, 0);
});

test('paging: pages neither skip nor repeat', async (t) => {
  const ids = new Set<string>();
  for (let page = 1; page <= 9; page++)
    for (const each of (await broker.call('GET', `/requests/?page=${page}&page_size=7`)).body.requests)
      ids.add(each.request_id);
  t.is(ids.size, 60);
});

for (const path of ['/requests/', '/templates/', '/providers/']) {
  test(`paging: page, page_size and sort work on ${path}, within their bounds and no further`, async (t) => {
    t.is((await broker.call('GET', `${path}?page=1&page_size=200`)).status, 200);
    for (const query of [
      'page_size=201',
      'page_size=0',
      'page=0',
      'page=-1',
      'page=x',
      'page_size=1.5',
      'sort=:asc',
      'sort=status:up',
      'sort=nothing:asc',
      'limit=1001',
      'limit=0',
      'limit=5&page_size=5',
    ])
      t.is((await broker.call('GET', `${path}?${query}`)).status, 400, query);
    const list = (body: any) => body.requests ?? body.templates ?? body.providers;
    t.is(list((await broker.call('GET', `${path}?page=1&page_size=1`)).body).length, 1);
    t.is(list((await broker.call('GET', `${path}?pageSize=1`)).body).length, 1);
    t.is(
      list((await broker.call('GET', `${path}?limit=1&page=2`)).body).length,
      1,
      'limit with page is a page length too',
    );
  });
}

test('paging: a page beyond all entries is empty, and one beyond what can be counted is refused', async (t) => {
  for (const path of ['/requests/', '/templates/', '/providers/']) {
    const { status, body } = await broker.call('GET', `${path}?page=1000000&page_size=200`);
    t.is(status, 200, path);
    t.deepEqual(body.requests ?? body.templates ?? body.providers, [], path);
    for (const page of ['9007199254740991', '9223372036854775807', '1000000000000000000000000000000'])
      t.is((await broker.call('GET', `${path}?page=${page}&page_size=200`)).status, 400, `${path} ${page}`);
  }
});

test('sorting: numbers as numbers, in both directions', async (t) => {
  const templates = async (sort: string) =>
    (await broker.call('GET', `/templates/?sort=${sort}`)).body.templates.map((each: any) => each.max_instances);
  t.deepEqual(await templates('max_instances:asc'), [-1, 0, 2, 9, 10, 100]);
  t.deepEqual(await templates('max_instances:desc'), [100, 10, 9, 2, 0, -1]);
  const counts = (await broker.call('GET', '/requests/?sort=machine_count:desc&limit=1000')).body.requests.map(
    (each: any) => each.machine_count,
  );
  t.deepEqual(
    counts,
    counts.toSorted((a: number, b: number) => b - a),
  );
  t.deepEqual(
    (await broker.call('GET', '/providers/?sort=priority:asc')).body.providers.map((each: any) => each.name),
    ['east', 'west'],
  );
});

test('sorting: times as times, newest first by default', async (t) => {
  const times = (await broker.call('GET', '/requests/')).body.requests.map((each: any) => each.created_at);
  t.deepEqual(times, times.toSorted().toReversed());
  const rising = (await broker.call('GET', '/requests/?sort=created_at:asc')).body.requests.map(
    (each: any) => each.created_at,
  );
  t.deepEqual(rising, rising.toSorted());
});

test('filters: an unknown value gives an empty list, an unknown status is refused', async (t) => {
  t.is((await broker.call('GET', '/templates/?provider_name=nowhere')).body.total_count, 0);
  t.is((await broker.call('GET', '/templates/?provider_api=Lambda')).body.total_count, 0);
  t.is((await broker.call('GET', '/requests/?status=done')).status, 400);
});

const ask = (template_id: string, machine_count: number) =>
  broker.call('POST', '/machines/request', { template_id, machine_count });

test('machine_count: 1 to 10 000, the bound of the template, and that of the instance', async (t) => {
  t.is((await ask('unbounded', 0)).status, 400);
  t.is((await ask('unbounded', 10_000)).status, 200);
  t.regex((await ask('unbounded', 10_001)).body.detail, /10000/);
  t.is((await ask('d', 2)).status, 200);
  t.regex((await ask('a', 10)).body.detail, /10 machines are more than the 9/);
  const bounded = await specBroker({ configuration: { providers: [provider('east')] } });
  t.teardown(() => bounded.close());
  const refused = await bounded.call('POST', '/machines/request', { template_id: 'small', machine_count: 1001 });
  t.is(refused.status, 400);
  t.regex(refused.body.detail, /1000/);
  t.is((await bounded.call('POST', '/machines/request', { template_id: 'small', machine_count: 1000 })).status, 200);
});

test('max_instances: bounds the machines of a template over all its requests, also at once; 0 gives none', async (t) => {
  t.is((await ask('none', 1)).status, 400);
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask('b', 1)));
  t.is(answers.filter(({ status }) => status === 200).length, 10);
  const [refused] = answers.filter(({ status }) => status !== 200);
  t.is(refused?.status, 400);
});

test('max_pending: more pending requests are refused with 503 and Retry-After', async (t) => {
  const small = await specBroker({ configuration: { server: { max_pending: 2, rate_limit: { enabled: false } } } });
  t.teardown(() => small.close());
  const post = () => small.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  t.deepEqual([(await post()).status, (await post()).status], [200, 200]);
  const refused = await post();
  t.is(refused.status, 503);
  t.truthy(refused.headers['retry-after']);
  t.regex(refused.body.detail, /max_pending/);
});
