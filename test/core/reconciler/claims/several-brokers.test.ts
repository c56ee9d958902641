import test, { type ExecutionContext } from 'ava';
import { ProviderFault, type BrokerRecord, type LaunchOrder, type Store } from '../../../../core/index.ts';
import { choose } from '../../../../core/providers/choose.ts';
import { ProviderDirectory } from '../../../../core/providers/directory.ts';
import { Facts } from '../../../../core/providers/facts.ts';
import { RequestService } from '../../../../core/requests/request-service.ts';
import { brokersBench } from '../../../support/brokers-bench.ts';
import { noBudgets } from '../../../support/no-budgets.ts';
import { scriptedApi, scriptedType, type ScriptedCloud } from '../../../support/scripted-cloud.ts';
import { storeWith } from '../../../support/store-with.ts';

async function waitsForWest(t: ExecutionContext, store: Store): Promise<void> {
  const [waiting] = await store.find('request', {});
  t.is(waiting?.message, "No live broker has the provider instance 'west'; the request waits for one.");
}

test('a broker that joins has its share of the requests within a minute, and nothing is ordered twice', async (t) => {
  const { clock, clouds, join, request, holds, statuses } = await brokersBench(t);
  await join('a', 'east');
  const ids = await request('east', 24);
  await clock.advance(3_000);
  clouds.east.boot();
  await clock.advance(5_000);
  t.deepEqual([...(await statuses(ids))], ['completed']);
  t.deepEqual(await holds(), { a: 24 });
  await join('b', 'east');
  await clock.advance(60_000);
  const { a = 0, b = 0 } = await holds();
  t.is(a + b, 24);
  t.true(b >= 9 && a >= 9, JSON.stringify({ a, b }));
  t.is(clouds.east.orders.length, 24);
});

test('a broker whose claim took minutes, for its host stood still, claims its share again at once', async (t) => {
  const { clock, clouds, store, join, joinWith, request, statuses } = await brokersBench(t);
  let stands = true;
  const claim: Store['claim'] = async (...given) => {
    if (stands) await clock.sleep(300_000);
    stands = false;
    return store.claim(...given);
  };
  await join('a', 'east');
  await joinWith({ store: storeWith(store, { claim }) }, 'b', 'east');
  await clock.advance(310_000);
  const ids = await request('east', 24);
  await clock.advance(15_000);
  clouds.east.boot();
  await clock.advance(15_000);
  t.deepEqual([...(await statuses(ids))], ['completed']);
});

for (const seconds of [3, 20])
  test(`a broker whose calls fail after ${seconds} seconds each leaves its requests to one that gets answers`, async (t) => {
    const { clock, clouds, instance, join, joinWith, request, holds } = await brokersBench(t);
    // The network of the host of a fails, not the cloud.
    const fromA = new Proxy(clouds.east, {
      get(cloud, name) {
        const found: unknown = Reflect.get(cutOff, name) ?? Reflect.get(cloud, name);
        return typeof found === 'function' ? found.bind(cloud) : found;
      },
    });
    const cutOff: Partial<ScriptedCloud> = {};
    await joinWith({ instances: [{ ...instance('east'), config: { cloud: fromA } }] }, 'a', 'east');
    await clock.advance(15_000);
    await request('east', 8);
    await clock.advance(5_000);
    await join('b', 'east');
    await clock.advance(60_000);
    t.true(Number((await holds())['a']) >= 3);
    // The machines boot, so that they are observed every two seconds.
    cutOff.before = async () => {
      await clock.sleep(seconds * 1_000);
      throw new ProviderFault('unavailable', 'The connection was cut.');
    };
    await clock.advance(150_000);
    t.deepEqual(await holds(), { a: 0, b: 8 });
  });

