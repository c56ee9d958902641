import test from 'ava';
import type { BootedBroker } from '../support/boot-broker.ts';
import { provider, specBroker } from './spec-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await specBroker({ configuration: { providers: [provider('east'), provider('west')] } });
});
test.after.always(() => broker.close());

const keyed = (path: string, key: string, body: unknown) =>
  broker.call('POST', path, body, { 'idempotency-key': key });
const small = { template_id: 'small', machine_count: 1 };

for (const [path, status] of [
  ['/machines/request', 200],
  ['/requests/', 201],
] as const) {
  test(`Idempotency-Key on ${path}: same key and body give the same answer, however it is spelt; another body 409`, async (t) => {
    const first = await keyed(path, `same ${path}`.replaceAll(/\W/g, '-'), {
      template_id: 'small',
      machine_count: 2,
      additional_data: { a: 1, b: 2 },
    });
    const again = await keyed(path, `same ${path}`.replaceAll(/\W/g, '-'), {
      additionalData: { b: 2, a: 1 },
      count: 2,
      templateId: 'small',
    });
    t.is(first.status, status);
    t.is(again.status, status);
    t.deepEqual(again.body, first.body);
    const other = await keyed(path, `same ${path}`.replaceAll(/\W/g, '-'), { template_id: 'small', machine_count: 3 });
    t.is(other.status, 409);
    t.is(other.body.error?.code ?? 'CONFLICT', 'CONFLICT');
  });
}

test('Idempotency-Key: two at once make one request; its scope is the route; a refused call is not remembered', async (t) => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => keyed('/machines/request', 'at-once', small)));
  t.is(new Set(answers.map(({ body }) => body.request_id)).size, 1);
  t.not((await keyed('/requests/', 'at-once', small)).body.request_id, answers[0]?.body.request_id);
  t.is((await keyed('/machines/request', 'mended', { ...small, machine_count: 0 })).status, 400);
  t.is((await keyed('/machines/request', 'mended', small)).status, 200);
});

test('Idempotency-Key on /machines/return: the same return again', async (t) => {
  const own = await specBroker({ loop: 'inline' });
  t.teardown(() => own.close());
  const { request_id } = (await own.call('POST', '/machines/request', small)).body;
  const [machine] = await own.until(async () => {
    const { machines } = (await own.call('GET', `/requests/${request_id}`)).body;
    return machines[0]?.status === 'running' && machines;
  });
  const give = () =>
    own.call('POST', '/machines/return', { machine_ids: [machine.machine_id] }, { 'idempotency-key': 'back' });
  const first = await give();
  await own.until(
    async () => (await own.call('GET', `/requests/${first.body.request_id}`)).body.status === 'completed',
  );
  t.deepEqual((await give()).body, first.body);
  const known = await own.call('POST', '/machines/return', { machine_ids: [machine.machine_id] });
  t.is(known.status, 200, 'machines that are gone already are no error');
  t.is(known.body.status, 'completed');
});

test('Idempotency-Key: after its request was purged 409 says when', async (t) => {
  const own = await specBroker();
  t.teardown(() => own.close());
  const post = () => own.call('POST', '/machines/request', small, { 'idempotency-key': 'old' });
  await post();
  const [key] = await own.broker.store.find('key', {});
  if (!key) return t.fail();
  await own.broker.store.commit([
    { op: 'put', kind: 'key', record: { ...key, purged_at: Date.parse('2026-01-02T03:04:05Z') } },
  ]);
  const { status, body } = await post();
  t.is(status, 409);
  t.regex(body.detail, /2026-01-02T03:04:05/);
});

test('Idempotency-Key and X-Request-Id: 1 to 255 visible ASCII characters', async (t) => {
  for (const key of ['', 'a b', 'x'.repeat(256), 'ü'])
    t.is((await keyed('/machines/request', key, small)).status, 400, key);
  t.is((await keyed('/requests/', 'a b', small)).body.error.code, 'INVALID_REQUEST');
  t.is((await keyed('/machines/request', 'x'.repeat(255), small)).status, 200);
  t.is(
    (await broker.call('GET', '/providers/nowhere', undefined, { 'x-request-id': 'call-1' })).body.error.request_id,
    'call-1',
  );
});

test('a body that is not needed may be empty, null or {}', async (t) => {
  for (const body of [undefined, '', 'null', '{}']) {
    t.is((await broker.call('POST', '/templates/refresh', body)).status, 200);
    t.is((await broker.call('POST', '/templates/small/validate-multi', body)).status, 200);
  }
});

