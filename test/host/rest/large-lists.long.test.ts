import test from 'ava';
import type { RequestRecord } from '../../../core/model/request.ts';
import { bootBroker, testTemplates, type BootedBroker } from '../../support/boot-broker.ts';

const record = (request_id: string, more: Partial<RequestRecord> = {}): RequestRecord => ({
  request_id,
  kind: 'provision',
  status: 'completed',
  template_id: 'small',
  machine_count: 1,
  holds: 0,
  delivered: 1,
  message: 'It is there.',
  created_at: 1_700_000_000_000,
  deadline_at: 1_700_000_000_000,
  next_at: null,
  version: 1,
  epoch: 0,
  ...more,
});

async function fill({ broker }: BootedBroker, records: readonly RequestRecord[]): Promise<void> {
  for (const each of records) await broker.store.commit([{ op: 'insert', kind: 'request', record: each }]);
}

const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `req-${String(i).padStart(4, '0')}`);

/** Every page that a list has, from its beginning. */
async function pagesOf(broker: BootedBroker, path: string): Promise<readonly any[]> {
  const pages: any[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const { status, body }: { status: number; body: any } = await broker.call('GET', `${path}&offset=${offset}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    pages.push(body);
    offset = body.next_offset;
  }
  return pages;
}

for (const scheduler of ['default', 'hostfactory'] as const) {
  const [field, id] = scheduler === 'default' ? ['additional_data', 'request_id'] : ['additionalData', 'requestId'];
  test(`${scheduler}: lists omit the input of each request, and requests of maximum size come in several answers`, async (t) => {
    const broker = await bootBroker({ loop: 'none', scheduler });
    t.teardown(() => broker.close());
    const ids = numbered(80);
    await fill(
      broker,
      ids.map((request_id) => record(request_id, { additional_data: { note: 'x'.repeat(260_000) } })),
    );
    t.truthy(
      (await broker.call('GET', `/requests/${ids[0]}/status`)).body[field] ??
        (await broker.call('GET', `/requests/${ids[0]}/status`)).body.requests[0][field],
    );
    const pages = await pagesOf(broker, '/requests/?limit=1000&sort=request_id:asc');
    t.true(pages.length > 1, `${pages.length} pages`);
    t.deepEqual(
      pages.flatMap(({ requests }) => requests.map((each: any) => each[id])),
      ids,
    );
    for (const { requests } of pages) for (const each of requests) t.false(field in each);
    // As few as are asked for, or as small as they usually are, come at once.
    t.false('next_offset' in (await broker.call('GET', '/requests/?limit=5')).body);
    const again = await pagesOf(broker, '/requests/?limit=1000&sort=request_id:asc');
    t.deepEqual(
      again.flatMap(({ requests }) => requests.map((each: any) => each[id])),
      ids,
      'from memory too',
    );
  });
}

test('requests with thousands of machines come in several answers, in lists and when they are asked for by id', async (t) => {
  const broker = await bootBroker({ loop: 'none' });
  t.teardown(() => broker.close());
  const ids = numbered(4);
  await fill(
    broker,
    ids.map((request_id) => record(request_id, { machine_count: 6_000 })),
  );
  const request_ids = ['req-none', ...ids, 'req-gone'];
  const first = await broker.call('POST', '/requests/status', { request_ids });
  t.deepEqual(
    [first.body.requests.map((each: any) => each.request_id), first.body.not_found, first.body.next_offset],
    [[ids[0]], ['req-none'], 2],
  );
  const last = await broker.call('POST', '/requests/status', { request_ids, offset: 4 });
  t.deepEqual(
    [last.body.requests.map((each: any) => each.request_id), last.body.not_found, last.body.next_offset],
    [[ids[3]], ['req-gone'], undefined],
  );
  const short = await broker.call('POST', '/requests/status', { request_ids, long: false });
  t.is(short.body.requests.length, 4);
  const own = await broker.call('POST', '/operations/get_requests', { request_ids, long: true });
  t.is(own.body.next_offset, 2);
});

test('a scheduler that names one request thousands of times is refused before the answer is made', async (t) => {
  const broker = await bootBroker({ loop: 'none' });
  t.teardown(() => broker.close());
  await fill(broker, [record('req-1')]);
  const machine = {
    provider_instance: 'east',
    request_id: 'req-1',
    attempt: 1,
    template_id: 'small',
    status: 'running',
    created_at: 1,
    ready_at: 1,
  } as const;
  for (let i = 0; i < 100; i++)
    await broker.broker.store.commit([
      { op: 'put', kind: 'machine', record: { ...machine, machine_id: `i-${i}` } as never },
    ]);
  const ask = (times: number) =>
    broker.call('POST', '/hostfactory/getRequestStatus', {
      input: { requests: Array.from({ length: times }, () => ({ requestId: 'req-1' })) },
    });
  t.is((await ask(10)).body.requests.length, 10);
  const many = await ask(9_000);
  t.is(many.headers['x-exit-code'], '1');
  t.is(many.body.message, 'The requests in the input file have too many machines for one answer; name fewer of them.');
});

test('templates of files as large as they may be come in several answers', async (t) => {
  const large = Array.from({ length: 30 }, (_, i) => ({
    ...testTemplates[0],
    template_id: `t-${String(i).padStart(2, '0')}`,
    user_data: 'x'.repeat(200_000),
  }));
  const broker = await bootBroker({ storage: 'memory', loop: 'none', templates: large });
  t.teardown(() => broker.close());
  const pages = await pagesOf(broker, '/templates/?limit=1000');
  t.true(pages.length > 1);
  t.deepEqual(
    pages.flatMap(({ templates }) => templates.map((each: any) => each.template_id)),
    large.map(({ template_id }) => template_id),
  );
  for (const { total_count } of pages) t.is(total_count, 30);
});

test('templates made over the API are bounded in number and in total size; template files are not', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(() => broker.close());
  const made = { provider_api: 'RunInstances', image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] };
  const create = (template_id: string, more: object = {}) =>
    broker.call('POST', '/templates/', { ...made, template_id, ...more });
  let stored = 0;
  while (stored < 40 && (await create(`large-${stored}`, { description: 'x'.repeat(250_000) })).status === 201)
    stored += 1;
  t.is(stored, 16);
  const refused = await create('large-too', { description: 'x'.repeat(250_000) });
  t.is(refused.status, 409);
  t.regex(refused.body.detail, /their total size would exceed 4194304 characters/);
  t.is((await broker.call('PUT', '/templates/small', { description: 'x'.repeat(250_000) })).status, 409);
  t.is((await create('small-one')).status, 201);
  const others = Array.from({ length: 1_000 - 17 }, (_, i) => `n-${i}`);
  await broker.broker.store.commit(
    others.map((template_id) => ({
      op: 'insert',
      kind: 'template',
      record: { template_id, fields: made, created_at: 1, updated_at: 1, version: 1 },
    })),
  );
  await broker.broker.services.templateLibrary.follow();
  t.regex((await create('one-too-many')).body.detail, /there are 1000, the maximum number/);
  t.is((await broker.call('DELETE', '/templates/small-one')).status, 200);
  t.is((await create('in-its-place')).status, 201);
});

test('calls that read requests and machines are counted together, on every route that serves them', async (t) => {
  const broker = await bootBroker({
    storage: 'memory',
    loop: 'none',
    configuration: { server: { rate_limit: { read: 5 } } },
  });
  t.teardown(() => broker.close());
  const reads = [
    () => broker.call('GET', '/requests/'),
    () => broker.call('GET', '/requests/req-1/status'),
    () => broker.call('GET', '/inventory/'),
    () => broker.call('POST', '/operations/list_machines', {}),
    () => broker.call('POST', '/hostfactory/getRequestStatus', { input: { requests: [{ requestId: 'req-1' }] } }),
  ];
  for (const [i, read] of reads.entries()) t.is(Number((await read()).headers['x-ratelimit-remaining']), 4 - i);
  for (const read of reads) t.is((await read()).status, 429);
});
