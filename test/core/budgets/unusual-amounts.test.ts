import test from 'ava';
import { budgetOf } from '../../../core/budgets/budget.ts';
import { budgetBench, cloudOf, refusalOf } from './budget-bench.ts';

test('parts of vCPUs add up to whole ones, which storages can sum', async (t) => {
  const cloud = cloudOf([{ key: 'quarter', vcpus: 0.25, usd: 0.01, market: 'on-demand' }]);
  const bench = await budgetBench([{ name: 'all', scope: {}, max_vcpus: 2 }], { east: cloud });
  await bench.request(5);
  t.deepEqual(await bench.all(), { machines: 5, vcpus: 2, microusd: 50_000, unsized: 0, unpriced: 0 });
  t.like(await refusalOf(bench.request(1)), { code: 'BUDGET_EXCEEDED', limit: 'max_vcpus', used: 2, asked: 1 });
  await bench.settle();
  t.deepEqual(await bench.all(), { machines: 5, vcpus: 2, microusd: 50_000, unsized: 0, unpriced: 0 });
  await bench.close();
});

test('parts of vCPUs add up over the orders of a request', async (t) => {
  const cloud = cloudOf([{ key: 'quarter', vcpus: 0.25, usd: 0.01, market: 'on-demand' }]);
  const bench = await budgetBench([{ name: 'all', scope: {}, max_vcpus: 1 }], { east: cloud });
  const id = await bench.request(4);
  await bench.settle(60_000);
  t.like((await bench.status(id)).request, { status: 'completed', delivered: 4 });
  t.is(cloud.orders.length, 2);
  t.like(await bench.all(), { machines: 4, vcpus: 1 });
  await bench.close();
});

for (const [what, offer] of [
  ['price', { vcpus: 2, usd: 1e300 }],
  ['number of vCPUs', { vcpus: 1e300, usd: 0.1 }],
] as const)
  test(`a ${what} that no machine has counts as not known`, async (t) => {
    const clouds = { east: cloudOf([{ key: 'odd', market: 'on-demand', ...offer }]) };
    const bench = await budgetBench(
      [
        { name: 'all', scope: {}, max_machines: 9 },
        { name: 'blue', scope: { template_id: 'blue' }, max_vcpus: 1e9, max_usd_per_hour: 1e9 },
      ],
      clouds,
    );
    await bench.request(2);
    const { unsized, unpriced, vcpus, microusd } = await bench.all();
    t.deepEqual([unsized, unpriced], what === 'price' ? [0, 2] : [2, 0]);
    t.true(Number.isSafeInteger(vcpus) && Number.isSafeInteger(microusd));
    const error = await t.throwsAsync(bench.request(1, { template_id: 'blue' }));
    t.regex(error?.message ?? '', new RegExp(`the ${what} of 1 of its machines is not known`));
    await bench.close();
  });

test('a budget matches tags of any text', async (t) => {
  const tags = { 'te\0am': 'blue\ud800' };
  const bench = await budgetBench([budgetOf({ name: 'blue', match: { tags }, max_machines: 1 })]);
  await bench.request(1, { tags });
  t.like(await refusalOf(bench.request(1, { tags })), { code: 'BUDGET_EXCEEDED', budget: 'blue' });
  await bench.request(1, { tags: { ...tags, 'te\0am': 'red' } });
  await bench.close();
});
