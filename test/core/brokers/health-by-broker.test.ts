import test from 'ava';
import { ProviderFault } from '../../../core/index.ts';
import { Facts } from '../../../core/providers/facts.ts';
import { choose } from '../../../core/providers/choose.ts';
import { aBroker } from '../../../plugin-testkit/storage/records.ts';
import { brokersBench } from '../../support/brokers-bench.ts';
import { scriptedType } from '../../support/scripted-cloud.ts';

/** A provider type whose cloud refuses the credentials of one broker until it is cured. */
function refusing() {
  const state = { refuses: true };
  const check = async () => {
    if (state.refuses) throw new ProviderFault('credentials', 'The key is unknown here.');
  };
  return { state, types: [{ ...scriptedType, check }] };
}

test('an instance is unhealthy for the broker that it does not answer, and its requests go to the others', async (t) => {
  const { clock, clouds, joinWith, request, holds, stop, interfaceWith, statuses } = await brokersBench(t);
  const broken = refusing();
  const { facts, directory } = await interfaceWith('east');
  const select = () => choose({ template: { template_id: 'small' } }, { key: 'k', machine_count: 1 }, {}, directory);
  await joinWith({ types: broken.types }, 'a', 'east');
  await clock.advance(10_000);
  t.like(facts.health('east'), { status: 'unhealthy', message: 'The key is unknown here.' });
  t.throws(select, { message: /it is unhealthy: The key is unknown here/ });
  const b = await joinWith({ types: [{ ...scriptedType, check: async () => undefined }] }, 'b', 'east');
  await clock.advance(10_000);
  t.is(facts.health('east').status, 'healthy');
  t.deepEqual(
    facts.healthByBroker('east').map(({ host, status, message }) => [host, status, message]),
    [
      ['a', 'unhealthy', 'The key is unknown here.'],
      ['b', 'healthy', undefined],
    ],
  );
  t.is(select().provider_instance, 'east');
  const ids = await request('east', 4);
  await clock.advance(15_000);
  clouds.east.boot();
  await clock.advance(5_000);
  t.deepEqual([...(await statuses(ids))], ['completed']);
  t.deepEqual(await holds(), { a: 0, b: 4 });
  await stop(b);
  await clock.advance(10_000);
  t.deepEqual(
    facts.healthByBroker('east').map(({ host }) => host),
    ['a'],
    'what a broker found that is gone does not count',
  );
});

test('a broker that starts begins with what the last one on its host found, and says so at once', async (t) => {
  const { clock, joinWith, stop, store, interfaceWith } = await brokersBench(t);
  const broken = refusing();
  const broker = (started: number) => ({
    broker_id: `b${started}`,
    host: 'a',
    boot: 'b1',
    pid: 1,
    started,
    thread: 1,
    version: '1.0.0',
  });
  const first = await joinWith({ types: broken.types, broker: broker(1) }, 'a', 'east');
  await clock.advance(10_000);
  await stop(first);
  const { facts } = await interfaceWith('east');
  await joinWith({ types: broken.types, broker: broker(2), settings: { health_first_ms: 5_000 } }, 'a', 'east');
  await clock.advance(1_000);
  t.like(facts.health('east'), { status: 'unknown' }, 'an interface elsewhere waits for its word');
  await clock.advance(10_000);
  t.like(facts.healthByBroker('east')[0], { broker_id: 'b2', status: 'unhealthy' });
  const kept = await store.find('fact', { where: { topic: 'health' } });
  t.true(
    kept.every(({ until = Infinity }) => until < clock.now() + 86_400_001),
    'what dead brokers found goes after a day',
  );
});

test('what was found here with another configuration is past, also before the list of brokers is renewed', async (t) => {
  const { clock, joinWith, stop, store, instance } = await brokersBench(t);
  const broker = { ...aBroker({ host: 'a' }), broker_id: 'b1' };
  const first = await joinWith({ types: refusing().types, broker, settings: { health_first_ms: 0 } }, 'a', 'east');
  await clock.advance(5_000);
  await stop(first);
  const health = async (
    config: Readonly<Record<string, unknown>>,
    own?: { readonly broker_id: string; readonly host: string },
  ) => {
    const facts = new Facts(store, clock, [{ ...instance('east'), config }], own);
    await facts.follow();
    t.teardown(() => facts[Symbol.dispose]());
    return facts.health('east').status;
  };
  const { config } = instance('east');
  for (const own of [undefined, { broker_id: 'b2', host: 'a' }]) {
    t.is(await health(config, own), 'unhealthy');
    t.is(await health({ ...config, key: 'mended' }, own), 'unknown');
  }
});