test('two spellings with equal values pass, with different ones they are findings at both', async (t) => {
  t.is(
    (
      await broker.call('POST', '/machines/request', {
        template_id: 'small',
        templateId: 'small',
        count: 1,
        machineCount: 1,
      })
    ).status,
    200,
  );
  const { status, body } = await broker.call('POST', '/machines/request', {
    template_id: 'small',
    count: 1,
    machineCount: 2,
  });
  t.is(status, 400);
  t.regex(body.detail, /\/count: .*\/machineCount: /);
});

for (const scheduler of ['default', 'hostfactory'] as const) {
  test(`a request is refused at once when every instance is unhealthy, with the cause (${scheduler})`, async (t) => {
    // A loop would ask, and find it well.
    const own = await specBroker({ scheduler, loop: 'none' });
    t.teardown(() => own.close());
    await own.broker.facts.learnHealth('east', { status: 'unhealthy', message: 'its credentials are refused' });
    const { body } = await own.until(async () => {
      const answer = await own.call('GET', '/providers/east');
      return answer.body.status === 'unhealthy' && answer;
    });
    t.is(body.message, 'its credentials are refused');
    const refused = await own.call('POST', '/machines/request', small);
    t.is(refused.status, 503);
    t.truthy(refused.headers['retry-after']);
    t.regex(refused.body.detail, /'east'.*its credentials are refused/);
  });
}

test('additional_data: the keys that the template or the instance names become tags of the machines', async (t) => {
  const fields = {
    provider_api: 'RunInstances',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
  };
  const own = await specBroker({
    loop: 'inline',
    templates: [
      {
        template_id: 'tagged',
        ...fields,
        additionalDataTags: ['jobId', 'owner', 'list', 'absent'],
        tags: { team: 'a' },
      },
      { template_id: 'plain', ...fields },
    ],
  });
  t.teardown(() => own.close());
  const tagsAt = async (template_id: string) => {
    const additional_data = { jobId: 7, owner: 'b', list: [1], other: 'not named' };
    const { request_id } = (
      await own.call('POST', '/machines/request', { template_id, machine_count: 1, additional_data })
    ).body;
    await own.until(async () => (await own.call('GET', `/requests/${request_id}`)).body.status === 'completed');
    const [attempt] = await own.broker.store.find('attempt', { where: { request_id } });
    return [attempt?.order.tags, await tagsInCloud(own, request_id)] as const;
  };
  const [ordered, tagged] = await tagsAt('tagged');
  t.deepEqual(ordered, { jobId: '7', owner: 'b', list: '[1]' });
  t.like(tagged, { jobId: '7', owner: 'b', list: '[1]', team: 'a' });
  t.deepEqual((await tagsAt('plain'))[0], {});
});

test('returns: template_id is null for machines of several templates; reclaimed machines are reported', async (t) => {
  const own = await specBroker({ loop: 'inline' });
  t.teardown(() => own.close());
  const machineOf = async (template_id: string): Promise<string> => {
    const { request_id } = (await own.call('POST', '/machines/request', { template_id, machine_count: 1 })).body;
    return own.until(async () => {
      const { machines } = (await own.call('GET', `/requests/${request_id}`)).body;
      return machines[0]?.status === 'running' && machines[0].machine_id;
    });
  };
  const machine_ids = [await machineOf('small'), await machineOf('bounded')];
  t.deepEqual((await own.call('POST', '/machines/reclaimed', { machine_ids })).body, { machines: [] });
  const { request_id } = (await own.call('POST', '/machines/return', { machine_ids })).body;
  const { body } = await own.call('GET', `/requests/${request_id}`);
  t.is(body.template_id, null);
  t.deepEqual(body.machine_ids.toSorted(), machine_ids.toSorted());
});

/** Tags of the machines of a request, as the simulated cloud tells them. */
async function tagsInCloud({ simulator }: BootedBroker, request_id: string): Promise<Record<string, string>> {
  const { EC2Client, DescribeInstancesCommand } = await import('@aws-sdk/client-ec2');
  const client = new EC2Client({
    region: 'us-east-1',
    endpoint: simulator.url,
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'test' },
  });
  const { Reservations = [] } = await client.send(
    new DescribeInstancesCommand({ Filters: [{ Name: 'tag:muster:request-id', Values: [request_id] }] }),
  );
  client.destroy();
  const tags = Reservations.flatMap(({ Instances = [] }) => Instances).flatMap(({ Tags = [] }) => Tags);
  return Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [Key, Value]));
}
