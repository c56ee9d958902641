import test from 'ava';
import { budgetBench, cloudOf, offers, refusalOf } from './budget-bench.ts';

const two = () => ({ east: cloudOf(), west: cloudOf() });

test('where the budget of an instance has no room, the next instance serves, and explain says so', async (t) => {
  const bench = await budgetBench(
    [{ name: 'little east', scope: { provider_instance: 'east' }, max_machines: 3 }],
    two(),
  );
  const first = await bench.request(3, { provider_name: 'east' });
  await bench.settle();
  t.is(bench.clouds['east']?.live(first).length, 3);
  const second = await bench.request(2);
  await bench.settle(60_000);
  t.is((await bench.status(second)).request.status, 'completed');
  t.is(bench.clouds['east']?.live(second).length, 0);
  t.is(bench.clouds['west']?.live(second).length, 2);
  const explained = await bench.explain(second);
  const refused = explained.attempts.filter(({ outcomes = [] }) =>
    outcomes.some(({ code }) => code === 'BUDGET_EXCEEDED'),
  );
  t.is(refused.length, 1, 'one refusal concerns all offers of the instance');
  t.regex(
    JSON.stringify(refused),
    /Budget 'little east' allows 3 machines; 3 machines are used, so 2 machines more are refused/,
  );
  t.like(await bench.store.reserved({ provider_instance: 'east' }), { machines: 3 });
  t.like(await bench.store.reserved({ provider_instance: 'west' }), { machines: 2 });
  await bench.close();
});

test('a request that fits into no instance ends with the reason, and reserves nothing', async (t) => {
  const bench = await budgetBench([{ name: 'none', scope: { provider_instance: 'east' }, max_machines: 0 }]);
  const id = await bench.request(2);
  await bench.settle(120_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'failed');
  t.regex(request.message, /Budget 'none' allows 0 machines/);
  t.like(request.fulfilment?.shortfall[0], { code: 'BUDGET_EXCEEDED', count: 2 });
  t.deepEqual(bench.east.orders, []);
  t.like(await bench.all(), { machines: 0 });
  await bench.close();
});

test('a budget of a market moves the request to offers of another market', async (t) => {
  const both = [{ key: 'spot-2', vcpus: 2, usd: 0.03, market: 'spot' }, ...offers];
  const bench = await budgetBench([{ name: 'little spot', scope: { market: 'spot' }, max_machines: 3 }], {
    east: cloudOf(both),
  });
  const id = await bench.request(5);
  await bench.settle(60_000);
  const { request, machines } = await bench.status(id);
  t.is(request.status, 'completed');
  t.deepEqual(machines.map(({ market }) => market).toSorted(), ['on-demand', 'on-demand', 'spot', 'spot', 'spot']);
  t.like(await bench.store.reserved({ market: 'spot' }), { machines: 3, microusd: 90_000 });
  await bench.close();
});

test('a dearer offer is left out where a cheaper one fits into the budget of the instance', async (t) => {
  const bench = await budgetBench([{ name: 'cheap', scope: { provider_instance: 'east' }, max_usd_per_hour: 0.35 }], {
    east: cloudOf(offers.toReversed()),
  });
  const id = await bench.request(3);
  await bench.settle(60_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.like(await bench.all(), { machines: 3, vcpus: 6, microusd: 300_000 });
  t.is(await refusalOf(bench.request(1)), undefined, 'it is checked when it is ordered');
  await bench.close();
});

test('room that a return makes is used by a request that keeps trying', async (t) => {
  const bench = await budgetBench([{ name: 'one', scope: { provider_instance: 'east' }, max_machines: 2 }]);
  const first = await bench.request(2);
  await bench.settle();
  const waiting = await bench.request(2, { retry_until_timeout: true });
  await bench.settle(60_000);
  t.is((await bench.status(waiting)).machines.length, 0);
  const { machines } = await bench.status(first);
  await bench.requestService.returnMachines(
    machines.map(({ machine_id }) => machine_id),
    600,
  );
  await bench.settle(400_000);
  t.is((await bench.status(waiting)).request.status, 'completed');
  t.like(await bench.all(), { machines: 2 });
  await bench.close();
});
