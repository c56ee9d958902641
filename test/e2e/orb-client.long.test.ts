import { createRequire } from 'node:module';
import test from 'ava';
import type { OrbClient as Client } from '@finos/open-resource-broker';
import { startBroker, until } from '../support/boot-broker.ts';

// The TypeScript client of a broker that others use, as its users call it. The package declares an entry for `import`
// that it does not contain, so it is required.
const { OrbClient } = createRequire(import.meta.url)('@finos/open-resource-broker') as {
  readonly OrbClient: typeof Client;
};

interface Called {
  readonly request_id: string;
}

test('the client of another broker requests, follows, returns and cancels machines', async (t) => {
  const broker = await startBroker({ knobs: { boot_ms: 500 } });
  t.teardown(() => broker.stop());
  const client = await OrbClient.create({ baseUrl: broker.url, auth: { type: 'none' }, retry: { maxRetries: 0 } });
  t.teardown(() => client.close());

  await until(async () => (await client.health()).status === 'ok');
  const { templates = [] } = await client.listTemplates();
  t.true(templates.some(({ template_id }) => template_id === 'small'));

  const asked = (await client.requestMachines({ templateId: 'small', count: 2 })) as Called;
  const ended = await client.waitForCompletion(asked.request_id, { intervalSeconds: 1, timeoutSeconds: 60 });
  t.like(ended, { requestId: asked.request_id, status: 'completed' });
  t.is(ended.machines.length, 2);
  for (const { machineId, privateIp } of ended.machines) {
    t.regex(machineId, /^i-/);
    t.regex(privateIp ?? '', /^10\./);
  }

  const status = (await client.getRequestStatus(asked.request_id, true)) as Readonly<Record<string, unknown>>;
  t.like(status, { request_id: asked.request_id, status: 'completed' });
  t.is((status['machines'] as readonly unknown[]).length, 2);
  const several = await client.batchGetRequestStatus({ requestIds: [asked.request_id], verbose: true });
  t.deepEqual(
    several.requests.map(({ request_id, status, machines }) => [request_id, status, machines?.length]),
    [[asked.request_id, 'completed', 2]],
  );
  t.true((await client.listRequests({ limit: 5 })).requests.length > 0);
  const timeline = (await client.getRequestTimeline(asked.request_id)) as {
    readonly milestones: Readonly<Record<string, string | null>>;
  };
  t.is(typeof timeline.milestones['all_ready'], 'string');

  const returned = (await client.returnMachines({
    machineIds: ended.machines.map(({ machineId }) => machineId),
  })) as Called;
  t.is((await client.waitForCompletion(returned.request_id, { timeoutSeconds: 60 })).status, 'completed');
  t.deepEqual((await client.listReturnRequests()).requests, []);

  broker.place.simulator.setKnobs({ boot_ms: 60_000 });
  const another = (await client.requestMachines({ templateId: 'small', count: 1 })) as Called;
  await client.cancelRequest(another.request_id, 'It is not needed.');
  t.is((await client.waitForCompletion(another.request_id, { timeoutSeconds: 60 })).status, 'cancelled');
  const slow = (await client.requestMachines({ templateId: 'small', count: 1 })) as Called;
  const waited = await client.waitForCompletion(slow.request_id, { timeoutSeconds: 1 });
  t.like(waited, { requestId: slow.request_id, status: 'in_progress' }, 'the end of the time is told');

  t.is((await client.listProviders()).providers.length, 1);
  t.like(await client.getProvidersHealth(), { status: 'healthy', healthy: 1 });
  await t.throwsAsync(client.getRequestStatus('req-unknown'), { name: 'OrbNotFoundError' });
});

test('the same client in the words of HostFactory', async (t) => {
  const broker = await startBroker();
  t.teardown(() => broker.stop());
  const client = await OrbClient.create({
    baseUrl: broker.url,
    auth: { type: 'none' },
    scheduler: 'hostfactory',
  });
  t.teardown(() => client.close());
  const { requestId } = (await client.requestMachines({ templateId: 'small', count: 1 })) as unknown as {
    readonly requestId: string;
  };
  t.is((await client.waitForCompletion(requestId, { timeoutSeconds: 60 })).status, 'complete');
});
