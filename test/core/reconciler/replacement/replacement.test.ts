import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { rebalanceBench } from './rebalance-bench.ts';

test('a machine that may be reclaimed gets one replacement; both are shown, and the old one ends after the drain', async (t) => {
  const { clock, east, completed, recommend, ids, stored, status, reclaimed, events } = await rebalanceBench(t);
  const id = await completed(3, { rebalance_drain: 60 });
  await recommend('m-2');
  t.deepEqual(east.live(id), ['m-1', 'm-2', 'm-3', 'm-4']);
  t.is(east.orders.at(-1)?.machine_count, 1);
  t.deepEqual(await ids(id), ['m-1', 'm-2', 'm-3'], 'a replacement that is not ready is not shown');
  t.deepEqual(await reclaimed('m-2'), [], 'while its replacement starts, the machine is used');
  t.is((await status(id)).request.holds, 4);

  east.boot();
  await clock.advance(3_000);
  t.deepEqual(await ids(id), ['m-1', 'm-2', 'm-3', 'm-4']);
  t.like(await stored('m-2'), { replaced_by: { machine_id: 'm-4' }, status: 'running' });
  t.like(await stored('m-4'), { replaces: { machine_id: 'm-2' }, status: 'running' });
  const [told] = await reclaimed('m-2');
  t.like(told, { machine_id: 'm-2', reason: 'Machine m-4 replaces it.' });
  t.true(told !== undefined && told.grace_period_s > 50 && told.grace_period_s <= 60);

  await clock.advance(62_000);
  t.deepEqual(east.live(id), ['m-1', 'm-3', 'm-4']);
  t.like(await stored('m-2'), { going: 'replaced', status: 'terminated' });
  t.is(
    (await reclaimed('m-2'))[0]?.grace_period_s,
    0,
    'the scheduler did not return it and must learn that it is gone',
  );
  const { request } = await status(id);
  t.like(request, { status: 'completed', delivered: 3, holds: 3, machine_count: 3 });
  t.is((await events('machine.replacement_ordered')).length, 1);
  t.is((await events('machine.replaced')).length, 1);

  // A repeat of the recommendation, and a long time, change nothing.
  await recommend('m-2');
  await clock.advance(200_000);
  t.is(east.orders.length, 2);
  t.deepEqual(east.live(id), ['m-1', 'm-3', 'm-4']);
});

test('a replaced machine that is returned ends at once, and its place stays taken', async (t) => {
  const { clock, east, completed, recommend, giveBack, reclaimed, stored, status } = await rebalanceBench(t);
  const id = await completed(2);
  await recommend('m-1');
  east.boot();
  await clock.advance(3_000);
  await giveBack('m-1');
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  t.deepEqual(await reclaimed('m-1'), []);
  t.like(await stored('m-1'), { going: 'returned' });
  await clock.advance(300_000);
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  t.is((await status(id)).request.holds, 2);
});

test('a recommendation has no effect on a machine that was returned', async (t) => {
  const { clock, east, completed, recommend, giveBack } = await rebalanceBench(t);
  const id = await completed(2);
  east.hold = true;
  await giveBack('m-1');
  await recommend('m-1');
  east.hold = false;
  await clock.advance(60_000);
  t.is(east.orders.length, 1);
  t.deepEqual(east.live(id), ['m-2']);
});

test('the replacement of a machine that is returned before it is ready goes too', async (t) => {
  const { clock, east, completed, recommend, giveBack, status } = await rebalanceBench(t);
  const id = await completed(2);
  await recommend('m-1');
  t.deepEqual(east.live(id), ['m-1', 'm-2', 'm-3']);
  await giveBack('m-1');
  t.deepEqual(east.live(id), ['m-2']);
  east.boot();
  await clock.advance(600_000);
  t.deepEqual(east.live(id), ['m-2']);
  t.is(east.orders.length, 2);
  t.is((await status(id)).request.holds, 1);
});

