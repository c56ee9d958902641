import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

/** Milliseconds of the test's clock until the request has the status; the clock moves in small steps. */
async function untilStatus(bench: LoopBench, id: string, status: string, most = 10_000): Promise<number> {
  for (let ms = 0; ms <= most; ms += 20) {
    if ((await bench.status(id)).request.status === status) return ms;
    await bench.clock.advance(20);
  }
  throw new Error(`${id} was not ${status} within ${most} ms.`);
}

const observations = (cloud: ScriptedCloud) => cloud.calls.filter((call) => call.startsWith('observe')).length;

for (const boot_ms of [300, 700, 1_999, 2_001, 2_500, 3_900])
  test(`a request is completed within 0.3 s of its last machine, which is ready after ${boot_ms} ms`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east });
    const id = await bench.request(3);
    await bench.clock.advance(boot_ms);
    east.boot();
    t.true((await untilStatus(bench, id, 'completed')) <= 300);
    await bench.close();
  });

test('a return is complete within 0.3 s of the end of its last machine', async (t) => {
  const east = new ScriptedCloud();
  east.shutsDownSlowly = true;
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await untilStatus(bench, id, 'completed');
  const machines = (await bench.status(id)).machines.map(({ machine_id }) => machine_id);
  const { request: returned } = await bench.requestService.returnMachines(machines, 3_600);
  await bench.clock.advance(1_300);
  for (const machine of machines) east.kill(machine);
  t.true((await untilStatus(bench, returned.request_id, 'completed')) <= 300);
  await bench.close();
});

test('after the first machine, a slow boot is expected: seldom observed before, often when it is likely', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const first = await bench.request(1);
  await bench.clock.advance(61_000);
  east.boot();
  t.true((await untilStatus(bench, first, 'completed')) <= 2_100, 'unknown: within the common interval');
  for (const boot_ms of [61_000, 60_500, 61_700]) {
    const next = await bench.request(1);
    const before = observations(east);
    await bench.clock.advance(boot_ms);
    t.true(observations(east) - before <= 45, `${observations(east) - before} observations`);
    east.boot();
    t.true((await untilStatus(bench, next, 'completed')) <= 300);
  }
  await bench.close();
});

test('an instance that does not answer is not observed more often because machines are expected', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  await bench.request(1);
  await bench.clock.advance(100);
  east.deaf = new ProviderFault('unavailable', 'Away.');
  const before = observations(east);
  await bench.clock.advance(20_000);
  t.true(observations(east) - before <= 12, `${observations(east) - before} observations`);
  await bench.close();
});
