import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makePlace, startBroker, until, type StartedBroker } from '../../support/boot-broker.ts';
import { testDatabase } from '../../support/postgres-database.ts';

/** A receiver that notes the number of each event, in the order of its arrival. */
async function receiver(t: ExecutionContext) {
  const got: number[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    got.push(JSON.parse(body).seq);
    // An answer that takes its time: a broker is killed between a delivery and the commit of its position.
    setTimeout(() => response.writeHead(200).end(), 20);
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const call = async ({ url }: StartedBroker, method: string, path: string, body?: object): Promise<any> => {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  return answer.json();
};

test('brokers on one PostgreSQL deliver every event in order, also when the one that delivers is killed', async (t) => {
  t.timeout(300_000);
  const database = await testDatabase();
  t.teardown(() => database.remove());
  const { got, url } = await receiver(t);
  const place = await makePlace({
    configuration: {
      plugins: ['cloud', 'cloud-runinstances', 'default-format', 'storage-postgres', 'events-webhook'],
      storage: { type: 'postgres', ...database.options(database.place()) },
      events: { sinks: [{ type: 'webhook', name: 'ops', url, secret: 'a key of signatures' }] },
    },
  });
  t.teardown(() => place.close());
  const start = async (index: number): Promise<StartedBroker> => {
    const broker = await startBroker({ place, env: { MUSTER_DATA_DIR: join(place.directory, `data-${index}`) } });
    t.teardown(() => broker.stop());
    return broker;
  };
  const brokers = await Promise.all([0, 1, 2].map(start));
  const order = async (broker: StartedBroker): Promise<string> =>
    (await call(broker, 'POST', '/machines/request', { template_id: 'small', machine_count: 1 })).request_id;
  const delivered = () => new Set(got).size;
  // The position of a new sink is that of the first event after it.
  await until(async () => {
    await order(brokers[0] as StartedBroker);
    return got.length > 0;
  });

  const asked: string[] = [];
  for (const index of [0, 1, 2, 0]) {
    const before = delivered();
    asked.push(...(await Promise.all(brokers.flatMap((broker) => [order(broker), order(broker), order(broker)]))));
    await until(async () => delivered() > before);
    // One of the three delivers.
    await brokers[index]?.kill('SIGKILL');
    brokers[index] = await start(index);
  }
  const [broker] = brokers as [StartedBroker];
  await until(async () => {
    const { requests } = await call(broker, 'POST', '/requests/status', { request_ids: asked });
    return requests.every(({ status }: { readonly status: string }) => status === 'completed');
  });

  const stored: number[] = [];
  for (let after = 0; ; after = stored.at(-1) ?? 0) {
    const { events } = await call(broker, 'GET', `/events/?after=${after}&limit=1000`);
    if (events.length === 0) break;
    stored.push(...events.map(({ seq }: { readonly seq: number }) => seq));
  }
  await until(async () => got.includes(stored.at(-1) ?? 0));
  const first = got[0] ?? 0;
  t.deepEqual(
    [...new Set(got)],
    stored.filter((seq) => seq >= first),
    'every event, at its first delivery in order',
  );
  t.true(stored.filter((seq) => seq >= first).length >= asked.length * 3);
});
