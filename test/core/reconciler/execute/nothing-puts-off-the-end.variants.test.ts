import test, { type ExecutionContext } from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { noAnswer, noAnswerAfter } from '../../../support/no-answer.ts';
import { stateMessage } from '../../../support/notices-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';
import { variants } from '../../../support/variants.ts';

const noMore = { kind: 'capacity', code: 'ICE', message: 'No more.', count: 1 } as const;

/** Seconds until the request has ended, at most `most`. */
async function secondsToEnd({ clock, status }: LoopBench, id: string, most: number): Promise<number> {
  const isOpen = async () => ['pending', 'in_progress'].includes((await status(id)).request.status);
  let seconds = 0;
  for (; seconds < most && (await isOpen()); seconds += 10) await clock.advance(10_000);
  return seconds;
}

/** One of two machines runs at east. Nothing was started at west, to which no connection succeeds since a kill. */
async function unreachableWest(connectMs: number) {
  const west = new ScriptedCloud();
  const east = new ScriptedCloud();
  const bench = await loopBench({ west, east });
  west.scripts.push(() => new ProviderFault('capacity', 'none'));
  const id = await bench.request(2, { timeout: 90 });
  await bench.clock.advance(3_000);
  east.boot('m-1');
  await bench.clock.advance(5_000);
  west.connecting = noAnswerAfter(bench.clock, connectMs);
  await bench.kill();
  return { bench, east, id };
}

for (const connectMs of variants([12_000, 1_000, 29_000])) {
  test(`a request ends by its time-out although an instance refuses connections after ${connectMs} ms`, async (t) => {
    const { bench, east, id } = await unreachableWest(connectMs);
    t.true((await secondsToEnd(bench, id, 600)) <= 120);
    t.is((await bench.status(id)).request.status, 'completed');
    t.deepEqual(east.live(), ['m-1']);
    await bench.close();
  });

  test(`a cancel is carried out although an instance refuses connections after ${connectMs} ms`, async (t) => {
    const { bench, east, id } = await unreachableWest(connectMs);
    await bench.clock.advance(15_000);
    await bench.requestCommands.cancel(id, undefined);
    t.true((await secondsToEnd(bench, id, 600)) <= 60);
    t.is((await bench.status(id)).request.status, 'cancelled');
    t.deepEqual(east.live(), []);
    await bench.close();
  });
}

test('a machine that became ready while nothing held its request is seen before the time-out counts, although connecting takes long', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { clock } = bench;
  const id = await bench.request(1, { timeout: 90, ready_timeout: 36_000 });
  await clock.advance(80_000);
  east.connecting = () => clock.sleep(25_000);
  await bench.kill();
  east.boot();
  await clock.advance(60_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.deepEqual(east.live(), ['m-1']);
  await bench.close();
});

test('requests end by their time-out while notices about instances without answers are checked', async (t) => {
  const clouds = ['a', 'b', 'c'].map((name) => [name, Object.assign(new ScriptedCloud(), { notices: true })] as const);
  const bench = await loopBench(Object.fromEntries(clouds));
  const { clock } = bench;
  for (const [, cloud] of clouds.slice(0, -1))
    cloud.scripts.push((order) => ({ ...cloud.start(order, 2), shortfall: [noMore] }));
  const id = await bench.request(6, { timeout: 120 });
  await clock.advance(4_000);
  for (const [, cloud] of clouds) cloud.boot('m-1');
  await clock.advance(5_000);
  for (const [name, cloud] of clouds) {
    cloud.before = noAnswerAfter(clock, 59_000);
    cloud.messages = [stateMessage(name, 'm-1', 'shutting-down', new Date(clock.now()).toISOString())];
    await clock.advance(20_000);
  }
  t.true((await secondsToEnd(bench, id, 1_200)) <= 300);
  await bench.close();
});

for (const [callMs, everyMs] of [
  [1_000, 8_000],
  [3_000, 8_000],
  [3_000, 2_000],
  [12_000, 30_000],
] as const)
  test(`machines become ready while calls take ${callMs} ms and a false notice comes every ${everyMs} ms`, async (t) => {
    const east = Object.assign(new ScriptedCloud({ machines_per_launch: 1_000 }), { notices: true });
    const bench = await loopBench({ east });
    const { clock } = bench;
    const id = await bench.request(400, { timeout: 600 });
    await clock.advance(3_000);
    east.boot(...east.live().slice(0, 399));
    await clock.advance(5_000);
    east.before = () => clock.sleep(callMs);
    const tell = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) {
        const at = new Date(clock.now()).toISOString();
        east.messages = [stateMessage(`${at}`, `m-${1 + (n % 398)}`, 'shutting-down', at)];
        await clock.advance(everyMs);
      }
    };
    await tell(5);
    east.boot();
    await tell(Math.ceil(90_000 / everyMs));
    t.is((await bench.status(id)).request.status, 'completed');
    await bench.close();
  });

