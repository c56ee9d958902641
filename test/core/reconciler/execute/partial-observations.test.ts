import test from 'ava';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

test('while one machine of a large attempt is released, it alone is observed between two full observations', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 500, visible_within_ms: 0 });
  const bench = await loopBench({ east });
  const id = await bench.request(500);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.clock.advance(40_000);
  east.hold = true;
  await bench.requestService.returnMachines(['m-1'], 3_600);
  east.asked.length = 0;
  await bench.clock.advance(60_000);
  const [few, all] = [
    east.asked.filter((count) => count === 1).length,
    east.asked.filter((count) => count === 500).length,
  ];
  t.true(few >= 20, `${few} looks at the one that goes`);
  t.true(all >= 1 && all <= 3, `${all} looks at all`);
  // A machine that is not requested does not count as missing.
  t.is((await bench.status(id)).machines.filter(({ status }) => status === 'running').length, 500);
  east.hold = false;
  await bench.clock.advance(10_000);
  t.false(east.live(id).includes('m-1'));
  t.is(east.live(id).length, 499);
  await bench.close();
});

test('a machine that is lost meanwhile is noticed by the next full observation', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 500 });
  const bench = await loopBench({ east });
  const id = await bench.request(500);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  east.hold = true;
  await bench.requestService.returnMachines(['m-1'], 3_600);
  await bench.clock.advance(10_000);
  east.kill('m-2');
  await bench.clock.advance(35_000);
  const lost = (await bench.status(id)).machines.filter((machine) => machine.lost);
  t.deepEqual(
    lost.map(({ machine_id }) => machine_id),
    ['m-2'],
  );
  await bench.close();
});

test('all machines of a small attempt are observed while one is released', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  await bench.request(20);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  east.hold = true;
  await bench.requestService.returnMachines(['m-1'], 3_600);
  await bench.clock.advance(2_000);
  east.asked.length = 0;
  await bench.clock.advance(20_000);
  t.true(east.asked.every((count) => count === 20));
  await bench.close();
});
