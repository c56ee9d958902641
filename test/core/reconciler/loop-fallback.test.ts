import test from 'ava';
import { ProviderFault } from '../../../core/index.ts';
import { loopBench } from '../../support/loop-bench.ts';
import { ScriptedCloud } from '../../support/scripted-cloud.ts';

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

test('when an order names one offer, offers are tried in order, and the next one supplies the machines missing from a partial answer', async (t) => {
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

test('the same missing machines are counted once, however many offers lacked them', async (t) => {
  const east = new ScriptedCloud({ offers_per_launch: 'one' }, [{ key: 'a' }, { key: 'b' }]);
  east.scripts.push((order, cloud) => ({
    ...cloud.start(order, 1),
    shortfall: [{ offer: 'a', kind: 'capacity', code: 'ICE', message: 'No more a.', count: 2 }],
  }));
  east.scripts.push(() => new ProviderFault('capacity', 'No b.', { offer: 'b' }));
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(3_000);
  const { fulfilment } = (await bench.status(id)).request;
  t.like(fulfilment, { requested: 3, delivered: 1 });
  t.deepEqual(
    fulfilment?.shortfall.map(({ offer, count }) => [offer, count]),
    [
      ['a', undefined],
      ['b', 2],
    ],
  );
  await bench.close();
});

test('when no more machines are available, the request ends with the present ones and the reasons', async (t) => {
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
  east.scripts.push(
    () => new ProviderFault('invalid', 'The image does not exist.', { code: 'InvalidAMIID.NotFound' }),
  );
  const bench = await loopBench({ east, west });
  const id = await bench.request(2);
  await bench.clock.advance(5_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'failed');
  t.regex(request.message, /image does not exist/);
  t.is(east.orders.length + west.orders.length, 1);
  await bench.close();
});

test('a throttled order is repeated later with the same token', async (t) => {
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

test('an all-or-nothing request releases its machines when some are missing', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push((order, cloud) => ({
    ...cloud.start(order, 1),
    shortfall: [{ kind: 'capacity', code: 'ICE', message: 'No more.' }],
  }));
  const bench = await loopBench({ east });
  const id = await bench.request(2, { partial: 'all_or_nothing' });
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'failed');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('with retry_until_timeout a request survives a shortage and retries every 15 s', async (t) => {
  const east = new ScriptedCloud({}, [{ key: 'a' }]);
  for (let i = 0; i < 5; i++) east.scripts.push(() => new ProviderFault('capacity', 'No a.', { offer: 'a' }));
  const bench = await loopBench({ east });
  const id = await bench.request(2, { retry_until_timeout: true });
  for (let asked = 1; asked <= 5; asked++) {
    await bench.clock.advance(10_000);
    t.is((await bench.status(id)).request.status, 'pending');
    t.regex((await bench.status(id)).request.message, /trying again/);
    t.is(east.orders.length, asked);
    await bench.clock.advance(5_000);
  }
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(new Set(east.orders.map((order) => order.token)).size, 6);
  await bench.close();
});

test('a new request finds returned capacity after 15 s, when no other offer is left', async (t) => {
  const east = new ScriptedCloud({}, [{ key: 'a' }]);
  east.scripts.push(() => new ProviderFault('capacity', 'No a.', { offer: 'a' }));
  const bench = await loopBench({ east });
  const first = await bench.request(1);
  await bench.clock.advance(3_000);
  t.is((await bench.status(first)).request.status, 'failed');
  await bench.clock.advance(13_000);
  const second = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(second)).request.status, 'completed');
  await bench.close();
});

test('an instance whose offers lacked capacity comes after one with capacity, and is used when that one has none', async (t) => {
  const [east, west] = [new ScriptedCloud({}, [{ key: 'a' }]), new ScriptedCloud({}, [{ key: 'a' }])];
  east.scripts.push(() => new ProviderFault('capacity', 'No a.', { offer: 'a' }));
  const bench = await loopBench({ east, west });
  await bench.request(1);
  await bench.clock.advance(20_000);
  const id = await bench.request(1);
  await bench.clock.advance(1_000);
  t.is((await bench.status(id)).request.provider_instance, 'west');
  west.scripts.push(() => new ProviderFault('capacity', 'No a.', { offer: 'a' }));
  const other = await bench.request(1);
  await bench.clock.advance(1_000);
  t.is((await bench.status(other)).request.provider_instance, 'east');
  await bench.close();
});

for (const persistent of [false, true]) {
  test(`an instance that was disabled since gets no order, one that was enabled since does (retry_until_timeout: ${persistent})`, async (t) => {
    const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
    const bench = await loopBench({ east, west });
    bench.configure('west', { enabled: false });
    const id = await bench.request(2, { retry_until_timeout: persistent });
    await bench.clock.advance(1_000);
    const [first = ''] = east.live(id);
    bench.configure('east', { enabled: false });
    bench.configure('west', { enabled: true });
    await bench.restart();
    east.kill(first);
    await bench.clock.advance(10_000);
    east.boot();
    west.boot();
    await bench.clock.advance(3_000);
    t.is((await bench.status(id)).request.status, 'completed');
    t.deepEqual([east.live(id).length, west.live(id).length, east.orders.length], [1, 1, 1]);
    await bench.close();
  });
}

test('machines of a disabled instance are still tracked and released', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  bench.configure('east', { enabled: false });
  await bench.restart();
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.requestService.returnMachines(east.live(id), 60);
  await bench.clock.advance(5_000);
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('a request that no instance may serve any more ends with the reasons', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(1);
  bench.configure('east', { enabled: false });
  await bench.restart();
  await bench.clock.advance(1_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'failed');
  t.is(
    request.message,
    "0 of 1 machines delivered. No configured provider instance can serve the request now: 'east': it is disabled.",
  );
  t.is(east.orders.length, 0);
  await bench.close();
});

test('a request whose instance was named stays with it, one whose instance no broker has any more fails at once', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  east.scripts.push(() => new ProviderFault('capacity', 'No capacity in east.'));
  const bench = await loopBench({ east, west });
  const named = await bench.request(1, {}, { provider_instance: 'east' });
  await bench.clock.advance(3_000);
  t.is((await bench.status(named)).request.status, 'failed');
  t.is(west.orders.length, 0);
  // A broker had it, and has it no more.
  const at = bench.clock.now();
  const served = { topic: 'served', name: 'north', item: 'a host', value: null, at, until: at };
  await bench.store.commit([{ op: 'put', kind: 'fact', record: served }]);
  const selection = {
    strategy: 'explicit',
    provider_type: 'scripted',
    provider_instance: 'north',
    selection_reason: '',
    confidence: 1,
    alternatives: [],
    rejected: [],
    preference: { provider_instance: 'north' },
  } as const;
  const { request } = await bench.requestService.create(
    { template: { template_id: 'small' }, machine_count: 1, timeout: 60 },
    selection,
  );
  await bench.clock.advance(3_000);
  const ended = (await bench.status(request.request_id)).request;
  t.is(ended.status, 'failed');
  t.regex(ended.message, /No configured provider instance can serve .*'north': it is not in the configuration/);
  await bench.close();
});

test('a request whose offers all lacked capacity just before ends with that reason, without a retry', async (t) => {
  const east = new ScriptedCloud({ offers_per_launch: 'one' }, [{ key: 'a' }, { key: 'b' }]);
  for (const offer of ['a', 'b'])
    east.scripts.push(() => new ProviderFault('capacity', `No ${offer}. Error Code: ICE`, { offer, code: 'ICE' }));
  const bench = await loopBench({ east });
  await bench.request(1);
  await bench.clock.advance(3_000);
  const asked = east.orders.length;
  const id = await bench.request(1);
  await bench.clock.advance(3_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'failed');
  t.is(east.orders.length, asked);
  t.deepEqual(
    request.fulfilment?.shortfall.map(({ offer, kind, code }) => [offer, kind, code]),
    [
      ['a', 'capacity', 'ICE'],
      ['b', 'capacity', 'ICE'],
    ],
  );
  t.is(
    request.message,
    '0 of 1 machines delivered. Not retried yet: No a. Error Code: ICE Not retried yet: No b. Error Code: ICE',
  );
  await bench.close();
});