test('releases that are refused again and again do not put off the time-out', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 2 });
  const bench = await loopBench({ east });
  const { clock } = bench;
  const id = await bench.request(80, { timeout: 120 });
  await clock.advance(4_000);
  const firstOfEach = [...new Map([...east.machines].map(([machine, { attempt }]) => [attempt, machine])).values()];
  east.boot(...firstOfEach);
  await clock.advance(5_000);
  let calls = 0;
  east.beforeRelease = async () => {
    // Never in step with each other, and between 0.1 and 5 s.
    await clock.sleep(100 + ((calls++ * 1_543) % 4_900));
    throw new ProviderFault('throttled', 'Rate exceeded.');
  };
  const keys = firstOfEach.map((machine_id) => ({ machine_id, provider_instance: 'east' }));
  await bench.requestService.returnMachines(keys, 600, {});
  t.true((await secondsToEnd(bench, id, 600)) <= 140);
  t.true(calls > 100);
  await bench.close();
});

/** More launches than have a turn, which take a minute each. */
async function manyLaunches(t: ExecutionContext) {
  const east = new ScriptedCloud({ machines_per_launch: 1 });
  const bench = await loopBench({ east });
  const { clock } = bench;
  const id = await bench.request(1);
  await clock.advance(3_000);
  east.boot();
  await clock.advance(5_000);
  east.beforeLaunch = () => clock.sleep(60_000);
  for (let n = 0; n < 100; n++) await bench.request(1, { timeout: 3_600 });
  await clock.advance(2_000);
  t.deepEqual(east.live(id), ['m-1']);
  return { bench, east, clock, id };
}

test('a launch that waits for its turn does not keep its request open after the time-out', async (t) => {
  const { bench } = await manyLaunches(t);
  const id = await bench.request(1, { timeout: 60 });
  await bench.clock.advance(1_000);
  t.true((await secondsToEnd(bench, id, 600)) <= 70);
  t.is((await bench.status(id)).request.status, 'failed');
  await bench.close();
});

test('a release comes before the launches that wait for their turn', async (t) => {
  const { bench, east, clock, id } = await manyLaunches(t);
  await bench.requestService.returnMachines([{ machine_id: 'm-1', provider_instance: 'east' }], 600, {});
  await clock.advance(70_000);
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('launches get turns although releases of many orders hang and are repeated', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1 });
  const bench = await loopBench({ east });
  const { clock } = bench;
  for (let n = 0; n < 40; n++) await bench.request(1);
  await clock.advance(5_000);
  east.boot();
  await clock.advance(5_000);
  east.beforeRelease = async () => {
    await clock.sleep(20_000);
    throw new ProviderFault('throttled', 'Rate exceeded.');
  };
  const keys = east.live().map((machine_id) => ({ machine_id, provider_instance: 'east' }));
  await bench.requestService.returnMachines(keys, 600, {});
  await clock.advance(30_000);
  const late = await bench.request(1);
  await clock.advance(60_000);
  t.is(east.live(late).length, 1);
  await bench.close();
});

test('an order whose answer was lost is repeated, and its request cancelled, although releases of many others hang', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1 });
  const bench = await loopBench({ east });
  const { clock } = bench;
  for (let n = 0; n < 40; n++) await bench.request(1);
  await clock.advance(3_000);
  east.boot();
  await clock.advance(5_000);
  const others = east.live();
  const end = east.end.bind(east);
  east.beforeRelease = () => clock.sleep(3_000);
  east.end = (machine_id) => {
    if (others.includes(machine_id)) throw new ProviderFault('throttled', 'Rate exceeded.');
    end(machine_id);
  };
  east.beforeLaunch = () => clock.sleep(5_000);
  east.scripts.push(() => 'execute-then-lose');
  const id = await bench.request(1);
  await clock.advance(1_000);
  const keys = others.map((machine_id) => ({ machine_id, provider_instance: 'east' }));
  await bench.requestService.returnMachines(keys, 600, {});
  await clock.advance(9_000);
  await bench.requestCommands.cancel(id, undefined);
  await clock.advance(60_000);
  t.is((await bench.status(id)).request.status, 'cancelled');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('notices about many orders in turn do not put off the completion of their request', async (t) => {
  const east = Object.assign(new ScriptedCloud({ machines_per_launch: 5 }), { notices: true });
  const bench = await loopBench({ east });
  const { clock } = bench;
  const id = await bench.request(400, { timeout: 600 });
  await clock.advance(6_000);
  const all = east.live();
  east.boot(...all.slice(0, -1));
  await clock.advance(5_000);
  east.before = () => clock.sleep(6_000);
  let n = 0;
  const tell = async (seconds: number): Promise<void> => {
    for (const end = n + seconds; n < end; n++) {
      const at = new Date(clock.now()).toISOString();
      east.messages = [stateMessage(at, all[(n * 5) % 395] ?? '', 'shutting-down', at)];
      await clock.advance(1_000);
    }
  };
  await tell(40);
  east.boot();
  await tell(100);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.close();
});

