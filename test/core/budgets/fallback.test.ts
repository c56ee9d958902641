import test from 'ava';
import type { Budget } from '../../../core/budgets/budget.ts';
import { ProviderFault } from '../../../core/index.ts';
import { budgetBench } from './budget-bench.ts';

test('machines that fall back to a dearer offer get no more than the budget has left by then', async (t) => {
  const bench = await budgetBench([{ name: 'all', scope: {}, max_vcpus: 40, max_usd_per_hour: 2 }]);
  let answers = false;
  for (let i = 0; i < 60; i++)
    bench.east.scripts.push((order, cloud) => {
      if (!answers) return new ProviderFault('throttled', 'Later.');
      if (order.offers?.[0]?.key === 'small-2') return new ProviderFault('capacity', 'No machines.');
      return cloud.start(order);
    });
  // Each fits, because the orders of those before it are small machines.
  for (const machine_count of [4, 4, 3]) {
    await bench.request(machine_count);
    await bench.clock.advance(1_000);
  }
  t.like(await bench.all(), { machines: 11, vcpus: 22, microusd: 1_100_000 });
  answers = true;
  await bench.settle(60_000);
  const { machines, vcpus, microusd } = await bench.all();
  t.is(machines, bench.east.live().length);
  t.true(machines > 0 && vcpus <= 40 && microusd <= 2_000_000, `${machines} machines have ${vcpus} vCPUs`);
  await bench.close();
});

test('a request waits for the end of a machine of its own that shuts down', async (t) => {
  const bench = await budgetBench([{ name: 'all', scope: {}, max_machines: 2 }]);
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  const [first = ''] = bench.east.live();
  bench.east.shutsDownSlowly = true;
  bench.east.end(first);
  for (let i = 0; i < 4; i++) {
    await bench.clock.advance(15_000);
    bench.east.boot();
    t.is(bench.east.live().length, 2);
  }
  t.regex((await bench.status(id)).request.message, /^Waiting for the end of machines that shut down: Budget 'all'/);
  bench.east.kill(first);
  await bench.settle(100_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(bench.east.live(id).length, 2);
  await bench.close();
});

test('requests that were accepted before a budget counted dollars are ordered, and count with their price', async (t) => {
  const budgets: Budget[] = [{ name: 'all', scope: {}, max_machines: 9 }];
  const bench = await budgetBench(budgets);
  await bench.request(2);
  await bench.request(2);
  t.like(await bench.all(), { machines: 4, unpriced: 4 });
  budgets.push({ name: 'dollars', scope: {}, max_usd_per_hour: 2 });
  await bench.kill();
  await bench.settle();
  t.is(bench.east.live().length, 4);
  t.like(await bench.all(), { machines: 4, microusd: 400_000, unpriced: 0, unsized: 0 });
  await bench.close();
});
