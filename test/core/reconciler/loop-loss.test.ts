import test from 'ava';
import { loopBench } from '../../support/loop-bench.ts';
import { ScriptedCloud } from '../../support/scripted-cloud.ts';

test('machines that are missing from one answer are not gone', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  east.hidden.add('m-1');
  await bench.clock.advance(10_000);
  t.is((await bench.status(id)).request.status, 'in_progress');
  east.hidden.clear();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.machines.size, 2);
  await bench.close();
});

test('a machine that is lost before the end is replaced, one that is lost after the end is reported and not replaced', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.kill('m-1');
  await bench.clock.advance(3_000);
  t.is(east.live(id).length, 2);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  east.kill('m-2');
  await bench.clock.advance(35_000);
  const { request, machines } = await bench.status(id);
  t.is(request.status, 'completed');
  t.true(machines.find((machine) => machine.machine_id === 'm-2')?.lost);
  t.is(east.live(id).length, 1);
  await bench.close();
});

test('a machine that is not ready in time is released and replaced', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, { pending_timeout_ms: 60_000 });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot('m-1');
  await bench.clock.advance(70_000);
  t.deepEqual(east.live(id), ['m-1', 'm-3']);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is((await bench.status(id)).machines.length, 2, 'the failed one is not listed');
  await bench.close();
});

test('at its time-out a request releases machines that are not ready and ends with the others', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3, { timeout: 60 });
  await bench.clock.advance(1_000);
  east.boot('m-1');
  await bench.clock.advance(65_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.like(request.fulfilment, { requested: 3, delivered: 1 });
  t.true(request.fulfilment?.shortfall.some((each) => each.code === 'TIMEOUT'));
  t.deepEqual(east.live(id), ['m-1']);
  await bench.close();
});

test('a reclaim notice that the cloud withdraws is removed', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  const [machine] = [...east.machines.values()];
  const say = async (reclaim_at: string | null) => {
    if (machine) machine.report = { ...machine.report, reclaim_at };
    await bench.clock.advance(61_000);
    return (await bench.status(id)).machines[0]?.reclaim_at;
  };
  t.is(await say('2030-01-01T00:00:00.000Z'), '2030-01-01T00:00:00.000Z');
  t.is(await say(null), undefined);
  await bench.close();
});
