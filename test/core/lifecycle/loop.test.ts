import test from 'ava';
import { ProviderFault } from '../../../core/index.ts';
import { loopBench } from '../../support/loop-bench.ts';
import { ScriptedCloud } from '../../support/scripted-cloud.ts';

test('machines are launched, followed to running, and the request completes', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  t.is((await bench.status(id)).request.status, 'in_progress');
  t.is(east.live(id).length, 3);
  east.boot();
  await bench.clock.advance(3_000);
  const { request, machines } = await bench.status(id);
  t.is(request.status, 'completed');
  t.is(request.message, '3 of 3 machines delivered.');
  t.deepEqual(
    machines.map((machine) => machine.status),
    ['running', 'running', 'running'],
  );
  t.is(east.calls.filter((call) => call === 'launch').length, 1);
  await bench.close();
});

test('a large request is cut into orders of what the API takes at once', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 40 });
  const bench = await loopBench({ east });
  const id = await bench.request(100);
  await bench.clock.advance(1_000);
  t.deepEqual(
    east.orders.map((order) => order.machine_count),
    [40, 40, 20],
  );
  t.is(new Set(east.orders.map((order) => order.token)).size, 3);
  t.is(east.live(id).length, 100);
  await bench.close();
});

test('a lost answer is replayed with the same token and starts nothing twice', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(
    () => 'execute-then-lose',
    () => 'execute-then-lose',
  );
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(10_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.machines.size, 3);
  t.is(new Set(east.orders.map((order) => order.token)).size, 1);
  await bench.close();
});

test('machines that are returned go, those that stay stay, and nothing is refilled', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(5);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  const returned = await bench.desk.giveBack(['m-2', 'm-4'], 3600);
  await bench.clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-1', 'm-3', 'm-5']);
  t.is((await bench.status(returned.request.request_id)).request.status, 'completed');
  t.is((await bench.status(id)).request.status, 'completed');
  const again = await bench.desk.giveBack(['m-2'], 3600);
  await bench.clock.advance(5_000);
  t.is((await bench.status(again.request.request_id)).request.status, 'completed');
  t.deepEqual(east.live(id), ['m-1', 'm-3', 'm-5']);
  t.is(east.orders.length, 1);
  await bench.close();
});

test('a return while the request is in progress lowers what it wants', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  await bench.desk.giveBack(['m-1'], 3600);
  await bench.clock.advance(3_000);
  east.boot();
  await bench.clock.advance(5_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.is(request.fulfilment?.delivered, 2);
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  await bench.close();
});

test('without capacity the next instance serves, with a new token', async (t) => {
  const east = new ScriptedCloud();
  const west = new ScriptedCloud();
  east.scripts.push(() => new ProviderFault('capacity', 'No capacity in east.'));
  const bench = await loopBench({ east, west });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  west.boot();
  await bench.clock.advance(3_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.is(request.provider_instance, 'west');
  t.not(east.orders[0]?.token, west.orders[0]?.token);
  t.is(east.machines.size, 0);
  await bench.close();
});

test('offers are tried in order where an order names one, and a partial answer is filled from the next', async (t) => {
  const offers = [{ key: 'a' }, { key: 'b' }, { key: 'c' }];
  const east = new ScriptedCloud({ offers_per_launch: 'one' }, offers);
  east.scripts.push((order, cloud) => ({
    ...cloud.start(order, 1),
    shortfall: [{ offer: 'a', kind: 'capacity', code: 'ICE', message: 'No more a.' }],
  }));
  east.scripts.push(() => new ProviderFault('capacity', 'No b.', { offer: 'b' }));
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.deepEqual(
    east.orders.map((order) => [order.offers?.[0]?.key, order.machine_count]),
    [
      ['a', 3],
      ['b', 2],
      ['c', 2],
    ],
  );
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.deepEqual(request.fulfilment?.shortfall, []);
  t.is(east.live(id).length, 3);
  const next = await bench.request(1);
  await bench.clock.advance(1_000);
  t.is(east.orders.at(-1)?.request_id, next);
  t.is(east.orders.at(-1)?.offers?.[0]?.key, 'c', 'offers without capacity are remembered');
  await bench.close();
});

test('when nothing more can be had the request ends with what there is, and says why', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push((order, cloud) => ({
    ...cloud.start(order, 2),
    shortfall: [{ kind: 'capacity', code: 'InsufficientInstanceCapacity', message: 'No more.' }],
  }));
  const bench = await loopBench({ east });
  const id = await bench.request(5);
  await bench.clock.advance(1_000);
  t.is((await bench.status(id)).request.status, 'in_progress', 'not before its machines are up');
  east.boot();
  await bench.clock.advance(3_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.like(request.fulfilment, { requested: 5, delivered: 2, final: true });
  t.is(request.fulfilment?.shortfall[0]?.code, 'InsufficientInstanceCapacity');
  await bench.close();
});

test('an order that the provider refuses as invalid fails the request and is not repeated', async (t) => {
  const east = new ScriptedCloud();
  const west = new ScriptedCloud();
  east.scripts.push(() => new ProviderFault('invalid', 'The image does not exist.', { code: 'InvalidAMIID.NotFound' }));
  const bench = await loopBench({ east, west });
  const id = await bench.request(2);
  await bench.clock.advance(5_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'failed');
  t.regex(request.message, /image does not exist/);
  t.is(east.orders.length + west.orders.length, 1);
  await bench.close();
});

test('throttling is waited out with the same token', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(
    () => new ProviderFault('throttled', 'Slow down.'),
    () => new ProviderFault('throttled', 'Slow down.'),
  );
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(10_000);
  t.is(east.live(id).length, 2);
  t.is(new Set(east.orders.map((order) => order.token)).size, 1);
  await bench.close();
});

