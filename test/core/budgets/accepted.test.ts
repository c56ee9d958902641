import test from 'ava';
import { ProviderFault } from '../../../core/index.ts';
import { budgetBench, cloudOf, refusalOf } from './budget-bench.ts';

const nothing = { machines: 0, vcpus: 0, microusd: 0, unsized: 0, unpriced: 0 };

test('a request reserves the dearest machines that may come, and what comes replaces the reservation', async (t) => {
  const bench = await budgetBench([{ name: 'all', scope: {}, max_machines: 10, max_vcpus: 40, max_usd_per_hour: 2 }]);
  const first = await bench.request(4);
  t.like(await bench.all(), { machines: 4, vcpus: 32, microusd: 1_600_000 });
  t.deepEqual(await refusalOf(bench.request(2)), {
    code: 'BUDGET_EXCEEDED',
    budget: 'all',
    limit: 'max_vcpus',
    max: 40,
    used: 32,
    asked: 16,
  });
  await bench.settle();
  t.is((await bench.status(first)).request.status, 'completed');
  t.like(await bench.all(), { machines: 4, vcpus: 8, microusd: 400_000 }, 'four small ones came');
  await bench.request(4);
  t.like(await bench.all(), { machines: 8, vcpus: 40, microusd: 2_000_000 });
  await bench.close();
});

test('a return frees machines when they are gone, not before', async (t) => {
  const bench = await budgetBench([{ name: 'all', scope: {}, max_machines: 3 }]);
  const id = await bench.request(3);
  await bench.settle();
  const { machines } = await bench.status(id);
  const names = machines.map(({ machine_id }) => machine_id);
  bench.east.shutsDownSlowly = true;
  await bench.requestService.returnMachines(names.slice(0, 2), 600);
  await bench.clock.advance(10_000);
  t.like(await bench.all(), { machines: 3 }, 'they still shut down');
  t.like(await refusalOf(bench.request(1)), { code: 'BUDGET_EXCEEDED', used: 3, asked: 1 });
  for (const name of names.slice(0, 2)) bench.east.kill(name);
  await bench.clock.advance(60_000);
  t.like(await bench.all(), { machines: 1 });
  await bench.request(2);
  await bench.close();
});

test('a cancel, a failure, a loss and a partial end free what does not come', async (t) => {
  const bench = await budgetBench([{ name: 'all', scope: {}, max_machines: 20 }]);
  const cancelled = await bench.request(5);
  await bench.requestCommands.cancel(cancelled, undefined);
  await bench.clock.advance(60_000);
  t.deepEqual(await bench.all(), nothing);

  const fault = () => new ProviderFault('invalid', 'No such image.');
  bench.east.scripts.push(fault, fault, fault, fault, fault, fault);
  const failed = await bench.request(5);
  await bench.clock.advance(60_000);
  t.is((await bench.status(failed)).request.status, 'failed');
  t.deepEqual(await bench.all(), nothing);

  bench.east.scripts.length = 0;
  const full = () => new ProviderFault('capacity', 'No machines.');
  bench.east.scripts.push((order, cloud) => cloud.start(order), ...Array.from({ length: 20 }, () => full));
  const partial = await bench.request(5);
  await bench.settle(400_000);
  t.like((await bench.status(partial)).request, { status: 'completed', delivered: 3 });
  t.like(await bench.all(), { machines: 3, vcpus: 6 });

  for (const id of bench.east.live()) bench.east.kill(id);
  await bench.clock.advance(900_000);
  t.deepEqual(await bench.all(), nothing);
  await bench.close();
});

test('machines whose price or size is not known are refused with a sentence, or take the price that is set', async (t) => {
  const unknown = () => ({ east: cloudOf([{ key: 'odd' }]) });
  const dollars = await budgetBench([{ name: 'all', scope: {}, max_usd_per_hour: 1 }], unknown());
  const error = await t.throwsAsync(dollars.request(1));
  t.regex(error?.message ?? '', /the price of 1 of its machines is not known: set 'prices'/);
  t.deepEqual(await dollars.all(), nothing);
  await dollars.close();

  const priced = await budgetBench(
    [{ name: 'all', scope: {}, max_usd_per_hour: 1, unknown_price_usd: 0.5 }],
    unknown(),
  );
  await priced.request(2);
  t.like(await refusalOf(priced.request(1)), { limit: 'max_usd_per_hour', max: 1, used: 1, asked: 0.5 });
  await priced.close();

  const sized = await budgetBench([{ name: 'all', scope: {}, max_vcpus: 100 }], unknown());
  t.regex(
    (await t.throwsAsync(sized.request(1)))?.message ?? '',
    /the number of vCPUs of 1 of its machines is not known/,
  );
  await sized.close();

  const counted = await budgetBench([{ name: 'all', scope: {}, max_machines: 1 }], unknown());
  await counted.request(1);
  await counted.close();
});

test('a budget counts by template and by the tags of template and request', async (t) => {
  const bench = await budgetBench([
    { name: 'blue', scope: { tags: { team: 'blue' } }, max_machines: 2 },
    { name: 'big', scope: { template_id: 'big' }, max_machines: 1 },
  ]);
  await bench.request(2, { tags: { team: 'blue' } });
  t.like(await refusalOf(bench.request(1, { tags: { team: 'blue' } })), { budget: 'blue' });
  await bench.request(5, { tags: { team: 'red' } });
  await bench.request(1, { template_id: 'big' });
  t.like(await refusalOf(bench.request(1, { template_id: 'big' })), { budget: 'big' });
  await bench.close();
});

test('a repeated call gets its request, also when the budget is full by now', async (t) => {
  const bench = await budgetBench([{ name: 'all', scope: {}, max_machines: 1 }]);
  await bench.request(1);
  t.like(await refusalOf(bench.request(1)), { code: 'BUDGET_EXCEEDED' });
  t.is(await bench.store.count('request', {}), 1);
  await bench.close();
});