for (const everyMs of variants([250, 1_000]))
  test(`notices every ${everyMs} ms, also while outcomes are stored, do not put off the time-out`, async (t) => {
    const east = Object.assign(new ScriptedCloud({ machines_per_launch: 1_000 }), { notices: true });
    const bench = await loopBench({ east });
    const { clock } = bench;
    const id = await bench.request(100, { timeout: 60, ready_timeout: 36_000 });
    await clock.advance(3_000);
    east.boot(...east.live().slice(0, 99));
    await clock.advance(5_000);
    east.before = () => clock.sleep(1_000);
    let commits = 0;
    bench.storage.before = async (method) => {
      // Between 10 and 30 ms.
      if (method === 'commit') await clock.sleep(10 + ((commits++ * 7) % 21));
    };
    for (let n = 0; n < 100_000 / everyMs; n++) {
      const at = new Date(clock.now()).toISOString();
      east.messages = [stateMessage(at, `m-${1 + (n % 98)}`, 'shutting-down', at)];
      await clock.advance(everyMs);
    }
    t.is((await bench.status(id)).request.status, 'completed');
    await bench.close();
  });

test('a request does not end with a machine whose end was announced while an earlier notice was checked', async (t) => {
  const a = Object.assign(new ScriptedCloud(), { notices: true });
  const b = new ScriptedCloud();
  const bench = await loopBench({ a, b });
  const { clock } = bench;
  a.scripts.push((order) => ({ ...a.start(order, 3), shortfall: [noMore] }));
  const id = await bench.request(4, { timeout: 600 });
  await clock.advance(4_000);
  a.boot();
  await clock.advance(5_000);
  const checks: number[] = [];
  a.before = () => {
    checks.push(clock.monotonic());
    return clock.sleep(5_000);
  };
  const tell = (machine_id: string): void => {
    const at = new Date(clock.now()).toISOString();
    a.messages = [stateMessage(at, machine_id, 'shutting-down', at)];
  };
  tell('m-1');
  for (let n = 0; n < 30 && checks.length === 0; n++) await clock.advance(500);
  await clock.advance(1_500);
  b.boot();
  await clock.advance(1_900);
  tell('m-2');
  await clock.advance(1_650);
  a.kill('m-2');
  await clock.advance(30_000);
  b.boot();
  a.boot();
  await clock.advance(60_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(a.live().length + b.live().length, 4);
  await bench.close();
});

test('releases go on while the time-out waits for an observation that hangs', async (t) => {
  const [a, b, c] = [new ScriptedCloud(), new ScriptedCloud(), new ScriptedCloud()];
  const bench = await loopBench({ a, b, c });
  const { clock } = bench;
  a.scripts.push((order) => ({ ...a.start(order, 2), shortfall: [noMore] }));
  b.scripts.push((order) => ({ ...b.start(order, 1), shortfall: [noMore] }));
  await bench.request(4, { timeout: 60 });
  await clock.advance(6_000);
  a.boot();
  c.boot();
  await clock.advance(4_000);
  const at: number[] = [];
  a.beforeRelease = async () => {
    at.push(clock.monotonic());
    throw new ProviderFault('throttled', 'Rate exceeded.');
  };
  c.before = noAnswerAfter(clock, 58_000);
  await bench.requestService.returnMachines([{ machine_id: 'm-1', provider_instance: 'a' }], 600, {});
  await clock.advance(90_000);
  const pauses = at.slice(1).map((time, n) => time - (at[n] ?? 0));
  t.true(Math.max(...pauses) <= 5_000, `${Math.max(...pauses)} ms without a release`);
  await bench.close();
});

test('a connection that succeeds after the time-out shows a machine that became ready before', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { clock } = bench;
  const id = await bench.request(1, { timeout: 75, ready_timeout: 36_000 });
  await clock.advance(40_000);
  let connections = 0;
  east.connecting = async () => {
    connections += 1;
    if (connections === 1) throw noAnswer();
    await clock.sleep(25_000);
  };
  await bench.kill();
  east.boot();
  await clock.advance(40_000);
  t.is(connections, 2);
  await clock.advance(40_000);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.close();
});
