import test from 'ava';
import { BrokerError, silentLog, type Store } from '../../../../core/index.ts';
import { claimPoolOn } from '../../../support/claim-pool-bench.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { memoryDriver } from '../../../support/memory-driver.ts';
import { storeWith } from '../../../support/store-with.ts';
import { tries } from '../../../support/variants.ts';

type Find = Store['find'];

/** A pool of claims on a store with these methods before its own, in time that the test moves. */
async function poolOn(others: (store: Store, clock: FakeClock) => Partial<Store>) {
  const clock = new FakeClock();
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  const bench = claimPoolOn(storeWith(store, others(store, clock)), clock);
  return {
    ...bench,
    clock,
    store,
    stop: () => Promise.all([bench.pool.stop(4_000, () => undefined), clock.advance(20_000)]),
  };
}

test('many large requests claimed at once keep their claims while they are loaded, and run meanwhile', async (t) => {
  const { clock, pool, ran, logged, add, stop } = await poolOn((store, time) => ({
    // A cold disk: all pages of the machines together take twice the lease.
    find: (async (kind, query) => {
      if (kind === 'machine') await time.sleep(500);
      return store.find(kind, query);
    }) as Find,
  }));
  for (let r = 0; r < 30; r++) await add(`r-${r}`, 1_001);
  pool.start();
  await clock.advance(15_000);
  t.true(ran.size > 5 && ran.size < 15, `${ran.size} run before the last are loaded`);
  await clock.advance(60_000);
  t.is(ran.size, 30);
  t.deepEqual(logged, []);
  await stop();
});

for (const kind of ['request', 'attempt', 'machine', 'signal'] as const)
  test(`a record of kind ${kind} that cannot be read stops its request alone, with an error in the log`, async (t) => {
    const isBad = { now: true };
    const { clock, pool, ran, logged, trouble, add, stop } = await poolOn((store) => ({
      find: (async (what, query) => {
        const asked = query.where as { readonly request_id?: string | readonly string[] } | undefined;
        const touches = asked?.request_id === undefined || asked.request_id.includes('r-bad');
        if (isBad.now && what === kind && touches) throw new BrokerError('UNAVAILABLE', 'It cannot be parsed.');
        return store.find(what, query);
      }) as Find,
    }));
    for (const id of ['r-1', 'r-bad', 'r-2']) await add(id, 3);
    pool.start();
    await clock.advance(10_000);
    await add('r-3', 3);
    await clock.advance(110_000);
    t.deepEqual([...ran.keys()].toSorted(), ['r-1', 'r-2', 'r-3']);
    t.true((ran.get('r-1') ?? 0) > 40, `${ran.get('r-1')} runs`);
    t.is(pool.unreadable, 1);
    const told = logged.filter(({ request_id }) => request_id === 'r-bad').map(({ message }) => message);
    t.regex(told[0] ?? '', /cannot be read/);
    t.true(told.length <= 4, `${told.length} lines`);
    // A signal that nobody can assign to a request may be one of each.
    if (kind !== 'signal') t.is(trouble.message, undefined);
    isBad.now = false;
    await clock.advance(300_000);
    t.is(ran.size, 4);
    t.is(pool.unreadable, 0);
    await stop();
  });

test('a signal that cannot be read does not keep those of other requests from them', async (t) => {
  const bad: { signal_id?: string } = {};
  const { clock, store, pool, signalled, logged, trouble, add, stop } = await poolOn((on) => ({
    find: (async (kind, query) => {
      const found = await on.find(kind, query);
      if (kind === 'signal' && found.some((each) => 'signal_id' in each && each.signal_id === bad.signal_id))
        throw new BrokerError('UNAVAILABLE', 'It cannot be parsed.');
      return found;
    }) as Find,
  }));
  for (let r = 0; r < 5; r++) await add(`r-${r}`, 1);
  pool.start();
  await clock.advance(10_000);
  bad.signal_id = 'bad';
  const wishes = { bad: 'r-1', good: 'r-3', unheld: 'r-of-another-broker' };
  for (const [signal_id, request_id] of Object.entries(wishes)) {
    const record = {
      signal_id,
      kind: 'cancel',
      request_id,
      machines: [],
      created_at: clock.now(),
      applied: false,
    } as const;
    await store.commit([{ op: 'insert', kind: 'signal', record: { ...record, machines: [] } }]);
  }
  await clock.advance(60_000);
  t.deepEqual([...signalled], ['good']);
  t.is(logged.length, 1);
  t.is(logged[0]?.request_id, 'r-1');
  t.is(trouble.message, undefined);
  delete bad.signal_id;
  await clock.advance(6_000);
  t.deepEqual([...signalled], ['good', 'bad']);
  await stop();
});

test('thousands of requests that other brokers should have are yielded in a few calls, and no other claim is lost', async (t) => {
  const yields: number[] = [];
  const surplus: { ids: readonly string[] } = { ids: [] };
  const { clock, store, pool, ran, logged, add, stop } = await poolOn((on, time) => ({
    async renew(broker, lease_ms) {
      return { ...(await on.renew(broker, lease_ms)), surplus: surplus.ids };
    },
    async yield(claims) {
      yields.push(claims.length);
      await time.sleep(20);
      await on.yield(claims);
      for (const { request_id } of claims) {
        const record = await on.get('request', { request_id });
        if (record) await on.commit([{ op: 'delete', kind: 'request', key: { request_id } }]);
      }
    },
  }));
  const foreign = tries(1_500, 2_500);
  for (let r = 0; r < foreign + 500; r++) await add(`r-${r}`, 0);
  pool.start();
  await clock.advance(60_000);
  t.is(ran.size, foreign + 500);
  const ids = [...ran.keys()];
  surplus.ids = ids.slice(0, foreign);
  await clock.advance(8_000);
  surplus.ids = [];
  await clock.advance(1_000);
  t.is(
    yields.reduce((sum, each) => sum + each, 0),
    foreign,
  );
  t.true(yields.length <= 5, yields.join(' '));
  t.is(await store.count('request', {}), 500);
  t.deepEqual(logged, []);
  await stop();
});
