import test from 'ava';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

test('a living machine that is returned while it counts as gone is released', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  east.hidden.add('m-1');
  await bench.clock.advance(200_000);
  const { machines } = await bench.status(id);
  t.truthy(machines.find((m) => m.machine_id === 'm-1')?.gone_at, 'it counts as gone');
  await bench.requestService.returnMachines(['m-1'], 600, {});
  await bench.clock.advance(1_000);
  east.hidden.clear();
  await bench.clock.advance(1_800_000);
  t.deepEqual(east.live(id), ['m-2']);
  await bench.close();
});

test('returning a machine that is being reclaimed ends no other machine that is in use', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot('m-1', 'm-2');
  await bench.clock.advance(5_000);
  const m1 = east.machines.get('m-1');
  if (m1) m1.report = { ...m1.report, status: 'shutting-down', ready: false };
  await bench.clock.advance(5_000);
  t.is(east.machines.size, 4, 'replaced');
  await bench.requestService.returnMachines(['m-1'], 600, {});
  await bench.clock.advance(10_000);
  t.true(east.live(id).includes('m-2'), 'the caller works on m-2 and did not give it back');
  await bench.close();
});

test('after a takeover a target that is not accepted immediately is repeated until it is', async (t) => {
  const east = new ScriptedCloud({ late_release_ms: 5_000 });
  const bench = await loopBench({ east });
  await bench.request(150);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  const of = (attempt: number) => [...east.machines].filter(([, m]) => m.attempt === attempt).map(([m]) => m);
  await bench.requestService.returnMachines([of(1)[0]!, of(2)[0]!], 600, {});
  await bench.clock.advance(10_000);
  await bench.requestService.returnMachines([of(1)[1]!], 600, {});
  await bench.kill(1);
  const told: string[] = [];
  Object.defineProperty(east, 'hold', {
    get() {
      const refused = told.length === 2;
      told.push(refused ? 'not yet' : 'done');
      return refused;
    },
  });
  await bench.clock.advance(300_000);
  t.is(told.at(-1), 'done', 'the repeated release was accepted by both');
  await bench.close();
});

test('an accepted release without an effect is repeated', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  const kill = east.kill.bind(east);
  let calls = 0;
  east.kill = (m) => void (++calls > 1 && kill(m));
  await bench.requestService.returnMachines(['m-1'], 600, {});
  await bench.clock.advance(1_800_000);
  t.deepEqual(east.live(id), ['m-2']);
  await bench.close();
});

test('a return ends after the clock was set back, although its machine disappears immediately', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(120_000);
  bench.clock.jump(-3_600_000);
  await bench.clock.advance(10_000);
  east.hidden.add('m-1');
  const { request } = await bench.requestService.returnMachines(['m-1'], 600, {});
  await bench.clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-2']);
  await bench.clock.advance(100_000);
  await bench.clock.advance(900_000);
  const back = await bench.status(request.request_id);
  t.is(back.request.status, 'completed');
  await bench.close();
});
