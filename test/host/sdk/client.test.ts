import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import {
  connect,
  createBroker,
  HandlerDiscoveryError,
  MethodExecutionError,
  type BrokerClient,
  type RequestAnswer,
  type WaitOptions,
} from '../../../host/sdk/index.ts';
import { waitFor } from '../../../host/sdk/wait-for.ts';
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
  test(`${way.name}: machines are requested, waited for and given back, and what is aborted rejects with the reason`, async (t) => {
    const place = await makePlace({ scheduler: 'hostfactory' });
    const { client, close } = await way.open(place);
    t.teardown(async () => (await close(), place.close()));
    const key = { idempotency_key: 'once' };
    const { request_id, status } = await client.create_request({ template_id: 'small', machine_count: 2 }, key);
    t.is(status, 'pending', 'our own words, whatever the scheduler');
    t.is((await client.createRequest({ templateId: 'small', count: 2 }, key)).request_id, request_id);
    const seen: string[] = [];
    const ended = await client.waitFor(request_id, { poll_ms: 250, progress: (now) => seen.push(now.status) });
    t.is(ended.status, 'completed');
    t.is(ended.machines?.length, 2);
    t.is(seen.at(-1), 'completed');
    const { active_count } = await client.getActiveMachineCount();
    t.is(active_count, 2);
    const returned = await client.createReturnRequest({
      machine_ids: ended.machines?.map(({ machine_id }) => machine_id) ?? [],
    });
    t.is((await client.waitFor(returned.request_id)).status, 'completed');
    t.deepEqual(place.simulator.ledger().live, {});
    await t.throwsAsync(client.call('create_reqest'), {
      instanceOf: HandlerDiscoveryError,
      message: /create_request/,
    });

    // From here on no machine comes.
    place.simulator.setKnobs({ boot_ms: 3_600_000 });
    const slow = await client.create_request({ template_id: 'small', machine_count: 1 });
    const stop = new AbortController();
    const progress = () => setImmediate(() => stop.abort(new RangeError('enough')));
    await t.throwsAsync(client.waitFor(slow.request_id, { signal: stop.signal, progress }), {
      instanceOf: RangeError,
      message: 'enough',
    });
    await t.throwsAsync(client.list_templates({}, { signal: stop.signal }), { instanceOf: RangeError });
    await t.throwsAsync(client.waitFor(slow.request_id, { signal: AbortSignal.timeout(20) }), {
      name: 'TimeoutError',
    });
    const late = await t.throwsAsync(client.waitFor(slow.request_id, { timeout_ms: 10 }), {
      instanceOf: MethodExecutionError,
    });
    t.like(late, { code: 'UNAVAILABLE', details: { request_id: slow.request_id } });
  });
}

test('a wait polls after 250 ms, then less often, or at the given interval, but never sooner', async (t) => {
  const pauses = async (options: WaitOptions) => {
    const at: number[] = [];
    const look = async () => {
      at.push(performance.now());
      return { request_id: 'r', status: at.length < 3 ? 'pending' : 'completed' } as RequestAnswer;
    };
    await waitFor(look, options);
    return at.slice(1).map((time, place) => time - (at[place] ?? 0));
  };
  const expected: readonly (readonly [WaitOptions, readonly number[]])[] = [
    [{}, [250, 500]],
    [{ poll_ms: 500 }, [500, 500]],
    [{ poll_ms: 1 }, [250, 250]],
  ];
  const seen = await Promise.all(expected.map(([options]) => pauses(options)));
  for (const [place, [options, least]] of expected.entries())
    t.true(
      least.every((ms, pause) => (seen[place]?.[pause] ?? 0) > ms - 5),
      JSON.stringify([options, seen[place]]),
    );
});

test('a server that is older and lacks an operation says so as a missing method', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(
      '{"error": {"code": "NOT_FOUND", "message": "There is no operation \'get_machine\'.", "details": {}}}',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = await connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  t.teardown(async () => (await client.close(), server.close()));
  await t.throwsAsync(client.getMachine({ machine_id: 'i-1' }), {
    instanceOf: HandlerDiscoveryError,
    message: /no operation/,
  });
});

test('plugins are found from the directory that is named, also by the loop, and know the faults of this broker', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-test-'));
  await writeFile(join(directory, 'tiny.ts'), tinyPlugin);
  const template = { template_id: 'tiny', provider_api: 'Boot' };
  await writeFile(
    join(directory, 'templates.json'),
    JSON.stringify([template, { ...template, template_id: 'full', name: 'full' }]),
  );
  const muster = await createBroker({
    cwd: directory,
    env: {},
    configuration: {
      plugins: ['./tiny.ts', 'default-format', 'storage-sqlite'],
      providers: [{ name: 'here', type: 'tiny' }],
      templates: { directory },
    },
  });
  t.teardown(async () => (await muster.close(), rm(directory, { recursive: true })));
  const made = await muster.create_request({ template_id: 'tiny', count: 1 });
  const { status, machines } = await muster.waitFor(made.request_id);
  t.deepEqual([status, machines?.[0]?.machine_id], ['completed', 'tiny-0']);
  const refused = await muster.create_request({ template_id: 'full', count: 1 });
  const { fulfilment } = await muster.waitFor(refused.request_id);
  t.like(fulfilment?.shortfall[0], { kind: 'capacity', message: 'No room.' });
});

test('it speaks our own words where no plugin brings them', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-test-'));
  await writeFile(join(directory, 'tiny.ts'), tinyPlugin);
  const plugins = ['./tiny.ts', 'hostfactory-format', 'storage-sqlite'];
  const configuration = { plugins, scheduler: 'hostfactory', providers: [{ name: 'here', type: 'tiny' }] };
  const muster = await createBroker({ cwd: directory, env: {}, configuration });
  t.teardown(async () => (await muster.close(), rm(directory, { recursive: true })));
  await muster.create_template({ template_id: 'tiny', provider_api: 'Boot', image_id: 'none' });
  const { request_id, status } = await muster.create_request({ template_id: 'tiny', count: 1 });
  t.is(status, 'pending');
  t.is((await muster.waitFor(request_id)).status, 'completed');
  t.true((await muster.list_templates()).success);
});

const tinyPlugin = `
import { Type } from ${JSON.stringify(import.meta.resolve('typebox'))};
import { definePlugin, defineProviderApi, defineProviderType, ProviderFault } from ${JSON.stringify(import.meta.resolve('../../../host/package/index.ts'))};

const machine = { machine_id: 'tiny-0', status: 'running', name: 'tiny-0', private_ip: '10.0.0.1', ready: true };
const type = defineProviderType({ type: 'tiny', config: Type.Object({}), connect: () => ({}) });
const api = defineProviderApi()({
  type: 'tiny',
  name: 'Boot',
  capabilities: {
    supports_spot: false, supports_on_demand: true, max_instances: 10, supported_fleet_types: [],
    machines_per_launch: 10, offers_per_launch: 'many', visible_within_ms: 0, token_valid_ms: 3600000,
  },
  async launch(session, order) {
    if (order.template.name === 'full') throw new ProviderFault('capacity', 'No room.');
    return { handle: {}, machines: [machine], settled: true };
  },
  observe: async (session, watched) => watched.map(() => ({ machines: [machine], settled: true })),
  release: async () => ({ done: true }),
});
export default definePlugin({ name: 'tiny', contract: 1, providers: [type], providerApis: [api] });
`;

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
