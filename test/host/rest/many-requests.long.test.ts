import test, { type ExecutionContext } from 'ava';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';

async function booted(t: ExecutionContext, options: Parameters<typeof bootBroker>[0] = {}): Promise<BootedBroker> {
  const broker = await bootBroker({ storage: 'memory', ...options });
  t.teardown(() => broker.close());
  return broker;
}

const ask = async (broker: BootedBroker, machine_count: number): Promise<string> =>
  (await broker.call('POST', '/machines/request', { template_id: 'small', machine_count })).body.request_id;

const ended = (broker: BootedBroker, request_id: string): Promise<any> =>
  broker.until(async () => {
    const { body } = await broker.call('GET', `/requests/${request_id}`);
    return body.status === 'completed' && body;
  });

/** The cost so far grows each minute. */
const withoutGrowth = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, each) => (key === 'usd_so_far' ? undefined : each)));

test('requests and returns are answered together, in the given order, each as by itself; unknown ids are separate', async (t) => {
  const broker = await booted(t);
  const [one, two] = [await ask(broker, 1), await ask(broker, 2)];
  await ended(broker, one);
  const { machines } = await ended(broker, two);
  const given = await broker.call('POST', '/machines/return', { machine_ids: [machines[1].machine_id] });
  await ended(broker, given.body.request_id);
  const request_ids = [two, 'req-none', given.body.request_id, one, two, 'ret-none'];
  const { status, body } = await broker.call('POST', '/requests/status', { request_ids });
  t.is(status, 200);
  t.deepEqual(body.not_found, ['req-none', 'ret-none']);
  const alone = await Promise.all(
    [two, given.body.request_id, one].map(async (id) => (await broker.call('GET', `/requests/${id}`)).body),
  );
  t.deepEqual(withoutGrowth(body.requests), withoutGrowth(alone));
  t.like(body.requests[0], { cost: { usd_per_hour: 0.0208 } });
  t.deepEqual([body.count, body.total_count], [3, 3]);
  const short = await broker.call('POST', '/requests/status', { requestIds: [one], long: false });
  t.like(short.body.requests, [(await broker.call('GET', `/requests/${one}/status?long=false`)).body]);
  t.false('machines' in short.body.requests[0]);
});

test('several requests are answered in the form of the scheduler, and a cached answer is correct after a change', async (t) => {
  const broker = await booted(t, { scheduler: 'hostfactory' });
  const ids = await Promise.all(
    [1, 2].map(async (count) => {
      const { body } = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: count });
      return body.requestId as string;
    }),
  );
  const told = async (headers = {}) =>
    (await broker.call('POST', '/requests/status', { request_ids: [...ids, 'req-none'] }, headers)).body;
  await told();
  const { requests, not_found } = await broker.until(async () => {
    const body = await told();
    return body.requests.every((each: any) => each.status === 'complete') && body;
  });
  t.deepEqual(
    requests.map((each: any) => [each.requestId, each.machines.length]),
    [
      [ids[0], 1],
      [ids[1], 2],
    ],
  );
  t.deepEqual(not_found, ['req-none']);
  t.like(await told({ 'x-scheduler': 'default' }), {
    requests: [{ status: 'completed' }, { status: 'completed' }],
    not_found: ['req-none'],
  });
});

test('up to 1000 requests are answered at once; more, none, or a value that is not a list is refused', async (t) => {
  const broker = await booted(t, { loop: 'none' });
  const known = await ask(broker, 1);
  const unknown = Array.from({ length: 999 }, (_, i) => `req-${i}`);
  const { body } = await broker.call('POST', '/requests/status', { request_ids: [...unknown, known] });
  t.deepEqual([body.requests.length, body.not_found.length], [1, 999]);
  for (const request_ids of [[], [...unknown, known, 'req-more'], 'req-1', [7], undefined])
    t.is((await broker.call('POST', '/requests/status', { request_ids })).status, 400);
});

test('many requests are read with few questions to the storage', async (t) => {
  const broker = await booted(t, { loop: 'none', storage: 'sqlite' });
  const ids: string[] = [];
  for (let i = 0; i < 60; i += 1) ids.push(await ask(broker, 1));
  const { store } = broker.broker;
  let asked = 0;
  const { get, find, versions } = store;
  store.get = (...question: any[]) => ((asked += 1), (get as any).apply(store, question));
  store.find = (...question: any[]) => ((asked += 1), (find as any).apply(store, question));
  store.versions = (...question: any[]) => ((asked += 1), (versions as any).apply(store, question));
  t.is((await broker.call('POST', '/requests/status', { request_ids: ids })).body.requests.length, 60);
  t.true(asked > 0 && asked < 10, `${asked} questions`);
});

test('what came with a request is shown where one asks for it by its id, alone or among others, and not in lists', async (t) => {
  for (const [scheduler, field] of [
    ['default', 'additional_data'],
    ['hostfactory', 'additionalData'],
  ] as const) {
    const broker = await booted(t, { loop: 'none', scheduler });
    const asked = { template_id: 'small', machine_count: 1, additional_data: { project: 'blue' } };
    const { request_id, requestId = request_id } = (await broker.call('POST', '/machines/request', asked)).body;
    const several = await broker.call('POST', '/requests/status', { request_ids: [requestId] });
    t.deepEqual(several.body.requests[0][field], { project: 'blue' });
    const listed = await broker.call('GET', '/requests/');
    t.is(listed.body.requests.length, 1);
    t.false(field in listed.body.requests[0]);
  }
});
