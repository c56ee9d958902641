import test from 'ava';
import { budgetOf, type Budget } from '../../../core/budgets/budget.ts';
import { DayCosts } from '../../../core/reconciler/background/budgets/day-costs.ts';
import { budgetBench, cloudOf, refusalOf, type BudgetBench } from './budget-bench.ts';

const green: Budget = { name: 'green', scope: { tags: { team: 'green' } }, max_machines: 3 };

/** Two instances; `west` makes machines green whose template has no tags. */
async function greenWest(budgets: readonly Budget[]): Promise<BudgetBench> {
  const bench = await budgetBench(budgets, { east: cloudOf(), west: cloudOf() });
  bench.configure('west', { template_defaults: { tags: { team: 'green' } } });
  await bench.restart();
  return bench;
}

const reserved = async ({ store }: BudgetBench) => (await store.reserved(green.scope)).machines;

test('tags that only an instance gives count there, and only there', async (t) => {
  const bench = await greenWest([green]);
  await bench.request(5, { provider_name: 'east' });
  await bench.settle();
  t.is(await reserved(bench), 0);
  const inWest = await bench.request(2, { provider_name: 'west' });
  await bench.settle();
  t.is(await reserved(bench), 2);
  const tagged = await bench.request(1, { provider_name: 'east', tags: { team: 'green' } });
  await bench.settle();
  t.is(await reserved(bench), 3);
  t.like(await refusalOf(bench.request(1, { tags: { team: 'green' } })), { code: 'BUDGET_EXCEEDED', used: 3 });
  for (const id of [inWest, tagged]) {
    const { machines } = await bench.status(id);
    await bench.requestService.returnMachines(machines, 600);
  }
  await bench.settle(60_000);
  t.is(await reserved(bench), 0);
  await bench.close();
});

test('where the tags of an instance fill a budget, the next instance serves', async (t) => {
  const bench = await greenWest([green]);
  bench.configure('west', { priority: 1 });
  bench.configure('east', { priority: 2 });
  await bench.restart();
  const id = await bench.request(5);
  await bench.settle(60_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(bench.clouds['west']?.live(id).length, 3, 'the orders of three machines that fit');
  t.is(bench.clouds['east']?.live(id).length, 2);
  t.is(await reserved(bench), 3);
  await bench.close();
});

test('a template with tags of its own does not get those of the instance', async (t) => {
  const bench = await greenWest([{ ...green, max_machines: 1 }]);
  const id = await bench.request(1, { provider_name: 'west', tags: { team: 'red' } });
  await bench.settle();
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(await reserved(bench), 0);
  await bench.close();
});

test('a day costs what machines with the tags of their instance cost', async (t) => {
  const bench = await greenWest([]);
  await bench.request(2, { provider_name: 'east' });
  await bench.request(3, { provider_name: 'west' });
  await bench.settle();
  await bench.clock.advance(1_800_000);
  const [match, max_usd_per_day] = [{ tags: { team: 'green' } }, 100];
  const costs = new DayCosts(bench.store, [budgetOf({ name: 'green', match, max_usd_per_day })]);
  const machines = await bench.store.find('machine', { where: { provider_instance: 'west' } });
  const now = bench.clock.now();
  const expected = machines.reduce(
    (sum, { created_at, price }) => sum + ((now - created_at) / 3_600_000) * (price?.usd_per_hour ?? 0) * 1e6,
    0,
  );
  t.true(expected > 0);
  t.is((await costs.read(now)).get('green'), Math.ceil(expected));
  await bench.close();
});
