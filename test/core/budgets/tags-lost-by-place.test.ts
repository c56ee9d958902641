import test from 'ava';
import type { Budget } from '../../../core/budgets/budget.ts';
import { ProviderFault, type Template } from '../../../core/index.ts';
import { budgetBench, cloudOf, refusalOf, type BudgetBench } from './budget-bench.ts';

const blue: Budget = { name: 'blue', scope: { tags: { team: 'blue' } }, max_machines: 3 };

/** Requests are blue, but machines in `west` get their team from `additional_data`, which says red. */
async function redWest(max_machines = 3): Promise<BudgetBench> {
  const bench = await budgetBench([{ ...blue, max_machines }], { west: cloudOf(), east: cloudOf() });
  bench.configure('west', { template_defaults: { additional_data_tags: ['team'] } });
  await bench.restart();
  return bench;
}
const ask = (bench: BudgetBench, count: number, template: Partial<Template> = {}) =>
  bench.request(count, { tags: { team: 'blue' }, ...template }, {}, { additional_data: { team: 'red' } });
const used = async ({ store }: BudgetBench) => (await store.reserved(blue.scope)).machines;
const lives = (bench: BudgetBench, name: string) => bench.clouds[name]?.live().length ?? 0;

test('machines that had other tags where they were ordered first ask the budget when they are ordered elsewhere', async (t) => {
  const bench = await redWest();
  const { west } = bench.clouds;
  let isShort = false;
  for (let i = 0; i < 60; i += 1)
    west?.scripts.push(() =>
      isShort ? new ProviderFault('capacity', 'No machines.') : new ProviderFault('throttled', 'Later.'),
    );
  const first = await ask(bench, 3);
  await bench.clock.advance(1_000);
  t.is(await used(bench), 0, 'ordered in west, where its machines are red');
  await ask(bench, 3, { provider_name: 'east' });
  await bench.settle();
  t.is(await used(bench), 3);
  isShort = true;
  for (let i = 0; i < 20; i += 1) {
    await bench.settle(6_000);
    t.true((await used(bench)) <= 3);
    t.true(lives(bench, 'east') <= 3);
  }
  const { request } = await bench.status(first);
  t.is(request.status, 'failed');
  t.regex(request.message, /Budget 'blue' allows 3 machines/);
  await bench.close();
});

test('a request that may only go where its machines have other tags is not refused', async (t) => {
  const bench = await redWest();
  await ask(bench, 3, { provider_name: 'east' });
  await bench.settle();
  t.like(await refusalOf(ask(bench, 1)), { code: 'BUDGET_EXCEEDED' });
  const id = await ask(bench, 2, { provider_name: 'west' });
  await bench.settle();
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(await used(bench), 3);
  await bench.close();
});

test('a request does not wait for its machines that shut down where another place has other tags', async (t) => {
  const bench = await redWest(2);
  bench.configure('west', { priority: 2 });
  bench.configure('east', { priority: 1 });
  await bench.restart();
  const id = await ask(bench, 2);
  await bench.clock.advance(1_000);
  const east = bench.clouds['east'];
  const [first = ''] = east?.live() ?? [];
  if (east) east.shutsDownSlowly = true;
  east?.end(first);
  await bench.settle(120_000);
  t.is(lives(bench, 'west'), 1);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.close();
});