test('a cancelled request gives back what came and what still comes', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  await bench.desk.cancel(id, 'no longer needed');
  await bench.clock.advance(1_000);
  t.is((await bench.status(id)).request.status, 'cancelled');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('cancelling an order whose answer was lost sends it once more, and releases what it started', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(() => 'execute-then-lose');
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(50);
  await bench.desk.cancel(id, undefined);
  await bench.clock.advance(10_000);
  t.is((await bench.status(id)).request.status, 'cancelled');
  t.is(east.machines.size, 2);
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('machines that are missing from one answer are not given up', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  east.hidden.add('m-1');
  await bench.clock.advance(10_000);
  t.is((await bench.status(id)).request.status, 'in_progress');
  east.hidden.clear();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.machines.size, 2);
  await bench.close();
});

test('a machine that dies before the end is replaced, one that dies after it is told and not replaced', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.kill('m-1');
  await bench.clock.advance(3_000);
  t.is(east.live(id).length, 2);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  east.kill('m-2');
  await bench.clock.advance(35_000);
  const { request, machines } = await bench.status(id);
  t.is(request.status, 'completed');
  t.is(request.wanted, 1);
  t.true(machines.find((machine) => machine.machine_id === 'm-2')?.lost);
  t.is(east.live(id).length, 1);
  await bench.close();
});

test('a machine that is not ready in time is released and replaced', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, { pending_timeout_ms: 60_000 });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot('m-1');
  await bench.clock.advance(70_000);
  t.deepEqual(east.live(id), ['m-1', 'm-3']);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is((await bench.status(id)).machines.length, 2, 'the failed one is not listed');
  await bench.close();
});

test('at its time-out a request releases what is not ready and ends with the rest', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3, { timeout: 60 });
  await bench.clock.advance(1_000);
  east.boot('m-1');
  await bench.clock.advance(65_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.like(request.fulfilment, { requested: 3, delivered: 1 });
  t.true(request.fulfilment?.shortfall.some((each) => each.code === 'TIMEOUT'));
  t.deepEqual(east.live(id), ['m-1']);
  await bench.close();
});

test('all or nothing gives back what came when it was not all', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push((order, cloud) => ({ ...cloud.start(order, 1), shortfall: [{ kind: 'capacity', code: 'ICE', message: 'No more.' }] }));
  const bench = await loopBench({ east });
  const id = await bench.request(2, { partial: 'all_or_nothing' });
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'failed');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('a restart continues where the loop stopped', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  await bench.restart();
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.machines.size, 3);
  await bench.close();
});

test('requests beyond max_concurrent_requests wait their turn and say so', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(
    () => new ProviderFault('unavailable', 'Away.'),
    () => new ProviderFault('unavailable', 'Away.'),
  );
  const bench = await loopBench({ east }, {}, { max_concurrent_requests: 1 });
  const first = await bench.request(1);
  await bench.clock.advance(100);
  const second = await bench.request(1);
  await bench.clock.advance(100);
  const waiting = (await bench.status(second)).request;
  t.is(waiting.status, 'pending');
  t.regex(waiting.message, /Waiting its turn/);
  await bench.clock.advance(20_000);
  t.is(east.live(first).length, 1);
  t.is(east.live(second).length, 1);
  await bench.close();
});

test('many requests are looked at in one call', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  for (let i = 0; i < 50; i++) await bench.request(2);
  await bench.clock.advance(5_000);
  const looks = east.calls.filter((call) => call.startsWith('observe'));
  t.true(looks.length <= 4, `${looks.length} calls: ${looks.join(' ')}`);
  await bench.close();
});

test('with retry_until_timeout a request outlasts a shortage', async (t) => {
  const east = new ScriptedCloud({}, [{ key: 'a' }]);
  east.scripts.push(() => new ProviderFault('capacity', 'No a.', { offer: 'a' }));
  const bench = await loopBench({ east });
  const id = await bench.request(2, { retry_until_timeout: true });
  await bench.clock.advance(60_000);
  t.is((await bench.status(id)).request.status, 'pending');
  t.regex((await bench.status(id)).request.message, /trying again/);
  await bench.clock.advance(140_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(new Set(east.orders.map((order) => order.token)).size, 2);
  await bench.close();
});

test('a request whose instances are no longer configured ends and says so', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  const template = { template_id: 'small' };
  const selection = {
    strategy: 'default',
    provider_type: 'scripted',
    provider_instance: 'north',
    selection_reason: '',
    confidence: 1,
    alternatives: [],
    rejected: [],
  } as const;
  const { request } = await bench.desk.open({ template, machine_count: 1 }, () => selection);
  await bench.clock.advance(1_000);
  const ended = (await bench.status(request.request_id)).request;
  t.is(ended.status, 'failed');
  t.regex(ended.message, /No configured provider instance can serve/);
  await bench.close();
});

test('a cancel that was accepted in the moment of completion gives the machines back, and the status stays', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  const wish = { wish_id: 'wish-1', kind: 'cancel', request_id: id, machines: [], created_at: bench.clock.now(), absorbed: false } as const;
  await bench.store.commit([{ op: 'insert', kind: 'wish', record: { ...wish, machines: [] } }]);
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('what was prepared is kept for each of many orders that are sent at once', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1 });
  const bench = await loopBench({ east });
  const id = await bench.request(10);
  await bench.clock.advance(3_000);
  const attempts = await bench.store.find('attempt', { where: { request_id: id } });
  t.is(attempts.length, 10);
  for (const attempt of attempts) {
    t.deepEqual(attempt.prepared, { value: { for: attempt.token } });
    t.is(attempt.state, 'launched');
  }
  t.is(east.calls.filter((call) => call === 'prepare').length, 10);
  await bench.close();
});