for (const enabled of [true, false])
  test(`a request ends at once, with or without the broker where its instance is ${enabled ? 'en' : 'dis'}abled`, async (t) => {
    const { clock, clouds, store, instance, joinWith } = await brokersBench(t);
    const { east } = clouds;
    const noMore = () => new ProviderFault('capacity', 'No more.');
    east.scripts.push((order) => ({
      ...east.start(order, 1),
      shortfall: [{ kind: 'capacity', code: 'ICE', message: 'No more.', count: 1 }],
    }));
    east.scripts.push(...Array.from({ length: 50 }, () => noMore));
    await joinWith({}, 'a', 'east');
    await joinWith({ instances: [{ ...instance('east'), enabled }, instance('west')] }, 'b', 'east', 'west');
    await clock.advance(15_000);
    const directory = new ProviderDirectory(
      [instance('east')],
      [scriptedType],
      [scriptedApi(east.capabilities)],
      new Facts(store, clock),
    );
    const template = { template_id: 'small' };
    const chosen = choose({ template }, { key: 'r', machine_count: 2 }, {}, directory);
    const requests = new RequestService(store, clock, noBudgets, 9);
    await requests.create({ template, machine_count: 2 }, chosen, { request_id: 'r' });
    await clock.advance(5_000);
    east.boot();
    clouds.west.boot();
    await clock.advance(20_000);
    clouds.west.boot();
    await clock.advance(10_000);
    const { status, delivered } = (await store.get('request', { request_id: 'r' })) ?? {};
    t.deepEqual([status, delivered], ['completed', enabled ? 2 : 1]);
  });

test('a broker beside others tells the clouds of instances that nothing has used yet', async (t) => {
  const { clock, clouds, store, instance, joinWith } = await brokersBench(t);
  const config = { cloud: clouds.east, endpoint: 'simulated:here' };
  const parts = {
    instances: [{ ...instance('east'), config }],
    schemes: [{ scheme: 'simulated', open: async () => ({ url: 'http://127.0.0.1', close: async () => undefined }) }],
  };
  const identities = async () => (await store.brokers()).map(({ serves }) => serves.map(({ identity }) => identity));
  await joinWith(parts, 'a', 'east');
  await clock.advance(60_000);
  t.deepEqual(await identities(), [[undefined]]);
  await joinWith(parts, 'b', 'east');
  await clock.advance(20_000);
  t.deepEqual(await identities(), [['scripted'], ['scripted']]);
});

test('a broker that ends says so in every record that it stores', async (t) => {
  const { clock, store, joinWith, request, stop } = await brokersBench(t);
  const ending: { records?: (boolean | undefined)[] } = {};
  const noted = (broker: BrokerRecord): BrokerRecord => {
    ending.records?.push(broker.draining);
    return broker;
  };
  const watched = storeWith(store, {
    renew: (broker, lease_ms) => store.renew(noted(broker), lease_ms),
    job: (broker, ...more) => store.job(noted(broker), ...more),
    claim: (broker, ...more) => store.claim(noted(broker), ...more),
    // Its work takes long, so that its jobs come due meanwhile.
    async commit(changes) {
      if (ending.records) await clock.sleep(3_000);
      return store.commit(changes);
    },
  });
  const loop = await joinWith({ store: watched }, 'a', 'east');
  await clock.advance(15_000);
  await request('east', 4);
  await clock.advance(100);
  ending.records = [];
  await stop(loop);
  t.true(ending.records.length > 0);
  t.deepEqual([...new Set(ending.records)], [true]);
});

test('a request that another broker should have carries out returns while one of its calls takes minutes', async (t) => {
  const { clock, store, clouds, instance, joinWith, request, holds } = await brokersBench(t);
  const { east, west } = clouds;
  west.scripts.push(
    ...Array.from({ length: 8 }, () => (order: LaunchOrder<any, any>) => ({
      ...west.start(order, 1),
      shortfall: [{ kind: 'capacity', code: 'ICE', message: 'No more.', count: 1 } as const],
    })),
  );
  east.beforeLaunch = () => clock.sleep(170_000);
  const instances = [instance('west'), { ...instance('east'), priority: 2 }];
  await joinWith({ instances }, 'a');
  await clock.advance(2_000);
  await request(undefined, 8, { machine_count: 2 });
  await clock.advance(5_000);
  west.boot();
  await clock.advance(5_000);
  t.is(west.live().length, 8);
  await joinWith({ instances }, 'b');
  await clock.advance(20_000);
  const names = west.live().map((machine_id) => ({ machine_id, provider_instance: 'west' }));
  await new RequestService(store, clock, noBudgets, 9).returnMachines(names, 600);
  await clock.advance(5_000);
  t.deepEqual(west.live(), []);
  await clock.advance(180_000);
  t.is(east.live().length, 8);
  t.true(Number((await holds())['b']) >= 3);
});