test('whoever returns a replacement that is not ready keeps the old machine and gets no other one', async (t) => {
  const { clock, east, completed, recommend, giveBack, events, reclaimed } = await rebalanceBench(t);
  const id = await completed(2);
  await recommend('m-1');
  await giveBack('m-3');
  t.deepEqual(east.live(id), ['m-1', 'm-2']);
  await clock.advance(200_000);
  t.deepEqual(east.live(id), ['m-1', 'm-2']);
  t.is(east.orders.length, 2);
  t.like((await events('machine.replacement_given_up'))[0], { message: 'Replacement m-3 was returned.' });
  const [told] = await reclaimed('m-1');
  t.true(told !== undefined && told.grace_period_s > 3_000, 'it is reported as without a replacement');
});

test('a replacement that is returned after it took over leaves its place empty', async (t) => {
  const { clock, east, completed, recommend, giveBack, status } = await rebalanceBench(t);
  const id = await completed(2);
  await recommend('m-1');
  east.boot();
  await clock.advance(3_000);
  await giveBack('m-3');
  t.deepEqual(east.live(id), ['m-1', 'm-2'], 'the old one is still emptied');
  await clock.advance(300_000);
  t.deepEqual(east.live(id), ['m-2']);
  t.is((await status(id)).request.holds, 1);
});

test('a machine that is lost before its replacement is ordered is only lost', async (t) => {
  const { clock, east, completed, recommend } = await rebalanceBench(t);
  const id = await completed(2);
  east.kill('m-1');
  await clock.advance(40_000);
  await recommend('m-1');
  await clock.advance(600_000);
  t.deepEqual(east.live(id), ['m-2']);
  t.is(east.orders.length, 1);
});

test('the replacement of a machine that is lost meanwhile takes its place as it is', async (t) => {
  const { clock, east, completed, recommend, stored, status } = await rebalanceBench(t);
  const id = await completed(2);
  await recommend('m-1');
  east.kill('m-1');
  await clock.advance(310_000);
  t.truthy((await stored('m-3')).took_over_at);
  t.like(await stored('m-1'), { lost: true, replaced_by: { machine_id: 'm-3' } });
  east.boot();
  await clock.advance(60_000);
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  t.is((await status(id)).request.holds, 2);
});

test('with replace_lost a machine that is lost while its replacement starts gets no second one', async (t) => {
  const { clock, east, completed, recommend, stored } = await rebalanceBench(t);
  const id = await completed(2, { replace_lost: true });
  await recommend('m-1');
  const orders = () => new Set(east.orders.map(({ token }) => token)).size;
  t.is(orders(), 2);
  east.kill('m-1');
  await clock.advance(310_000);
  east.boot();
  await clock.advance(310_000);
  t.is(orders(), 2);
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  t.truthy((await stored('m-3')).took_over_at);
});

test('a replacement whose answer was lost is found when its machine was lost meanwhile, and takes the place', async (t) => {
  const { clock, east, completed, recommend, stored } = await rebalanceBench(t);
  const id = await completed(1);
  east.scripts.push(
    () => 'execute-then-lose',
    () => new ProviderFault('unknown-outcome', 'Lost again.'),
  );
  await recommend('m-1');
  east.kill('m-1');
  east.boot();
  await clock.advance(60_000);
  t.deepEqual(east.live(id), ['m-2']);
  t.truthy((await stored('m-2')).took_over_at);
});

