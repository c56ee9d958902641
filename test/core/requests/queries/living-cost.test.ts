import test from 'ava';
import { silentLog } from '../../../../core/contract/log.ts';
import type { Change, Store } from '../../../../core/index.ts';
import { LivingCost } from '../../../../core/requests/queries/living-cost.ts';
import { MemoryStore } from '../../../../plugins/storage-memory/index.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { machineOf } from '../../../support/records.ts';

const put = (id: string, fields: Parameters<typeof machineOf>[1] = {}): Change => ({
  op: 'put',
  kind: 'machine',
  record: machineOf(id, { price: { usd_per_hour: 0.001, source: 'catalogue' }, ...fields }),
});

/** A store in memory, each read of which takes some time. */
function slowStore(clock: FakeClock, find_ms: number) {
  const store = new MemoryStore({ clock, log: silentLog });
  const reads: number[] = [];
  const slow: Store = Object.assign(Object.create(store), {
    find: async (...query: Parameters<Store['find']>) => {
      reads.push(query[1].limit ?? Infinity);
      await clock.advance(find_ms);
      return store.find(...query);
    },
  });
  return { store, slow, reads };
}

test('the prices of all living machines are added up in bounded parts, and shared by callers at the same time', async (t) => {
  const clock = new FakeClock();
  const { store, slow, reads } = slowStore(clock, 0);
  await store.commit(Array.from({ length: 1_200 }, (_, index) => put(`i-${index}`, { created_at: 5 })));
  await store.commit([
    put('i-gone', { gone_at: 9, status: 'terminated' }),
    put('i-free', { price: undefined as never }),
  ]);
  const cost = new LivingCost(slow, clock);
  const changes = await store.changes('machine');
  const expected = { usd_per_hour: 1.2, unpriced_machines: 1 };
  t.deepEqual(await Promise.all([cost.read(changes), cost.read(changes)]), [expected, expected]);
  t.deepEqual(reads, [500, 500, 500]);
  t.deepEqual(await cost.read(changes), expected);
  t.is(reads.length, 3, 'nothing changed');
});

test('a sum that takes long is kept for a while, and its key says so', async (t) => {
  const clock = new FakeClock();
  const { store, slow, reads } = slowStore(clock, 400);
  await store.commit([put('i-1')]);
  const cost = new LivingCost(slow, clock);
  const first = await store.changes('machine');
  t.is(cost.keyAt(first), first);
  await cost.read(first);
  await store.commit([put('i-2')]);
  const second = await store.changes('machine');
  t.is(cost.keyAt(second), first);
  t.is((await cost.read(second)).usd_per_hour, 0.001);
  await clock.advance(8_000);
  t.is(cost.keyAt(second), second);
  t.is((await cost.read(second)).usd_per_hour, 0.002);
  t.is(reads.length, 2);
});
