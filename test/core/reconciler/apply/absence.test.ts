import test from 'ava';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

async function twoReady(
  visible_within_ms = 0,
): Promise<{ readonly bench: LoopBench; readonly east: ScriptedCloud; readonly id: string }> {
  const east = new ScriptedCloud({ visible_within_ms });
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  return { bench, east, id };
}

const statuses = async (bench: LoopBench, id: string) => (await bench.status(id)).machines.map(({ status }) => status);

test('repeated answers without machines of an instance end none of its machines', async (t) => {
  const { bench, east, id } = await twoReady();
  east.hidden.add('m-1').add('m-2');
  await bench.clock.advance(3_600_000);
  t.deepEqual(await statuses(bench, id), ['running', 'running']);
  await bench.close();
});

test('a machine is gone when answers that list others have lacked it for a minute, not before', async (t) => {
  const { bench, east, id } = await twoReady();
  east.hidden.add('m-1');
  await bench.clock.advance(35_000);
  t.deepEqual(await statuses(bench, id), ['running', 'running']);
  await bench.clock.advance(90_000);
  t.deepEqual(await statuses(bench, id), ['terminated', 'running']);
  t.true((await bench.status(id)).machines[0]?.lost);
  await bench.close();
});

test('repeated answers without machines of a zone end none of its machines', async (t) => {
  const { bench, east, id } = await twoReady();
  for (const [machine_id, zone] of [
    ['m-1', 'here-a'],
    ['m-2', 'here-b'],
  ] as const) {
    const machine = east.machines.get(machine_id);
    if (machine) machine.report = { ...machine.report, zone };
  }
  await bench.clock.advance(60_000);
  east.hidden.add('m-1');
  await bench.clock.advance(3_600_000);
  t.deepEqual(await statuses(bench, id), ['running', 'running']);
  await bench.close();
});

test('while its request runs, a machine that one answer lacked is not replaced', async (t) => {
  const east = new ScriptedCloud({ visible_within_ms: 0 });
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot('m-1', 'm-2');
  east.hidden.add('m-1');
  await bench.clock.advance(20_000);
  east.hidden.clear();
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.machines.size, 3);
  await bench.close();
});

test('a machine that counted as gone and is reported again lives, and a return releases it', async (t) => {
  const { bench, east, id } = await twoReady();
  east.hidden.add('m-1');
  await bench.clock.advance(180_000);
  t.deepEqual(await statuses(bench, id), ['terminated', 'running']);
  east.hidden.clear();
  await bench.clock.advance(60_000);
  const [first] = (await bench.status(id)).machines;
  t.deepEqual([first?.status, first?.lost, first?.gone_at], ['running', undefined, undefined]);
  const { request } = await bench.requestService.returnMachines(['m-1'], 3_600);
  await bench.clock.advance(20_000);
  t.deepEqual(east.live(id), ['m-2']);
  t.is((await bench.status(request.request_id)).request.status, 'completed');
  await bench.close();
});

test('when a replaced machine is reported again, one of the two is released', async (t) => {
  const east = new ScriptedCloud({ visible_within_ms: 0 });
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot('m-1', 'm-2');
  east.hidden.add('m-1');
  await bench.clock.advance(120_000);
  t.is(east.machines.size, 4, 'a replacement was launched');
  east.hidden.clear();
  east.boot();
  await bench.clock.advance(60_000);
  t.is(east.live(id).length, 3);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.close();
});

test('a machine whose release was accepted is gone when it is no longer listed, also as the last of its instance', async (t) => {
  const { bench, east, id } = await twoReady();
  east.hidden.add('m-1').add('m-2');
  const { request } = await bench.requestService.returnMachines(east.live(id), 3_600);
  await bench.clock.advance(20_000);
  t.is((await bench.status(request.request_id)).request.status, 'completed');
  t.deepEqual(east.live(id), []);
  await bench.close();
});
