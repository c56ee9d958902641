import test from 'ava';
import { brokersBench } from '../../support/brokers-bench.ts';
import { scriptedApi, scriptedType } from '../../support/scripted-cloud.ts';

test('live brokers on one cloud divide its rate limits and the concurrent calls, until one of them ends', async (t) => {
  const { clock, clouds, joinWith, request, stop } = await brokersBench(t);
  const shares = new Map<string, () => number>();
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  const api = scriptedApi(clouds.east.capabilities);
  const parts = (host: string) => ({
    types: [
      {
        ...scriptedType,
        connect: (
          config: Parameters<typeof scriptedType.connect>[0],
          context: Parameters<typeof scriptedType.connect>[1],
        ) => {
          shares.set(host, context.share ?? (() => NaN));
          return scriptedType.connect(config, context);
        },
      },
    ],
    apis: [
      {
        ...api,
        launch: async (...args: Parameters<typeof api.launch>) => {
          running.set(host, (running.get(host) ?? 0) + 1);
          most.set(host, Math.max(most.get(host) ?? 0, running.get(host) ?? 0));
          await clock.sleep(500);
          running.set(host, (running.get(host) ?? 0) - 1);
          return api.launch(...args);
        },
      },
    ],
    settings: { calls_at_once: 5 },
  });
  const share = () => [...shares].map(([host, part]) => [host, part()]);
  await joinWith(parts('a'), 'a', 'east');
  await clock.advance(3_000);
  t.deepEqual(share(), [['a', 1]]);
  const b = await joinWith(parts('b'), 'b', 'east');
  await clock.advance(1_500);
  t.deepEqual(share(), [
    ['a', 1],
    ['b', 1 / 50],
  ]);
  await clock.advance(20_000);
  t.deepEqual(share(), [
    ['a', 1 / 2],
    ['b', 1 / 2],
  ]);
  await request('east', 40);
  await clock.advance(8_000);
  t.deepEqual([most.get('a'), most.get('b')], [2, 2]);
  t.is(clouds.east.orders.length, 40);
  await stop(b);
  await clock.advance(10_000);
  t.deepEqual(share()[0], ['a', 1]);
});

test('max_concurrent_requests holds over all brokers', async (t) => {
  const { clock, clouds, store, instance, joinWith, request } = await brokersBench(t);
  const limited = { ...instance('east'), limits: { max_instances_per_request: 10, max_concurrent_requests: 3 } };
  const api = scriptedApi(clouds.east.capabilities);
  const slow = {
    ...api,
    launch: (...args: Parameters<typeof api.launch>) => clock.sleep(3_000).then(() => api.launch(...args)),
  };
  const holders = new Set<number>();
  let most = 0;
  const commit = store.commit.bind(store);
  store.commit = async (changes) => {
    await commit(changes);
    const active = await store.find('attempt', { where: { active: true } });
    most = Math.max(most, new Set(active.map(({ request_id }) => request_id)).size);
    for (const { holds } of await store.brokers()) holders.add(holds);
  };
  for (const host of ['a', 'b']) await joinWith({ instances: [limited], apis: [slow] }, host);
  await clock.advance(10_000);
  await request('east', 12);
  await clock.advance(30_000);
  t.is(clouds.east.orders.length, 12);
  t.is(most, 3);
  t.true(holders.has(6), 'both brokers had requests');
});
