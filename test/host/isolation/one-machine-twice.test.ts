import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createBroker } from '../../../host/sdk/index.ts';
import { until } from '../../support/boot-broker.ts';

/** It believes that it has one machine, and gives it to everybody. */
const generous = `
import { definePlugin, Type } from 'muster';

const machine = { machine_id: 'the-one', status: 'running', name: 'the-one', private_ip: '10.0.0.1', ready: true };
const api = {
  type: 'generous',
  name: 'Give',
  capabilities: {
    supports_spot: false, supports_on_demand: true, max_instances: 10, supported_fleet_types: [],
    late_release_ms: 0, machines_per_launch: 10, offers_per_launch: 'many', visible_within_ms: 0, token_valid_ms: 3600000,
  },
  launch: async () => ({ handle: {}, machines: [machine], settled: true }),
  observe: async (session, watched) => watched.map(() => ({ machines: [machine], settled: true })),
  release: async () => ({ done: true }),
};
export default definePlugin({
  name: 'generous', contract: 1, providers: [{ type: 'generous', config: Type.Object({}), connect: () => ({}) }], providerApis: [api],
});
`;

test('a machine that a plugin reports for two requests stays with one of them, and its instance becomes unhealthy', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-twice-'));
  await writeFile(join(directory, 'generous.ts'), generous);
  await writeFile(join(directory, 'templates.json'), JSON.stringify([{ template_id: 'any', provider_api: 'Give' }]));
  const muster = await createBroker({
    cwd: directory,
    env: {},
    configuration: {
      plugins: ['./generous.ts', 'default-format', 'storage-sqlite'],
      providers: [{ name: 'here', type: 'generous' }],
      templates: { directory },
    },
  });
  t.teardown(async () => (await muster.close(), rm(directory, { recursive: true })));
  // At the same time, so that neither finds the other in the store.
  const two = await Promise.all(
    [1, 2].map(() => muster.create_request({ template_id: 'any', count: 1, timeout: 60 })),
  );
  const ended = await Promise.all(two.map(({ request_id }) => muster.waitFor(request_id)));
  t.deepEqual(
    ended.flatMap(({ machines = [] }) => machines.map(({ machine_id }) => machine_id)),
    ['the-one'],
  );
  t.deepEqual(ended.map(({ status }) => status).toSorted(), ['completed', 'failed']);
  const status = async () => (await muster.list_providers()).providers[0]?.status;
  await until(async () => (await status()) === 'unhealthy');
  // Whoever comes afterwards is told why there is nothing.
  await t.throwsAsync(muster.create_request({ template_id: 'any', count: 1 }), {
    code: 'NO_ENABLED_PROVIDERS',
    message:
      /'here': it is unhealthy: The plugin of 'here' reports machine the-one for request req-\S+, but it belongs to request req-\S+ \(1 such machines\)\./,
  });
});
