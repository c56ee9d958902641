import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import test from 'ava';
import { bootBroker, makePlace, startBroker, until } from '../support/boot-broker.ts';

const ask = async (url: string, template_id: string): Promise<string> => {
  const body = JSON.stringify({ template_id, machine_count: 2 });
  const answer = await fetch(`${url}/api/v1/machines/request`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  return ((await answer.json()) as { request_id: string }).request_id;
};

test('two servers with loops on one database start nothing twice, and one continues at once when the other is killed', async (t) => {
  const place = await makePlace({ knobs: { boot_ms: 200, latency_ms: { RunInstances: 200, CreateFleet: 200 } } });
  t.teardown(() => place.close());
  const database = join(place.directory, 'data', 'muster.db');
  const server = (name: string) =>
    startBroker({ place, env: { MUSTER_DATA_DIR: join(place.directory, name), MUSTER_STORAGE_PATH: database } });
  const [a, b] = await Promise.all([server('a'), server('b')]);
  t.teardown(() => Promise.all([a.stop(), b.stop()]));
  const asked = await Promise.all(
    Array.from({ length: 16 }, (_, i) => ask((i % 2 ? a : b).url, i % 4 < 2 ? 'small' : 'fleet')),
  );
  const store = new DatabaseSync(database, { readOnly: true });
  const holder = await until(async () => {
    const held = 'SELECT doc FROM broker WHERE term IN (SELECT term FROM claim) LIMIT 1';
    const { doc } = store.prepare(held).get() ?? {};
    return doc === undefined ? undefined : (JSON.parse(String(doc)) as { readonly pid: number }).pid;
  });
  const [dead, left] = holder === a.pid ? [a, b] : [b, a];
  await dead.kill('SIGKILL');
  const killed = performance.now();
  const status = async (id: string) =>
    ((await (await fetch(`${left.url}/api/v1/requests/${id}/status`)).json()) as any).status as string;
  await until(async () => (await Promise.all(asked.map(status))).every((each) => each === 'completed'));
  // Far less than a lease: whoever held them is dead, and of this host.
  t.true(performance.now() - killed < 12_000, `${performance.now() - killed} ms`);
  store.close();
  const { live, untagged, launches } = place.simulator.ledger();
  t.deepEqual(untagged, []);
  t.deepEqual(Object.keys(live).toSorted(), asked.toSorted());
  t.true(Object.values(live).every((machines) => machines.length === 2));
  t.deepEqual(
    Object.values(launches),
    asked.map(() => 2),
  );
});

test('a process without a loop stores requests and never claims one', async (t) => {
  const booted = await bootBroker({ loop: 'none' });
  t.teardown(() => booted.close());
  const ids = await Promise.all(
    [1, 2, 3].map(
      async () =>
        (await booted.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 })).body
          .request_id as string,
    ),
  );
  await wait(1_200);
  const store = new DatabaseSync(join(booted.place.directory, 'data', 'muster.db'), { readOnly: true });
  t.is(store.prepare('SELECT count(*) AS n FROM claim').get()?.['n'], 0);
  const stored = store
    .prepare('SELECT request_id, epoch, status FROM request ORDER BY request_id')
    .all()
    .map((row) => ({ ...row }));
  t.deepEqual(
    stored,
    ids.toSorted().map((request_id) => ({ request_id, epoch: 0, status: 'pending' })),
  );
  t.deepEqual(booted.simulator.ledger().launches, {});
  store.close();
});