test('without capacity the tries become rarer, and at the time-out the machine stays and is reported', async (t) => {
  const { clock, east, completed, recommend, events, reclaimed, status } = await rebalanceBench(t);
  const id = await completed(1, { timeout: 900 });
  for (let i = 0; i < 500; i++) east.scripts.push(() => new ProviderFault('capacity', 'There are none.'));
  await recommend('m-1');
  await clock.advance(880_000);
  t.deepEqual(await events('machine.replacement_given_up'), []);
  await clock.advance(30_000);
  const tries = east.orders.length - 1;
  t.true(tries > 3 && tries <= 8, `${tries} tries within a quarter of an hour`);
  const [given] = await events('machine.replacement_given_up');
  t.regex(String(given?.['message']), /within the time-out of the request\. There are none\./);
  t.is((await reclaimed('m-1')).length, 1);
  await clock.advance(300_000);
  t.is(east.orders.length - 1, tries);
  t.deepEqual(east.live(id), ['m-1']);
  t.like((await status(id)).request, { status: 'completed', message: '1 of 1 machines delivered.' });
});

test('capacity that comes back within the time-out is used', async (t) => {
  const { clock, east, completed, recommend } = await rebalanceBench(t);
  const id = await completed(1);
  for (let i = 0; i < 3; i++) east.scripts.push(() => new ProviderFault('capacity', 'There are none.'));
  await recommend('m-1');
  await clock.advance(600_000);
  east.boot();
  await clock.advance(180_000);
  t.deepEqual(east.live(id), ['m-2']);
});

test('replacements that never become ready are given up after three of them', async (t) => {
  const { clock, east, completed, recommend, events } = await rebalanceBench(t);
  const id = await completed(1, { timeout: 900, ready_timeout: 60 });
  await recommend('m-1');
  await clock.advance(1_000_000);
  t.is(east.orders.length - 1, 3);
  t.deepEqual(east.live(id), ['m-1']);
  t.is((await events('machine.replacement_given_up')).length, 1);
});

test('a replacement that gets a recommendation is replaced only a while after it took over', async (t) => {
  const { clock, east, completed, recommend } = await rebalanceBench(t, {
    settings: { replace_again_ms: 600_000 },
  });
  const id = await completed(1, { rebalance_drain: 0, timeout: 300 });
  await recommend('m-1');
  await recommend('m-2');
  east.boot();
  await clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-2']);
  for (let i = 0; i < 5; i++) {
    await clock.advance(100_000);
    t.deepEqual(east.live(id), ['m-2']);
  }
  await clock.advance(110_000);
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  east.boot();
  await clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-3']);
  t.is(east.orders.length, 3);
});

test('many recommendations at once are one order, and each machine gets its own replacement', async (t) => {
  const { clock, east, completed, recommend, machines } = await rebalanceBench(t);
  const id = await completed(5, { rebalance_drain: 0 });
  await recommend('m-1', 'm-2', 'm-4');
  t.is(east.orders.length, 2);
  t.is(east.orders[1]?.machine_count, 3);
  east.boot('m-6');
  await clock.advance(5_000);
  t.is(east.live(id).length, 7);
  east.boot();
  await clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-3', 'm-5', 'm-6', 'm-7', 'm-8']);
  const replaced = (await machines(id)).flatMap(({ replaced_by }) => replaced_by?.machine_id ?? []);
  t.deepEqual(replaced.toSorted(), ['m-6', 'm-7', 'm-8']);
});

test('an order of which only a part arrives leaves the rest to the next order', async (t) => {
  const { clock, east, completed, recommend } = await rebalanceBench(t);
  const id = await completed(3, { rebalance_drain: 0 });
  east.scripts.push((order, cloud) => ({
    ...cloud.start(order, 1),
    shortfall: [{ kind: 'capacity', code: 'NoCapacity', message: 'No more.' }],
  }));
  await recommend('m-1', 'm-2', 'm-3');
  await clock.advance(60_000);
  t.deepEqual(
    east.orders.map(({ machine_count }) => machine_count),
    [3, 3, 2],
  );
  east.boot();
  await clock.advance(10_000);
  t.deepEqual(east.live(id), ['m-4', 'm-5', 'm-6']);
});

