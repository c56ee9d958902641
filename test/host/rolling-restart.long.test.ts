import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makePlace, startBroker, until, type StartedBroker } from '../support/boot-broker.ts';
import { testDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { readinessProxy } from '../support/readiness-proxy.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
});
test.after.always(() => database.remove());

/** Three brokers are restarted in turn behind a proxy, while callers call without a pause. */
async function restartsInTurn(t: ExecutionContext, server: object): Promise<void> {
  t.timeout(300_000);
  const place = await makePlace({
    knobs: { boot_ms: 300 },
    configuration: {
      plugins: ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'default-format', 'storage-postgres'],
      storage: { type: 'postgres', ...database.options(database.place()) },
      // Longer than the proxy needs to notice, also on a busy computer.
      server: { rate_limit: { enabled: false }, drain_s: 3, ...server },
    },
  });
  t.teardown(() => place.close());
  const start = (n: number) => startBroker({ place, env: { MUSTER_DATA_DIR: join(place.directory, `broker-${n}`) } });
  const brokers: StartedBroker[] = await Promise.all([0, 1, 2].map(start));
  t.teardown(() => Promise.all(brokers.map((broker) => broker.stop())));
  const proxy = await readinessProxy();
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const show = () => (proxy.urls = brokers.map(({ url }) => url));
  show();
  await until(async () => proxy.ready.length === 3);

  const wrong: string[] = [];
  const asked: string[] = [];
  let calls = 0;
  const callers = { over: false };
  async function call(method: string, path: string, body?: object): Promise<any> {
    calls += 1;
    try {
      const answer = await fetch(`${proxy.url}/api/v1${path}`, {
        method,
        ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
      });
      const text = await answer.text();
      if (answer.ok) return JSON.parse(text);
      wrong.push(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    } catch (error) {
      wrong.push(`${method} ${path}: ${String((error as Error).cause ?? error)}`);
    }
    return undefined;
  }
  async function ask(template_id: string): Promise<string> {
    const { request_id } = (await call('POST', '/machines/request', { template_id, machine_count: 1 })) ?? {};
    if (request_id !== undefined) asked.push(request_id);
    return request_id;
  }
  const calling = Array.from({ length: 4 }, async (_, n) => {
    const request_id = await ask('small');
    for (let round = 0; !callers.over; round += 1) {
      await call('GET', `/requests/${request_id}/status${n === 0 ? '?long=true' : ''}`);
      await call('GET', '/templates/');
      if (round % 50 === n) await ask('small');
      await new Promise((resolve) => void setTimeout(resolve, 10));
    }
  });
  for (const [n, broker] of brokers.entries()) {
    const ended = await broker.kill('SIGTERM');
    t.is(ended, 0, broker.output.stderr);
    brokers[n] = await start(n);
    show();
    await until(async () => proxy.ready.length === 3);
    await ask('fleet');
  }
  callers.over = true;
  await Promise.all(calling);
  t.deepEqual(wrong.slice(0, 10), []);
  t.true(calls > 100, `${calls} calls`);
  t.true([...proxy.served.values()].filter((count) => count > 0).length === 6, 'each broker served');
  await until(async () =>
    (await Promise.all(asked.map((id) => call('GET', `/requests/${id}/status`)))).every(
      (answer) => answer?.status === 'completed',
    ),
  );
  t.deepEqual(Object.values(place.simulator.ledger().live).flat().length, asked.length);
  t.log(`${calls} calls`);
}

test.serial('three brokers behind a proxy are restarted in turn, and no call is refused', (t) =>
  restartsInTurn(t, {}),
);

test.serial('so are brokers with several workers', (t) => restartsInTurn(t, { workers: 2 }));