test('a request goes to the broker that has its instance, wherever it was accepted', async (t) => {
  const { clock, clouds, join, request, holds, statuses } = await brokersBench(t);
  await join('a', 'east');
  await join('b', 'west');
  await clock.advance(2_000);
  const ids = [...(await request('east', 3)), ...(await request('west', 4))];
  await clock.advance(3_000);
  clouds.east.boot();
  clouds.west.boot();
  await clock.advance(5_000);
  t.deepEqual([...(await statuses(ids))], ['completed']);
  t.deepEqual(await holds(), { a: 3, b: 4 });
});

test('a request whose instance no live broker has waits for the broker that had it lately, is counted, and continues', async (t) => {
  const { clock, clouds, store, join, request, stop, statuses } = await brokersBench(t);
  const b = await join('b', 'east');
  await stop(await join('a', 'west'));
  const ids = await request('west', 2);
  await clock.advance(90_000);
  t.like(b.held(), { requests: 2, unserved: 2 });
  await waitsForWest(t, store);
  await join('a', 'west');
  await clock.advance(20_000);
  clouds.west.boot();
  await clock.advance(5_000);
  t.deepEqual([...(await statuses(ids))], ['completed']);
  t.like(b.held(), { requests: 0, unserved: 0 });
  t.is(clouds.west.orders.length, 2);
});

test('a request waits that a broker accepted before it had stored what it has, and that nobody else can serve', async (t) => {
  const { clock, clouds, store, join, request, statuses } = await brokersBench(t);
  await join('b', 'east');
  const ids = await request('west', 1);
  await clock.advance(90_000);
  await waitsForWest(t, store);
  await join('a', 'west');
  await clock.advance(20_000);
  clouds.west.boot();
  await clock.advance(5_000);
  t.deepEqual([...(await statuses(ids))], ['completed']);
});

test('a broker without an instance does not speak for another one on its host that is away', async (t) => {
  const { clock, clouds, store, joinWith, request, stop, statuses } = await brokersBench(t);
  // The system chooses the ports of both, so that their addresses are not known.
  const there = { data_directory: '/there' };
  await stop(await joinWith(there, 'host', 'east', 'west'));
  await joinWith({ data_directory: '/here' }, 'host', 'east');
  const ids = await request('west', 1);
  await clock.advance(90_000);
  await waitsForWest(t, store);
  await joinWith(there, 'host', 'east', 'west');
  await clock.advance(20_000);
  clouds.west.boot();
  await clock.advance(5_000);
  t.deepEqual([...(await statuses(ids))], ['completed']);
});

test('a request whose instance left the configuration of all brokers fails at once with a sentence', async (t) => {
  const { clock, store, join, request, stop } = await brokersBench(t);
  await join('b', 'east');
  await stop(await join('a', 'west'));
  await request('west', 1);
  await clock.advance(5_000);
  const [waiting] = await store.find('request', {});
  t.is(waiting?.status, 'pending');
  // The broker on this host comes back without the instance.
  await join('a', 'east');
  await clock.advance(70_000);
  const [failed] = await store.find('request', {});
  t.is(failed?.status, 'failed');
  t.regex(failed?.message ?? '', /'west': it is not in the configuration/);
});