test('offers of other pools come first, and the same pool is used when no other is left', async (t) => {
  const offers = [{ key: 'a' }, { key: 'b' }];
  const { clock, east, completed, recommend } = await rebalanceBench(t, {
    offers,
    capabilities: { offers_per_launch: 'one' },
  });
  const id = await completed(2, { rebalance_drain: 0 });
  const keys = () => east.orders.map((order) => order.offers?.map(({ key }) => key).join());
  await recommend('m-1');
  t.deepEqual(keys(), ['a', 'b']);
  east.boot();
  await clock.advance(5_000);
  east.scripts.push(() => new ProviderFault('capacity', 'None of b.'));
  await recommend('m-2');
  t.deepEqual(keys(), ['a', 'b', 'b', 'a']);
  east.boot();
  await clock.advance(5_000);
  t.is(east.live(id).length, 2);
});

test('a template that may have no more machines gets no replacement until there is room', async (t) => {
  const { clock, east, completed, recommend, giveBack, status } = await rebalanceBench(t);
  const id = await completed(2, { max_instances: 3, rebalance_drain: 0 });
  const other = await completed(1, { max_instances: 3 });
  await recommend('m-1');
  await clock.advance(60_000);
  t.is(east.orders.length, 2, 'all three are taken');
  t.like((await status(id)).request, { message: '2 of 2 machines delivered.' });
  await giveBack('m-3');
  await clock.advance(12_000);
  t.is(east.orders.length, 3);
  await t.throwsAsync(completed(1, { max_instances: 3 }), { code: 'INSTANCE_LIMIT_EXCEEDED' });
  east.boot();
  await clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-2', 'm-4']);
  t.deepEqual(east.live(other), []);
});

test('a replacement waits for a slot of the instance', async (t) => {
  const { clock, east, completed, recommend, request, status } = await rebalanceBench(t, {
    limits: { max_concurrent_requests: 1 },
  });
  const id = await completed(1, { rebalance_drain: 0 });
  const faults = Array.from(
    { length: 8 },
    () => () => new ProviderFault('throttled', 'Later.', { retry_after_ms: 20_000 }),
  );
  east.scripts.push(...faults);
  const busy = await request(1);
  await clock.advance(1_000);
  await recommend('m-1');
  await clock.advance(60_000);
  t.deepEqual(east.live(id), ['m-1']);
  t.is((await status(busy)).request.status, 'pending');
  await clock.advance(400_000);
  east.boot();
  await clock.advance(5_000);
  t.is((await status(busy)).request.status, 'completed');
  await clock.advance(20_000);
  east.boot();
  await clock.advance(5_000);
  t.is(east.live(id).length, 1);
  t.not(east.live(id)[0], 'm-1');
});

test('a machine is replaced while its request still waits for others, and the end of the request does not wait', async (t) => {
  const { clock, east, request, recommend, status } = await rebalanceBench(t);
  const id = await request(2, { on_rebalance: 'replace', rebalance_drain: 0 });
  await clock.advance(1_000);
  east.boot('m-1');
  await clock.advance(3_000);
  await recommend('m-1');
  t.deepEqual(east.live(id), ['m-1', 'm-2', 'm-3']);
  east.boot('m-2');
  await clock.advance(3_000);
  t.like((await status(id)).request, { status: 'completed', delivered: 2 });
  east.boot();
  await clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  t.like((await status(id)).request, { status: 'completed', delivered: 2, fulfilment: { delivered: 2 } });
});

test('a replaced machine that is returned while its request waits for others gives up no place', async (t) => {
  const { clock, east, request, recommend, giveBack, status } = await rebalanceBench(t);
  const id = await request(2, { on_rebalance: 'replace' });
  await clock.advance(1_000);
  east.boot('m-1');
  await clock.advance(3_000);
  await recommend('m-1');
  east.boot('m-3');
  await clock.advance(3_000);
  await giveBack('m-1');
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  east.boot();
  await clock.advance(60_000);
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  t.like((await status(id)).request, { status: 'completed', delivered: 2, kept_count: 2 });
});

