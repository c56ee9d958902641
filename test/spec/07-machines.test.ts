import test from 'ava';
import type { BootedBroker } from '../support/boot-broker.ts';
import { shape, specBroker } from './spec-broker.ts';

const brokers: Record<string, BootedBroker> = {};
test.before(async () => {
  brokers['default'] = await specBroker();
  brokers['hostfactory'] = await specBroker({ scheduler: 'hostfactory' });
});
test.after.always(() => Promise.all(Object.values(brokers).map((each) => each.close())));
const of = (scheduler: 'default' | 'hostfactory') => brokers[scheduler] as BootedBroker;
const ask = (body: unknown, scheduler: 'default' | 'hostfactory' = 'default') =>
  of(scheduler).call('POST', '/machines/request', body);

test('POST /machines/request: request_id, template_id, machine_count, status and message to the default scheduler', async (t) => {
  const { status, body } = await ask({ template_id: 'small', machine_count: 3 });
  t.is(status, 200);
  t.deepEqual(shape(body), {
    request_id: 'string',
    template_id: 'string',
    machine_count: 'integer',
    status: 'string',
    message: 'string',
  });
  t.like(body, { template_id: 'small', machine_count: 3, status: 'pending' });
});

test('POST /machines/request: requestId, templateId, machineCount, status and message to HostFactory', async (t) => {
  const { status, body } = await ask({ template_id: 'small', machine_count: 3 }, 'hostfactory');
  t.is(status, 200);
  t.deepEqual(shape(body), {
    requestId: 'string',
    templateId: 'string',
    machineCount: 'integer',
    status: 'string',
    message: 'string',
  });
  t.like(body, { templateId: 'small', machineCount: 3, status: 'running' });
});

test('POST /machines/request: template_id is required, templateId its other spelling', async (t) => {
  t.is((await ask({ machine_count: 1 })).body.detail, '/template_id: is required');
  t.is((await ask({ templateId: 'small', machine_count: 1 })).status, 200);
});

test('POST /machines/request: machine_count is required, an integer, and count, machineCount mean the same', async (t) => {
  t.is((await ask({ template_id: 'small' })).body.detail, '/machine_count: is required');
  t.regex(
    (await ask({ template_id: 'small', machine_count: 'two' })).body.detail,
    /^\/machine_count: must be an integer/,
  );
  for (const name of ['count', 'machineCount', 'requested_count', 'requestedCount'])
    t.is((await ask({ template_id: 'small', [name]: 2 })).body.machine_count, 2, name);
  t.is((await ask({ template_id: 'small', maxNumber: 2 })).status, 400, 'maxNumber is for POST /requests/ alone');
});

test('POST /machines/request: additional_data is an optional object, passed through to the status and never renamed inside', async (t) => {
  const additional_data = { jobId: 7, cost_center: 'a', nested: { someKey: [1, null] }, template_id: 'x' };
  const { body } = await ask({ template_id: 'small', machine_count: 1, additionalData: additional_data });
  t.deepEqual((await of('default').call('GET', `/requests/${body.request_id}`)).body.additional_data, additional_data);
  const theirs = await ask({ template_id: 'small', machine_count: 1, additional_data }, 'hostfactory');
  const { requests } = (await of('hostfactory').call('GET', `/requests/${theirs.body.requestId}`)).body;
  t.deepEqual(requests[0].additionalData, additional_data);
  const none = await ask({ template_id: 'small', machine_count: 1 });
  t.false('additional_data' in (await of('default').call('GET', `/requests/${none.body.request_id}`)).body);
});

for (const [scheduler, row] of [
  ['default', { request_id: 'string', status: 'string', machine_ids: ['string'], message: 'string' }],
  ['hostfactory', { requestId: 'string', message: 'string' }],
] as const) {
  test(`POST /machines/return: answers in the form of the scheduler ${scheduler}`, async (t) => {
    const broker = await specBroker({ scheduler, loop: 'inline' });
    t.teardown(() => broker.close());
    const asked = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
    const [machine] = await broker.until(async () => {
      const { body } = await broker.call('GET', `/requests/${asked.body.request_id ?? asked.body.requestId}`);
      const { machines } = body.requests?.[0] ?? body;
      return machines[0]?.status === 'running' && machines;
    });
    const id = machine.machine_id ?? machine.machineId;
    const { status, body } = await broker.call('POST', '/machines/return', { machineIds: [id] });
    t.is(status, 200);
    t.deepEqual(shape(body), row);
    if (scheduler === 'default') t.like(body, { status: 'pending', machine_ids: [id] });
  });
}

test('POST /machines/return: machine_ids is a required list of texts', async (t) => {
  const giveBack = async (body: unknown) => (await of('default').call('POST', '/machines/return', body)).body.detail;
  t.is(await giveBack({}), '/machine_ids: is required');
  t.regex(await giveBack({ machine_ids: 'i-1' }), /^\/machine_ids: must be an array/);
  t.regex(await giveBack({ machine_ids: [7] }), /^\/machine_ids\/0: must be a string/);
});

for (const path of ['/machines/', '/machines', '/machines/i-0123456789']) {
  test(`GET ${path}: 501, naming where machines are`, async (t) => {
    for (const broker of Object.values(brokers)) {
      const { status, body } = await broker.call('GET', path);
      t.is(status, 501);
      t.deepEqual(Object.keys(body), ['detail', 'code']);
      t.regex(
        body.detail,
        /GET \/api\/v1\/inventory\/ \[list_machines\].* GET \/api\/v1\/inventory\/\{machine_id\} \[get_machine\]/,
      );
    }
  });
}

test('POST /machines/request: timeout and tags are those of the request', async (t) => {
  const broker = of('default');
  const tags = { team: 'render', someKey: 'a' };
  const { status, body } = await ask({ template_id: 'small', machine_count: 1, timeout: 60, tags });
  t.is(status, 200);
  const stored = await broker.broker.store.get('request', { request_id: body.request_id });
  t.deepEqual(stored?.tags, tags);
  t.is((stored?.deadline_at ?? 0) - (stored?.created_at ?? 0), 60_000);
  t.regex((await ask({ template_id: 'small', machine_count: 1, timeout: 0 })).body.detail, /^\/timeout: /);
  t.regex((await ask({ template_id: 'small', machine_count: 1, tags: { a: 1 } })).body.detail, /^\/tags\/a: /);
});

test('machines: request_id, provider_preference and force_return of the commands are no fields of the REST bodies', async (t) => {
  for (const [field, value] of Object.entries({ request_id: 'req-1', provider_preference: {} }))
    t.regex(
      (await ask({ template_id: 'small', machine_count: 1, [field]: value })).body.detail,
      new RegExp(`^/${field}: unknown field`),
    );
  for (const [field, value] of Object.entries({ force_return: true, timeout: 60 })) {
    const { status, body } = await of('default').call('POST', '/machines/return', {
      machine_ids: ['i-1'],
      [field]: value,
    });
    t.is(status, 400);
    t.regex(body.detail, new RegExp(`^/${field}: unknown field`));
  }
});
