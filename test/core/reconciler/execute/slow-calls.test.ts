import test from 'ava';
import { loopBench } from '../../../support/loop-bench.ts';
import { oneAtWest } from '../../../support/one-at-west.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const noMore = { kind: 'capacity', code: 'ICE', message: 'No more.', count: 1 } as const;

test('machines of one instance are ready, observed and returned while a call to another instance takes a minute', async (t) => {
  const { bench, east, west, id, clock, giveBack } = await oneAtWest(60_000);
  const { machines } = await bench.status(id);
  t.deepEqual(
    machines.map(({ machine_id, status }) => [machine_id, status]),
    [['m-1', 'running']],
  );
  t.deepEqual(east.live(), []);
  await giveBack();
  await clock.advance(4_000);
  t.deepEqual(west.live(), []);
  await clock.advance(60_000);
  east.boot();
  await clock.advance(60_000);
  t.is(east.live().length, 1);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.close();
});

test('a cancel releases what runs at once, and what a call brings that was under way as soon as it is known', async (t) => {
  const { bench, east, west, id, clock } = await oneAtWest(60_000);
  await bench.requestCommands.cancel(id, undefined);
  await clock.advance(4_000);
  t.deepEqual(west.live(), []);
  t.is((await bench.status(id)).request.status, 'in_progress');
  await clock.advance(60_000);
  t.is(east.orders.length, 1);
  t.deepEqual(east.live(), []);
  t.is((await bench.status(id)).request.status, 'cancelled');
  await bench.close();
});

test('a process that dies while one of several calls takes long has stored what the others brought', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { clock } = bench;
  let calls = 0;
  east.before = async () => {
    calls += 1;
    if (calls === 3) await clock.sleep(60_000);
  };
  const id = await bench.request(300);
  await clock.advance(5_000);
  t.is((await bench.store.find('machine', { where: { request_id: id } })).length, 200);
  await bench.kill();
  await clock.advance(45_000);
  t.is(east.live().length, 300);
  await bench.close();
});

test('a call that ends while the outcomes of others are stored is not made again', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { clock, store, storage } = bench;
  let calls = 0;
  east.before = async () => {
    calls += 1;
    storage.before = (method) => (method === 'commit' ? clock.sleep(500) : Promise.resolve());
    if (calls > 1) await clock.sleep(1_200 + calls);
  };
  const id = await bench.request(300);
  await clock.advance(20_000);
  t.is(east.orders.length, 3);
  t.is((await store.find('machine', { where: { request_id: id } })).length, 300);
  await bench.close();
});

test('a loop is at rest while calls and connections of its requests take long', async (t) => {
  const { bench, west, clock } = await oneAtWest(170_000);
  west.connecting = () => clock.sleep(60_000);
  await bench.kill();
  await clock.advance(3_000);
  const before = clock.sleeps;
  await clock.advance(100_000);
  t.true(clock.sleeps - before < 2_000, `${clock.sleeps - before} sleeps`);
  await bench.close();
});

test('a request that is cancelled while its instance connects orders nothing', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  east.connecting = () => bench.clock.sleep(20_000);
  const id = await bench.request(1);
  await bench.clock.advance(5_000);
  await bench.requestCommands.cancel(id, undefined);
  await bench.clock.advance(30_000);
  t.deepEqual(
    east.calls.filter((call) => call === 'prepare' || call === 'launch'),
    [],
  );
  t.is((await bench.status(id)).request.status, 'cancelled');
  t.deepEqual(await bench.store.find('attempt', {}), []);
  await bench.close();
});

// One of these connections ends while an outcome is being stored.
for (const connects of [3_060, 3_090, 3_120])
  test(`an order is stored once although its instance connects for ${connects} ms and other outcomes are stored meanwhile`, async (t) => {
    const west = new ScriptedCloud({ machines_per_launch: 10 });
    const east = new ScriptedCloud({ machines_per_launch: 10 });
    const bench = await loopBench({ west, east });
    const { clock, store, storage } = bench;
    storage.before = (method) => (method === 'commit' ? clock.sleep(50) : Promise.resolve());
    let calls = 0;
    west.scripts.push((order) => ({ ...west.start(order, 5), shortfall: [{ ...noMore, count: 5 }] }));
    west.before = async () => {
      calls += 1;
      if (calls === 2) await clock.sleep(4_000);
    };
    east.connecting = () => clock.sleep(connects);
    await Promise.all([bench.request(20), clock.advance(1_000)]);
    for (let passed = 0; passed < 20_000; passed += 50) {
      await clock.advance(50);
      t.true(west.live().length + east.live().length <= 20);
    }
    t.is(west.live().length + east.live().length, 20);
    t.is((await store.find('attempt', {})).length, 3);
    await Promise.all([bench.close(), clock.advance(10_000)]);
  });

test('a return is carried out although signals of its request come more often than the instance has a turn', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { clock } = bench;
  const id = await bench.request(60);
  await clock.advance(3_000);
  east.boot();
  await clock.advance(10_000);
  const [first, ...others] = east.live(id);
  const giveBack = (machine_id = '') =>
    bench.requestService.returnMachines([{ machine_id, provider_instance: 'east' }], 600, {});
  east.beforeLaunch = () => clock.sleep(10_000);
  for (let n = 0; n < 48; n++) await bench.request(1);
  await clock.advance(1_000);
  await giveBack(first);
  for (const each of others.slice(0, 40)) {
    for (let n = 0; n < 3; n++) await bench.request(1);
    await clock.advance(2_000);
    await giveBack(each);
  }
  t.false(east.live().includes(first ?? ''));
  t.true(east.live(id).length < 60 - 20, `${east.live(id).length} live`);
  await bench.close();
});

test('leases that end together are one return, however long it takes to be stored', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { clock, store, storage } = bench;
  storage.before = async (_method, changes) => {
    if (changes.some((each) => 'kind' in each && each.kind === 'signal' && each.op === 'insert'))
      await clock.sleep(4_000);
  };
  await bench.request(5, { lease: 120 });
  await clock.advance(3_000);
  east.boot();
  await clock.advance(170_000);
  t.is((await store.find('request', { where: { kind: 'return' } })).length, 1);
  t.deepEqual(east.live(), []);
  await bench.close();
});
