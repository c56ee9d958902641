import test from 'ava';
import { budgetBench, refusalOf } from './budget-bench.ts';

const hour = 3_600_000;

test('a limit for a day counts what ran, refuses new requests, ends nothing, and has room again a day later', async (t) => {
  const bench = await budgetBench([{ name: 'daily', scope: {}, max_usd_per_day: 1.7 }]);
  const first = await bench.request(4);
  await bench.settle();
  t.is((await bench.status(first)).request.status, 'completed');
  await bench.clock.advance(3 * hour);
  const refusal = (await refusalOf(bench.request(1))) as Readonly<Record<string, number>>;
  t.like(refusal, { code: 'BUDGET_EXCEEDED', budget: 'daily', limit: 'max_usd_per_day', max: 1.7, asked: 0.4 });
  // Three hours of four machines, and one hour more.
  t.true(Math.abs((refusal['used'] ?? 0) - 1.6) < 0.02, JSON.stringify(refusal));
  t.is(bench.east.live(first).length, 4);
  const { machines } = await bench.status(first);
  await bench.requestService.returnMachines(
    machines.map(({ machine_id }) => machine_id),
    600,
  );
  await bench.clock.advance(60_000);
  t.like(await bench.all(), { machines: 0 });
  t.like(await refusalOf(bench.request(2)), { limit: 'max_usd_per_day' }, 'what ran counts after its return');
  bench.clock.jump(24 * hour);
  await bench.clock.advance(130_000);
  t.is(await refusalOf(bench.request(2)), undefined);
  await bench.close();
});
