import test from 'ava';
import { BrokerError, ProviderFault } from '../../../../core/index.ts';
import { brokersBench } from '../../../support/brokers-bench.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { noAnswerAfter } from '../../../support/no-answer.ts';
import { oneAtWest } from '../../../support/one-at-west.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';
import { variants } from '../../../support/variants.ts';

const noMore = { kind: 'capacity', code: 'ICE', message: 'No more.', count: 1 } as const;
const away = async () => Promise.reject(new BrokerError('UNAVAILABLE', 'The storage is away.'));

for (const ms of variants([1_000, 2_500, 300, 1_500, 1_900], 2))
  test(`requests end by cancel, by return and by their time-out although each observation takes ${ms} ms`, async (t) => {
    const east = new ScriptedCloud({ machines_per_launch: 1 });
    const bench = await loopBench({ east });
    const { clock } = bench;
    east.before = () => clock.sleep(ms);
    east.shutsDownSlowly = true;
    const template = { timeout: 90 };
    const [cancelled, returned, late] = [
      await bench.request(2, template),
      await bench.request(2, template),
      await bench.request(2, template),
    ];
    await clock.advance(20_000);
    await bench.requestCommands.cancel(cancelled, undefined);
    const names = east.live(returned).map((machine_id) => ({ machine_id, provider_instance: 'east' }));
    await bench.requestService.returnMachines(names, 600, {});
    await clock.advance(120_000);
    const statuses = [cancelled, returned, late].map(async (id) => (await bench.status(id)).request.status);
    t.deepEqual(await Promise.all(statuses), ['cancelled', 'failed', 'failed']);
    await bench.close();
  });

test('an instance that could not be reached is tried again beside a slow call, and a return there is carried out', async (t) => {
  const { bench, west, clock, giveBack } = await oneAtWest(170_000);
  west.connecting = async () => {
    throw new ProviderFault('unavailable', 'away');
  };
  await bench.kill();
  await clock.advance(3_000);
  await giveBack();
  await clock.advance(1_000);
  west.connecting = async () => undefined;
  await clock.advance(15_000);
  t.deepEqual(west.live(), []);
  await bench.close();
});

test('a release does not wait for an observation of its machines that takes long', async (t) => {
  const west = new ScriptedCloud();
  const bench = await loopBench({ west });
  const { clock } = bench;
  await bench.request(2);
  await clock.advance(3_000);
  west.boot();
  await clock.advance(10_000);
  west.before = () => clock.sleep(55_000);
  await clock.advance(35_000);
  await bench.requestService.returnMachines([{ machine_id: 'm-1', provider_instance: 'west' }], 600, {});
  await clock.advance(2_000);
  t.deepEqual(west.live(), ['m-2']);
  await bench.close();
});

test('a loop that stops begins no launch that waits for its turn, and the next one makes them', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1 });
  const bench = await loopBench({ east }, { calls_at_once: 3 });
  const { clock, store } = bench;
  east.beforeLaunch = () => clock.sleep(3_000);
  const id = await bench.request(30);
  await clock.advance(5_000);
  const before = east.calls.length;
  await bench.restart();
  const doubtful = (await store.find('attempt', {})).filter((attempt) => attempt.doubtful);
  t.deepEqual(doubtful, []);
  t.true(east.calls.length - before <= 3 + 2 * 3, 'at most what had its turn');
  await clock.advance(60_000);
  t.is(east.live(id).length, 30);
  t.is(east.orders.length, 30);
  await bench.close();
});