test('an order that was not sent yet is made anew for the machines that still need a replacement', async (t) => {
  const { clock, east, completed, recommend, giveBack } = await rebalanceBench(t);
  const id = await completed(3, { rebalance_drain: 0 });
  east.scripts.push(() => new ProviderFault('throttled', 'Later.', { retry_after_ms: 20_000 }));
  await recommend('m-1', 'm-2');
  await giveBack('m-1');
  await clock.advance(30_000);
  t.deepEqual(
    east.orders.map(({ machine_count }) => machine_count),
    [3, 2, 1],
  );
  east.boot();
  await clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-3', 'm-4']);
});

test('a cancelled request releases its replacements and the replaced machines', async (t) => {
  const { clock, east, request, recommend, status, requestCommands } = await rebalanceBench(t);
  const id = await request(3, { on_rebalance: 'replace' });
  await clock.advance(1_000);
  east.boot('m-1', 'm-2');
  await clock.advance(3_000);
  await recommend('m-1');
  east.boot('m-4');
  await clock.advance(3_000);
  await recommend('m-2');
  t.is(east.live(id).length, 5);
  await requestCommands.cancel(id, undefined);
  await clock.advance(10_000);
  t.deepEqual(east.live(id), []);
  t.is((await status(id)).request.status, 'cancelled');
});

test('an all-or-nothing request that gets too few machines releases its replacements too', async (t) => {
  const { clock, east, request, recommend, status } = await rebalanceBench(t);
  east.scripts.push((order, cloud) => cloud.start(order, 1));
  const id = await request(2, { on_rebalance: 'replace', partial: 'all_or_nothing', timeout: 60 });
  await clock.advance(1_000);
  east.boot('m-1');
  await clock.advance(3_000);
  await recommend('m-1');
  await clock.advance(100_000);
  t.is((await status(id)).request.status, 'failed');
  t.deepEqual(east.live(id), []);
});

for (const jump of [3_600_000, -3_600_000])
  test(`a clock that is set by ${jump} ms neither ends a machine early nor keeps it`, async (t) => {
    const { clock, east, completed, recommend } = await rebalanceBench(t);
    const id = await completed(2, { rebalance_drain: 120, timeout: 600 });
    await recommend('m-1');
    clock.jump(jump);
    await clock.advance(3_000);
    t.deepEqual(east.live(id), ['m-1', 'm-2', 'm-3'], 'the replacement is still awaited');
    east.boot();
    await clock.advance(5_000);
    clock.jump(jump);
    await clock.advance(90_000);
    t.deepEqual(east.live(id), ['m-1', 'm-2', 'm-3']);
    await clock.advance(40_000);
    t.deepEqual(east.live(id), ['m-2', 'm-3']);
  });

test('report and ignore order nothing', async (t) => {
  const { clock, east, completed, recommend } = await rebalanceBench(t);
  await completed(1, { on_rebalance: 'report' });
  await completed(1, { on_rebalance: 'ignore' });
  await recommend('m-1', 'm-2');
  await clock.advance(120_000);
  t.is(east.orders.length, 2);
});

test('a machine that shuts down while its time for a replacement ends makes no busy loop', async (t) => {
  const { clock, east, completed, recommend, stored } = await rebalanceBench(t);
  await completed(2, { timeout: 300 });
  for (let n = 0; n < 1_000; n++) east.scripts.push(() => new ProviderFault('capacity', 'none'));
  await recommend('m-1');
  await clock.advance(60_000);
  await recommend('m-2');
  await clock.advance(180_000);
  const machine = east.machines.get('m-1') ?? t.fail();
  machine.report = { ...machine.report, status: 'shutting-down', ready: false };
  await clock.advance(60_000);
  const before = clock.sleeps;
  await clock.advance(10_000);
  t.true(clock.sleeps - before < 200, `${clock.sleeps - before} sleeps in 10 s`);
  t.is((await stored('m-1')).status, 'shutting-down');
});
