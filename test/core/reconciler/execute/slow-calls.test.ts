import test from 'ava';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const noMore = { kind: 'capacity', code: 'ICE', message: 'No more.', count: 1 } as const;

/** A request of two machines: one runs at west, and the call that orders the other one at east takes a minute. */
async function oneAtWest() {
  const west = new ScriptedCloud();
  const east = new ScriptedCloud();
  const bench = await loopBench({ west, east });
  const { clock } = bench;
  west.scripts.push((order) => ({ ...west.start(order, 1), shortfall: [noMore] }));
  east.before = () => clock.sleep(60_000);
  const id = await bench.request(2);
  await clock.advance(3_000);
  west.boot();
  await clock.advance(5_000);
  return { bench, east, west, id, clock };
}

test('machines of one instance are ready, observed and returned while a call to another instance takes a minute', async (t) => {
  const { bench, east, west, id, clock } = await oneAtWest();
  const { machines } = await bench.status(id);
  t.deepEqual(
    machines.map(({ machine_id, status }) => [machine_id, status]),
    [['m-1', 'running']],
  );
  t.deepEqual(east.live(), []);
  await bench.requestService.returnMachines([{ machine_id: 'm-1', provider_instance: 'west' }], 600, {});
  await clock.advance(4_000);
  t.deepEqual(west.live(), []);
  east.before = async () => undefined;
  await clock.advance(60_000);
  east.boot();
  await clock.advance(60_000);
  t.is(east.live().length, 1);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.close();
});

test('a cancel releases what runs at once, and what a call brings that was under way as soon as it is known', async (t) => {
  const { bench, east, west, id, clock } = await oneAtWest();
  await bench.requestCommands.cancel(id, undefined);
  await clock.advance(4_000);
  t.deepEqual(west.live(), []);
  t.is((await bench.status(id)).request.status, 'in_progress');
  east.before = async () => undefined;
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
  const { clock, store } = bench;
  const commit = store.commit.bind(store);
  const isSlow = { now: false };
  store.commit = async (changes) => {
    if (isSlow.now) await clock.sleep(500);
    return commit(changes);
  };
  let calls = 0;
  east.before = async () => {
    calls += 1;
    isSlow.now = true;
    if (calls > 1) await clock.sleep(1_200 + calls);
  };
  const id = await bench.request(300);
  await clock.advance(20_000);
  t.is(east.orders.length, 3);
  t.is((await store.find('machine', { where: { request_id: id } })).length, 300);
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
