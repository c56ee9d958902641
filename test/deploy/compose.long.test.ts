import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makePlace, startBroker, until, type StartedBroker } from '../support/boot-broker.ts';
import { testDatabase } from '../support/postgres-database.ts';
import { compose } from './deploy-files.ts';

/** The broker of a service of compose.yaml as a process: its variables, on the database of the test. */
async function brokerOf(
  name: string,
  url: string,
  place: Awaited<ReturnType<typeof makePlace>>,
): Promise<StartedBroker> {
  const { environment = {} } = compose().services[name] ?? {};
  // Each has a data directory of its own, as each container has.
  return startBroker({
    place,
    env: {
      ...environment,
      MUSTER_STORAGE_URL: url,
      MUSTER_SERVER_DRAIN_S: '1',
      MUSTER_DATA_DIR: join(place.directory, name),
    },
  });
}

const call = async (broker: StartedBroker, path: string, body?: object): Promise<any> => {
  const answer = await fetch(`${broker.url}/api/v1${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', 'x-forwarded-user': 'alice' },
  });
  return answer.json();
};

test('the three brokers of compose.yaml share a PostgreSQL: any of them may die or be replaced', async (t) => {
  const database = await testDatabase();
  t.teardown(() => database.remove());
  const place = await makePlace();
  t.teardown(() => place.close());
  // The configuration that is mounted names no storage: the variables do.
  const { east } = { east: place.simulator.url };
  writeFileSync(
    join(place.directory, 'muster.config.json'),
    JSON.stringify({
      providers: [
        {
          name: 'east',
          type: 'cloud',
          config: { endpoint_url: east, access_key_id: 'AKIATEST', secret_access_key: 'x' },
        },
      ],
    }),
  );
  const { url } = database.server;
  const names = Object.keys(compose().services).filter((name) => name.startsWith('broker-'));
  t.is(names.length, 3);
  const brokers = await Promise.all(names.map((name) => brokerOf(name, url, place)));
  t.teardown(() => Promise.all(brokers.map((broker) => broker.stop())));
  const [first, second, third] = brokers as [StartedBroker, StartedBroker, StartedBroker];
  await until(async () => {
    const { brokers: live } = await call(first, '/brokers/');
    return live.filter(({ status }: any) => status === 'live').length === 3;
  });

  const asked: string[] = [];
  for (const broker of brokers)
    for (let i = 0; i < 3; i += 1)
      asked.push((await call(broker, '/machines/request', { template_id: 'small', machine_count: 2 })).request_id);
  await second.kill('SIGKILL');
  for (const id of asked)
    await until(async () => (await call(first, `/requests/${id}/status`)).status === 'completed');
  t.is(Object.values(place.simulator.ledger().live).flat().length, 18, 'each request once');
  const { events } = await call(third, `/events/?request_id=${asked[0]}`);
  t.is(events[0].actor.name, 'alice');

  // A rolling replacement: the one that stops is no longer ready first, and then ends in order.
  const ended = third.kill('SIGTERM');
  await until(async () => (await fetch(`${third.url}/readyz`).catch(() => ({ status: 503 }))).status === 503);
  t.is(await ended, 0);
  const again = await brokerOf('broker-3', url, place);
  t.teardown(() => again.stop());
  const { request_id } = await call(again, '/machines/request', { template_id: 'small', machine_count: 1 });
  await until(async () => (await call(first, `/requests/${request_id}/status`)).status === 'completed');
});
