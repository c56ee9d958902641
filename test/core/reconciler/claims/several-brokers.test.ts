import test from 'ava';
import type { BrokerRecord } from '../../../../core/index.ts';
import { brokersBench } from '../../../support/brokers-bench.ts';

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

test('a request whose instance no live broker has waits, is counted, and continues when one joins', async (t) => {
  const { clock, clouds, store, join, request, statuses } = await brokersBench(t);
  const b = await join('b', 'east');
  await clock.advance(2_000);
  const ids = await request('west', 2);
  await clock.advance(90_000);
  t.deepEqual(b.held(), { requests: 2, unserved: 2 });
  const [waiting] = await store.find('request', {});
  t.is(waiting?.message, "No live broker has the provider instance 'west'; the request waits for one.");
  await join('a', 'west');
  await clock.advance(20_000);
  clouds.west.boot();
  await clock.advance(5_000);
  t.deepEqual([...(await statuses(ids))], ['completed']);
  t.deepEqual(b.held(), { requests: 0, unserved: 0 });
  t.is(clouds.west.orders.length, 2);
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
