import test from 'ava';
import { brokersBench } from '../../support/brokers-bench.ts';

test('a request is observed now by the broker that holds it, whichever broker is asked', async (t) => {
  const { clock, clouds, store, joinWith, request, stop, holds } = await brokersBench(t);
  const observed: (readonly [readonly string[], number])[] = [];
  const settings = { observe_resting_ms: 55_000 };
  const refreshed = (ids: readonly string[], at: number) => void observed.push([ids, at]);
  const a = await joinWith({ settings, refreshed }, 'a', 'east');
  const b = await joinWith({ settings }, 'b', 'west');
  await clock.advance(3_000);
  const [id = ''] = await request('west', 1);
  await clock.advance(3_000);
  clouds.west.boot();
  await clock.advance(10_000);
  t.deepEqual(await holds(), { a: 0, b: 1 });
  const looks = () => clouds.west.asked.length;
  const writes = async () => (await store.find('fact', { where: { topic: 'refresh' } })).length;
  t.is(await writes(), 0);
  const before = looks();
  await clock.advance(20_000);
  t.is(looks(), before, 'at rest');
  const asked = clock.now();
  a.refresh([id, 'req-unknown']);
  await clock.advance(1_500);
  t.is(looks(), before + 1);
  await clock.advance(1_500);
  t.deepEqual(
    observed.map(([ids]) => ids),
    [[id]],
    'the broker that was asked learns when it was observed',
  );
  t.true((observed[0]?.[1] ?? 0) >= asked);
  for (let call = 0; call < 20; call++) {
    a.refresh([id]);
    await clock.advance(100);
  }
  await clock.advance(4_000);
  t.true(looks() <= before + 4, `${looks() - before} looks in two seconds of calls`);
  await stop(b);
  a.refresh([id]);
  await clock.advance(3_000);
  t.pass('the holder is gone, and nothing fails');
});

test('a broker that is alone tells nobody what it is asked for', async (t) => {
  const { clock, store, join } = await brokersBench(t);
  const a = await join('a', 'east');
  await clock.advance(3_000);
  a.refresh(['req-unknown']);
  await clock.advance(3_000);
  t.deepEqual(await store.find('fact', { where: { topic: 'refresh' } }), []);
});