for (const kind of variants(['invalid', 'throttled', 'credentials', 'unavailable'] as const))
  for (const [away_ms, slow_ms] of [
    [20_000, 40_000],
    [16_500, 0],
  ] as const)
    test(`a launch that could not be stored for ${away_ms} ms is in doubt: a later fault (${kind}) beside a call of ${slow_ms} ms does not lose its machine`, async (t) => {
      const east = new ScriptedCloud({ machines_per_launch: 1 });
      // An order that is refused when it is sent again is searched.
      const bench = await loopBench({ east }, {}, {}, 'off', true);
      const { clock, store, storage } = bench;
      let launches = 0;
      east.beforeLaunch = async () => {
        launches += 1;
        if (launches === 2) await clock.sleep(slow_ms);
      };
      east.scripts.push((order) => {
        const launched = east.start(order);
        storage.before = away;
        return launched;
      });
      const id = await bench.request(2);
      for (let n = 0; n < 100 && !storage.before; n++) await clock.advance(100);
      await clock.advance(away_ms);
      delete storage.before;
      // From now on what was executed is answered with a fault.
      const faults = Array.from({ length: 50 }, () => (order: Parameters<ScriptedCloud['start']>[0]) => {
        const known = [...east.machines.values()].some(({ token }) => token === order.token);
        return known ? new ProviderFault(kind, 'x') : east.start(order);
      });
      east.scripts.splice(0, Infinity, ...faults);
      await clock.advance(slow_ms + 10_000);
      await bench.requestCommands.cancel(id, undefined).catch(() => undefined);
      east.scripts.splice(0, Infinity);
      await clock.advance(1_200_000);
      const records = await store.find('machine', { where: { request_id: id } });
      const known = new Set(records.map(({ machine_id }) => machine_id));
      t.deepEqual(
        east.live().filter((each) => !known.has(each)),
        [],
        'no machine that nobody knows',
      );
      await bench.close();
    });

test('a machine that became ready while an observation elsewhere took long is seen before the time-out counts', async (t) => {
  const west = new ScriptedCloud();
  const east = new ScriptedCloud();
  const bench = await loopBench({ west, east });
  const { clock } = bench;
  west.scripts.push((order) => ({ ...west.start(order, 1), shortfall: [noMore] }));
  const id = await bench.request(2, { timeout: 60 });
  await clock.advance(3_000);
  east.boot();
  await clock.advance(10_000);
  // The next observation at east begins before the time-out and ends long after it.
  east.before = () => clock.sleep(60_000);
  await clock.advance(46_000);
  west.boot();
  await clock.advance(100_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.deepEqual([west.live().length, east.live().length], [1, 1]);
  await bench.close();
});

test('a request ends although releases at two instances hang in turn', async (t) => {
  const west = new ScriptedCloud();
  const east = new ScriptedCloud();
  const bench = await loopBench({ west, east });
  const { clock } = bench;
  west.scripts.push((order) => ({ ...west.start(order, 2), shortfall: [noMore] }));
  const id = await bench.request(4, { timeout: 90 });
  await clock.advance(3_000);
  west.boot('m-1');
  east.boot('m-1');
  await clock.advance(5_000);
  for (const [cloud, provider_instance] of [
    [west, 'west'],
    [east, 'east'],
  ] as const) {
    cloud.beforeRelease = noAnswerAfter(clock, 60_000);
    await bench.requestService.returnMachines([{ machine_id: 'm-1', provider_instance }], 600, {});
    await clock.advance(30_000);
  }
  await clock.advance(120_000);
  t.not((await bench.status(id)).request.status, 'in_progress');
  await bench.close();
});

test('a request whose outcomes could not be stored does not wait for an observation that hangs', async (t) => {
  const west = new ScriptedCloud();
  const east = new ScriptedCloud();
  const bench = await loopBench({ west, east });
  const { clock, storage } = bench;
  west.scripts.push((order) => ({ ...west.start(order, 2), shortfall: [noMore] }));
  await bench.request(3);
  await clock.advance(3_000);
  // The other machine at west boots, so that the request is planned every two seconds.
  west.boot('m-1');
  await clock.advance(2_000);
  east.before = () => clock.sleep(600_000);
  await clock.advance(5_000);
  storage.before = away;
  await clock.advance(25_000);
  delete storage.before;
  await bench.requestService.returnMachines([{ machine_id: 'm-1', provider_instance: 'west' }], 600, {});
  await clock.advance(20_000);
  t.deepEqual(west.live(), ['m-2']);
  await bench.close();
});

test('a refresh is told when each instance has answered since, although one of them always is being asked', async (t) => {
  const { clock, clouds, joinWith, request } = await brokersBench(t);
  const { west, east } = clouds;
  const told: number[] = [];
  const loop = await joinWith({ refreshed: (ids) => void told.push(ids.length) }, 'a', 'west', 'east');
  west.scripts.push((order) => ({ ...west.start(order, 1), shortfall: [noMore] }));
  await clock.advance(2_000);
  const [id = ''] = await request(undefined, 1, { machine_count: 2 });
  await clock.advance(5_000);
  west.before = () => clock.sleep(3_000);
  east.before = () => clock.sleep(4_300);
  await clock.advance(30_000);
  told.length = 0;
  loop.refresh([id]);
  await clock.advance(15_000);
  t.true(told.length > 0);
});
