import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { operations } from '../../../core/operations/registry.ts';
import {
  AlreadyExistsError,
  connect,
  createBroker,
  HandlerDiscoveryError,
  MethodExecutionError,
  NotFoundError,
  ProviderError,
  SDKError,
  type BrokerClient,
} from '../../../host/sdk/index.ts';
import { makePlace, startBroker, type Place } from '../../support/boot-broker.ts';

interface Way {
  readonly name: string;
  open(place: Place): Promise<{ readonly client: BrokerClient; close(): Promise<void> }>;
}

const ways: readonly Way[] = [
  {
    name: 'in this process',
    async open(place) {
      const client = await createBroker({ cwd: place.directory, env: {}, loop: 'inline' });
      return { client, close: () => client.close() };
    },
  },
  {
    name: 'at a server, over its socket',
    async open(place) {
      const server = await startBroker({ place });
      const client = await connect({ data_directory: join(place.directory, 'data') });
      return { client, close: async () => (await client.close(), server.stop()) };
    },
  },
];

for (const way of ways) {
  test(`${way.name}: machines are requested, waited for and given back`, async (t) => {
    const place = await makePlace({ scheduler: 'hostfactory' });
    const { client, close } = await way.open(place);
    t.teardown(async () => (await close(), place.close()));
    const { request_id, status } = await client.create_request({ template_id: 'small', machine_count: 2 });
    t.is(status, 'pending', 'our own words, whatever the scheduler');
    const seen: string[] = [];
    const ended = await client.waitFor(request_id, { poll_ms: 250, progress: (now) => seen.push(now.status) });
    t.is(ended.status, 'completed');
    t.is(ended.machines?.length, 2);
    t.is(seen.at(-1), 'completed');
    const { active_count } = await client.getActiveMachineCount();
    t.is(active_count, 2);
    const returned = await client.createReturnRequest({ machine_ids: ended.machines?.map(({ machine_id }) => machine_id) ?? [] });
    t.is((await client.waitFor(returned.request_id)).status, 'completed');
    t.deepEqual(place.simulator.ledger().live, {});
  });

  test(`${way.name}: refusals have their class, and say of what they are`, async (t) => {
    const place = await makePlace();
    const { client, close } = await way.open(place);
    t.teardown(async () => (await close(), place.close()));
    const missing = await t.throwsAsync(client.get_template({ template_id: 'smal' }), { instanceOf: NotFoundError });
    t.like(missing, { code: 'TEMPLATE_NOT_FOUND', entity_type: 'template', entity_id: 'smal' });
    const unknown = await t.throwsAsync(client.get_machine({ machine_id: 'i-0' }), { instanceOf: NotFoundError });
    t.like(unknown, { entity_type: 'machine', entity_id: 'i-0' });
    const provider = await t.throwsAsync(client.getProvider({ provider_name: 'west' }), { instanceOf: NotFoundError });
    t.like(provider, { entity_type: 'provider', entity_id: 'west' });
    const template = { template_id: 'new', image_id: 'ami-1', provider_api: 'RunInstances', machine_type: 't3.small' };
    await client.create_template(template);
    const taken = await t.throwsAsync(client.create_template(template), { instanceOf: AlreadyExistsError });
    t.like(taken, { entity_type: 'template', entity_id: 'new' });
    await t.throwsAsync(client.create_request({ template_id: 'small', machine_count: 9999 }), { instanceOf: ProviderError });
    const bad = await t.throwsAsync(client.create_request({ template_id: 'small', machine_count: 0 }), {
      instanceOf: MethodExecutionError,
    });
    t.is((bad as SDKError).code, 'INVALID_REQUEST');
    await t.throwsAsync(client.call('create_reqest'), { instanceOf: HandlerDiscoveryError, message: /create_request/ });
  });

  test(`${way.name}: every operation is a method under both spellings, and takes camelCase and aliases`, async (t) => {
    const place = await makePlace();
    const { client, close } = await way.open(place);
    t.teardown(async () => (await close(), place.close()));
    for (const { name } of operations) {
      t.is(typeof (client as any)[name], 'function', name);
      t.is(typeof (client as any)[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())], 'function', name);
    }
    const asked: any = { templateId: 'small', count: 1 };
    const key = { idempotency_key: 'once' };
    const first = await client.createRequest(asked, key);
    t.is((await client.create_request({ template_id: 'small', machine_count: 1 }, key)).request_id, first.request_id);
  });
}

test('a server that is not there is named', async (t) => {
  const client = await connect({ url: 'http://127.0.0.1:1' });
  const failed = await t.throwsAsync(client.listTemplates(), { instanceOf: MethodExecutionError });
  t.regex(failed?.message ?? '', /http:\/\/127\.0\.0\.1:1 cannot be reached: ECONNREFUSED/);
  await t.throwsAsync(connect({ data_directory: '/nowhere' }), { message: /No server runs on the data directory/ });
  await t.throwsAsync(connect({}), { message: /needs a url/ });
});

test('a configuration that cannot be used is refused with its findings', async (t) => {
  const place = await makePlace();
  t.teardown(place.close);
  await writeFile(join(place.directory, 'muster.config.json'), '{"scheduler": "slurm"}');
  const error = await t.throwsAsync(createBroker({ cwd: place.directory, env: {} }));
  t.is(error?.name, 'ConfigurationError');
  t.regex(error?.message ?? '', /slurm/);
});
