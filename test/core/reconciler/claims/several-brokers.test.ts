import test, { type ExecutionContext } from 'ava';
import { silentLog, type BrokerRecord, type Store, type Template } from '../../../../core/index.ts';
import { newRequestId } from '../../../../core/model/ids.ts';
import type { ProviderInstance } from '../../../../core/model/provider-instance.ts';
import { choose } from '../../../../core/providers/choose.ts';
import { ProviderDirectory } from '../../../../core/providers/directory.ts';
import { Facts } from '../../../../core/providers/facts.ts';
import { startLoop } from '../../../../core/reconciler/loop.ts';
import type { RunningLoop } from '../../../../core/reconciler/running-loop.ts';
import { RequestService } from '../../../../core/requests/request-service.ts';
import { aBroker } from '../../../../plugin-testkit/storage/records.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { memoryDriver } from '../../../support/memory-driver.ts';
import { ScriptedCloud, scriptedApi, scriptedType } from '../../../support/scripted-cloud.ts';

const template: Template = { template_id: 'small' };

/** Several loops on one store, each on a host of its own. */
async function bench(t: ExecutionContext) {
  const clock = new FakeClock();
  const store: Store = await memoryDriver().open({}, { clock, log: silentLog });
  const clouds = { east: new ScriptedCloud(), west: new ScriptedCloud() };
  const instance = (name: 'east' | 'west'): ProviderInstance => ({
    name,
    type: 'scripted',
    enabled: true,
    priority: 1,
    weight: 10,
    config: { cloud: clouds[name] },
    template_defaults: {},
    sweep: 'report',
    limits: { max_instances_per_request: 100, max_concurrent_requests: null },
  });
  const apis = [scriptedApi(clouds.east.capabilities)];
  const requests = new RequestService(store, clock, 1_000);
  const running = new Set<RunningLoop>();
  const stop = async (loop: RunningLoop): Promise<void> => {
    running.delete(loop);
    await Promise.all([loop.stop(), clock.advance(20_000)]);
  };
  t.teardown(() => Promise.all([...running].map(stop)));
  return {
    clock,
    store,
    clouds,
    stop,
    async join(host: string, ...names: readonly ('east' | 'west')[]): Promise<RunningLoop> {
      const loop = await startLoop({
        store,
        instances: names.map(instance),
        types: [scriptedType],
        apis,
        schemes: [],
        data_directory: '',
        clock,
        log: silentLog,
        broker: aBroker({ host }),
        settings: { observe_resting_ms: 5_000 },
      });
      running.add(loop);
      return loop;
    },
    /** Requests of a machine each, at an instance. */
    async request(name: 'east' | 'west', count: number): Promise<readonly string[]> {
      const directory = new ProviderDirectory([instance(name)], [scriptedType], apis, new Facts(store, clock));
      const ids = Array.from({ length: count }, newRequestId);
      for (const request_id of ids) {
        const named = { provider_instance: name };
        const chosen = choose({ template }, { key: request_id, machine_count: 1 }, named, directory);
        await requests.create({ template, machine_count: 1 }, chosen, { request_id });
      }
      return ids;
    },
    holds: async (): Promise<Readonly<Record<string, number>>> =>
      Object.fromEntries((await store.brokers()).map(({ host, holds }) => [host, holds])),
    async statuses(ids: readonly string[]): Promise<ReadonlySet<string | undefined>> {
      const found = await Promise.all(ids.map((request_id) => store.get('request', { request_id })));
      return new Set(found.map((each) => each?.status));
    },
  };
}

test('a broker that joins has its share of the requests within a minute, and nothing is ordered twice', async (t) => {
  const { clock, clouds, join, request, holds, statuses } = await bench(t);
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
  const { clock, clouds, join, request, holds, statuses } = await bench(t);
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
  const { clock, clouds, store, join, request, statuses } = await bench(t);
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
  const { clock, clouds, store, join, request, holds, stop } = await bench(t);
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
  const { clock, clouds, join, request, stop } = await bench(t);
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
