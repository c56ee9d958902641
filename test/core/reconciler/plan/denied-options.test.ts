import test from 'ava';
import { ProviderFault, type Template } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const denial = (details: { readonly offers?: readonly string[] } = {}) =>
  new ProviderFault('invalid', 'You may not run machines.', {
    code: 'UnauthorizedOperation',
    lack: 'denied',
    ...details,
  });

const deny = (cloud: ScriptedCloud, times: number) => {
  for (let i = 0; i < times; i++) cloud.scripts.push(() => denial());
};

test('an instance without a permission is left for the next instance', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  deny(east, 100);
  const bench = await loopBench({ east, west });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  west.boot();
  await bench.clock.advance(3_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.deepEqual([east.orders.length, west.orders.length], [1, 1]);
  t.is(west.live(id).length, 2);
  await bench.close();
});

test('an offer without a permission is left for the next offer of the same instance', async (t) => {
  const east = new ScriptedCloud({ offers_per_launch: 'one' }, [{ key: 'a' }, { key: 'b' }]);
  deny(east, 1);
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.deepEqual(
    east.orders.map(({ offers }) => offers?.[0]?.key),
    ['a', 'b'],
  );
  await bench.close();
});

test('a refusal that names further offers rules them out as well', async (t) => {
  const offers = ['a', 'b', 'c'].map((key) => ({ key }));
  const east = new ScriptedCloud({ offers_per_launch: 'one' }, offers);
  east.scripts.push(() => denial({ offers: ['a', 'b'] }));
  const bench = await loopBench({ east });
  const id = await bench.request(1);
  await bench.clock.advance(1_000);
  t.deepEqual(
    east.orders.map((order) => order.offers?.[0]?.key),
    ['a', 'c'],
  );
  t.is(east.live(id).length, 1);
  await bench.close();
});

for (const template of [{}, { retry_until_timeout: true }] satisfies Partial<Template>[])
  test(`a request is refused when every instance lacks the permission: ${JSON.stringify(template)}`, async (t) => {
    const offers = Array.from({ length: 30 }, (_, index) => ({ key: `${index}` }));
    const [east, west] = [0, 1].map(() => new ScriptedCloud({ offers_per_launch: 'one' }, offers));
    if (!east || !west) return t.fail();
    for (const cloud of [east, west]) deny(cloud, 100);
    const bench = await loopBench({ east, west });
    const id = await bench.request(2, template);
    await bench.clock.advance(20_000);
    const { request } = await bench.status(id);
    t.is(request.status, 'failed');
    t.regex(request.message, /You may not run machines/);
    t.deepEqual([east.orders.length, west.orders.length], [10, 10]);
    await bench.close();
  });

test('a replay that is refused for a permission never loses the machines of the first call', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  east.scripts.push((order, cloud) => {
    cloud.start(order, 2);
    return new ProviderFault('unknown-outcome', 'The answer was lost.');
  });
  deny(east, 100);
  const bench = await loopBench({ east, west }, {}, {}, 'off', true);
  const id = await bench.request(2);
  await bench.clock.advance(60_000);
  east.boot();
  west.boot();
  await bench.clock.advance(600_000);
  const { request, machines } = await bench.status(id);
  t.is(request.status, 'completed');
  const tracked = new Set(machines.map(({ machine_id }) => machine_id));
  t.deepEqual(
    [...east.live(id), ...west.live(id)].filter((machine_id) => !tracked.has(machine_id)),
    [],
  );
  t.is(east.live(id).length + west.live(id).length, 2);
  await bench.close();
});
