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

test('a request whose offers all lacked capacity a moment ago says so, without asking again', async (t) => {
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
  t.is(request.message, '0 of 1 machines delivered. Not asked again yet: No a. Error Code: ICE Not asked again yet: No b. Error Code: ICE');
  await bench.close();
});
