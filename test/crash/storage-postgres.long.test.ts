import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test from 'ava';
import { makePlace, startBroker, until, type Place, type StartedBroker } from '../support/boot-broker.ts';
import { testDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { execCli, launcher } from '../support/run-cli.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase({ fsync: 'on', full_page_writes: 'on' });
});
test.after.always(() => database.remove());

const placeOn = (schema: string): Promise<Place> =>
  makePlace({
    knobs: { boot_ms: 300, latency_ms: { RunInstances: 100, CreateFleet: 100 } },
    configuration: {
      plugins: ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'default-format', 'storage-postgres'],
      storage: { type: 'postgres', ...database.options(schema) },
    },
  });

async function call(broker: StartedBroker, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(`${broker.url}/api/v1${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { ...((await answer.json()) as object), http: answer.status };
}

const ask = async (broker: StartedBroker, template_id: string): Promise<string> =>
  (await call(broker, 'POST', '/machines/request', { template_id, machine_count: 2 })).request_id;

const all = (broker: StartedBroker, ids: readonly string[], status: string) =>
  until(async () => {
    const read = await Promise.all(ids.map((id) => call(broker, 'GET', `/requests/${id}/status?long=true`)));
    return read.every((each) => each.status === status) ? read : undefined;
  });

test.serial(
  'a broker on PostgreSQL that is killed again and again starts nothing twice and forgets nothing',
  async (t) => {
    const place = await placeOn(database.place());
    t.teardown(() => place.close());
    let broker = await startBroker({ place });
    t.teardown(() => broker.stop());
    const asked: string[] = [];
    for (const template of ['small', 'fleet', 'small']) {
      asked.push(...(await Promise.all([ask(broker, template), ask(broker, template)])));
      await until(async () => Object.keys(place.simulator.ledger().launches).length >= asked.length - 1);
      await broker.kill('SIGKILL');
      broker = await startBroker({ place });
    }
    const done = await all(broker, asked, 'completed');
    const { live, launches } = place.simulator.ledger();
    t.deepEqual(
      asked.map((id) => live[id]?.length),
      asked.map(() => 2),
    );
    t.deepEqual(
      Object.values(launches),
      asked.map(() => 2),
    );
    const machine_ids = done.flatMap(({ machines }) => machines.map(({ machine_id }: any) => machine_id));
    const { request_id } = await call(broker, 'POST', '/machines/return', { machine_ids });
    await all(broker, [request_id], 'completed');
    t.deepEqual(Object.values(place.simulator.ledger().live).flat(), []);
    t.is(await broker.kill('SIGTERM'), 0, broker.output.stderr);
  },
);

test.serial(
  'the database stops and starts again amid work: calls are refused at once, and all else goes on by itself',
  async (t) => {
    const place = await placeOn(database.place());
    t.teardown(() => place.close());
    const broker = await startBroker({ place });
    t.teardown(() => broker.stop());
    const asked = await Promise.all(['small', 'fleet', 'small', 'fleet'].map((each) => ask(broker, each)));
    await until(async () => Object.keys(place.simulator.ledger().launches).length > 0);
    await database.server.stop('SIGKILL');
    for (const [method, path, body] of [
      ['POST', '/machines/request', { template_id: 'small', machine_count: 1 }],
      ['GET', `/requests/${asked[0]}/status`],
    ] as const) {
      const began = performance.now();
      const { http, detail } = await call(broker, method, path, body);
      t.is(http, 503);
      t.regex(detail, /cannot serve/);
      t.true(performance.now() - began < 15_000);
    }
    await database.server.start();
    await all(broker, asked, 'completed');
    asked.push(await ask(broker, 'small'));
    await all(broker, asked, 'completed');
    const { live, launches } = place.simulator.ledger();
    t.deepEqual(
      asked.map((id) => live[id]?.length),
      asked.map(() => 2),
    );
    t.deepEqual(
      Object.values(launches),
      asked.map(() => 2),
    );
    t.deepEqual(Object.keys(live).toSorted(), asked.toSorted());
    t.is((await fetch(`${broker.url}/readyz`)).status, 200);
  },
);

for (const workers of [1, 2])
  test.serial(
    `a server with ${workers} workers that starts before its database waits, says so, and then works`,
    async (t) => {
      const place = await placeOn(database.place());
      t.teardown(() => place.close());
      await database.server.stop('SIGQUIT');
      const output: string[] = [];
      const start = ['server', 'start', '--foreground', '--port', '0', '--workers', String(workers)];
      const child = spawn(launcher, start, { cwd: place.directory, stdio: ['ignore', 'ignore', 'pipe'] });
      t.teardown(() => child.kill('SIGKILL'));
      child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text));
      await until(async () => /muster waits with its start.*ECONNREFUSED/.test(output.join('')));
      await database.server.start();
      const url = await until(async () => / answers at (\S+)/.exec(output.join(''))?.[1]);
      await until(async () => (await fetch(`${url}/readyz`)).status === 200);
      t.regex(output.join(''), /The storage is there: muster starts\./);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      t.deepEqual(await ended, [0, null]);
    },
  );

for (const workers of [1, 2])
  test.serial(`a server with ${workers} workers does not wait for what no waiting mends`, async (t) => {
    const place = await placeOn(database.place());
    t.teardown(() => place.close());
    const started = await execCli(
      ['server', 'start', '--foreground', '--port', '0', '--workers', String(workers)],
      // The server of the tests has no TLS.
      { cwd: place.directory, env: { PGSSLMODE: 'require' } },
    );
    t.is(started.code, 5);
    t.regex(started.err, /does not support TLS/);
    t.notRegex(started.err, /waits with its start/);
  });

test.serial('a server that waits for its database ends at once when it is told to', async (t) => {
  const place = await placeOn(database.place());
  t.teardown(() => place.close());
  await database.server.stop('SIGQUIT');
  t.teardown(() => database.server.start());
  const child = spawn(launcher, ['server', 'start', '--foreground', '--port', '0'], {
    cwd: place.directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until(async () => output.includes('waits with its start'));
  child.kill('SIGTERM');
  await ended;
  // From the outside: the start says why, and its process goes on waiting.
  const started = await execCli(['server', 'start', '--port', '0'], { cwd: place.directory });
  t.is(started.code, 5);
  t.regex(started.err, /waits with its start.*ECONNREFUSED/);
  t.regex(started.err, /server stop ends it/);
  const pid = Number(/pid (\d+)/.exec(started.err)?.[1]);
  process.kill(pid, 'SIGTERM');
});

test.serial(
  'two brokers on one schema start nothing twice, and one continues at once when the other is killed',
  async (t) => {
    const place = await placeOn(database.place());
    t.teardown(() => place.close());
    const server = (name: string) => startBroker({ place, env: { MUSTER_DATA_DIR: join(place.directory, name) } });
    const [a, b] = await Promise.all([server('a'), server('b')]);
    t.teardown(() => Promise.all([a.stop(), b.stop()]));
    const asked = await Promise.all(
      Array.from({ length: 16 }, (_, i) => ask(i % 2 ? a : b, i % 4 < 2 ? 'small' : 'fleet')),
    );
    await until(async () => Object.keys(place.simulator.ledger().launches).length > 2);
    const brokers = async (): Promise<any[]> => (await call(b, 'GET', '/brokers/')).brokers;
    await until(async () => (await brokers()).every(({ status, holds }) => status === 'live' && holds > 0));
    await a.kill('SIGKILL');
    await all(b, asked, 'completed');
    // Also requests whose machines ran already are taken over.
    await until(async () => {
      const listed = new Map((await brokers()).map(({ pid, status, holds }) => [pid, `${status} ${holds}`]));
      return listed.get(a.pid) === 'dead 0' && listed.get(b.pid) === `live ${asked.length}`;
    });
    const { live, untagged, launches } = place.simulator.ledger();
    t.deepEqual(untagged, []);
    t.deepEqual(Object.keys(live).toSorted(), asked.toSorted());
    t.true(Object.values(live).every((machines) => machines.length === 2));
    t.deepEqual(
      Object.values(launches),
      asked.map(() => 2),
    );
  },
);