test('a request whose instance is gone goes to an instance that another broker has, when none here can serve it', async (t) => {
  const { clock, clouds, store, join, joinWith, stop, instance, holds, interfaceWith } = await brokersBench(t);
  const small = { ...instance('east'), limits: { max_instances_per_request: 1, max_concurrent_requests: null } };
  const a = await joinWith({ instances: [small] }, 'a');
  await stop(await join('c', 'west'));
  const { directory } = await interfaceWith('west');
  const template = { template_id: 'small' };
  const chosen = choose({ template }, { key: 'r', machine_count: 2 }, {}, directory);
  await new RequestService(store, clock, noBudgets, 9).create({ template, machine_count: 2 }, chosen, {
    request_id: 'r',
  });
  await clock.advance(5_000);
  t.like(a.held(), { requests: 1, unserved: 1 });
  await join('b', 'north');
  await clock.advance(90_000);
  clouds.north.boot();
  await clock.advance(5_000);
  t.like(await store.get('request', { request_id: 'r' }), {
    status: 'completed',
    provider_instance: 'north',
    handed_over: ['north'],
  });
  t.deepEqual(await holds(), { a: 0, b: 1 });
  t.is(clouds.north.live().length, 2);
});

test('requests that their instance cannot serve any more go to one that only another broker has', async (t) => {
  const { clock, clouds, store, join, holds, interfaceWith } = await brokersBench(t);
  const short = { kind: 'capacity', code: 'ICE', message: 'No more.' } as const;
  for (let i = 0; i < 60; i++)
    clouds.east.scripts.push((order, cloud) =>
      order.machine_count === 2
        ? { ...cloud.start(order, 1), shortfall: [{ ...short, count: 1 }] }
        : new ProviderFault('capacity', 'No more.'),
    );
  await join('a', 'east');
  await join('b', 'east', 'west');
  await clock.advance(10_000);
  const { directory } = await interfaceWith('east');
  const template = { template_id: 'small' };
  const requests = new RequestService(store, clock, noBudgets, 9);
  const ids = ['r-1', 'r-2', 'r-3', 'r-4'];
  for (const request_id of ids) {
    const chosen = choose({ template }, { key: request_id, machine_count: 2 }, {}, directory);
    await requests.create({ template, machine_count: 2 }, chosen, { request_id });
  }
  await clock.advance(500);
  t.true(((await holds())['a'] ?? 0) > 0);
  for (let i = 0; i < 12; i++) {
    clouds.east.boot();
    clouds.west.boot();
    await clock.advance(5_000);
  }
  for (const request_id of ids)
    t.like(await store.get('request', { request_id }), { status: 'completed', delivered: 2 });
  t.is(clouds.east.live().length + clouds.west.live().length, 8);
  t.deepEqual(await holds(), { a: 0, b: 4 });
});

test('a broker that stops yields its requests, leaves the list, and its jobs go to another one', async (t) => {
  const { clock, clouds, store, join, request, holds, stop } = await brokersBench(t);
  const a = await join('a', 'east');
  await join('b', 'east');
  await request('east', 6);
  await clock.advance(3_000);
  clouds.east.boot();
  await clock.advance(20_000);
  await stop(a);
  t.deepEqual(Object.keys(await holds()), ['b']);
  await clock.advance(10_000);
  t.deepEqual(await holds(), { b: 6 });
  const claims = await store.renew({ ...((await store.brokers())[0] as BrokerRecord) }, 30_000);
  t.is(claims.claims.length, 6);
});

test('a cloud is swept every ten minutes by one of the brokers, and not again after a restart', async (t) => {
  const { clock, clouds, join, request, stop } = await brokersBench(t);
  const sweeps = () => clouds.east.calls.filter((call) => call === 'sweep').length;
  const a = await join('a', 'east');
  await join('b', 'east');
  await request('east', 2);
  await clock.advance(3_000);
  clouds.east.boot();
  await clock.advance(60_000);
  t.is(sweeps(), 1);
  await stop(a);
  await join('c', 'east');
  await clock.advance(400_000);
  t.is(sweeps(), 1);
  await clock.advance(240_000);
  t.is(sweeps(), 2);
});
