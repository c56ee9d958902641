import test from 'ava';
import { silentLog, systemClock, type Store } from '../../../../core/index.ts';
import { loadStates } from '../../../../core/reconciler/claims/load-states.ts';
import { memoryDriver } from '../../../support/memory-driver.ts';
import { machineOf, requestOf } from '../../../support/records.ts';
import { storeWith } from '../../../support/store-with.ts';

test('machines are read request by request and in pages, so that no read sorts those of all claims', async (t) => {
  const store: Store = await memoryDriver().open({}, { clock: systemClock, log: silentLog });
  const counts = { 'r-few': 3, 'r-many': 2_500, 'r-none': 0 };
  const claims = Object.keys(counts).map((request_id) => ({ request_id, epoch: 0, taken_over: true }));
  for (const [request_id, count] of Object.entries(counts)) {
    await store.commit([{ op: 'insert', kind: 'request', record: requestOf({ request_id, machine_count: count }) }]);
    for (let n = 0; n < count; n++) {
      const record = machineOf(`${request_id}-${n}`, { request_id, created_at: n });
      await store.commit([{ op: 'put', kind: 'machine', record }]);
    }
  }
  const asked: unknown[] = [];
  const find: Store['find'] = (kind, query) => {
    if (kind === 'machine') asked.push([query.where, query.limit]);
    return store.find(kind, query);
  };
  const watched = storeWith(store, { find });
  const read = async (from: number) =>
    loadStates(watched, [...claims, { request_id: 'r-gone', epoch: 0, taken_over: true }].slice(from));
  const [first, rest] = [await read(0), await read(1)];
  t.is(first.count, 1, 'the next request is large, so it is loaded alone');
  t.is(rest.count, 1);
  t.is((await read(2)).count, 2);
  const states = new Map([...first.states, ...rest.states]);
  t.deepEqual([...states.keys()].toSorted(), ['r-few', 'r-many']);
  t.deepEqual(
    [...(states.get('r-many')?.machines.all() ?? [])].map(({ created_at }) => created_at),
    Array.from({ length: 2_500 }, (_, n) => n),
  );
  // The storages have an index for the machines of one request, in this order.
  const page = (request_id: string) => [{ request_id }, 500];
  const many = Array.from({ length: 6 }, () => 'r-many');
  t.deepEqual(asked, ['r-few', ...many, 'r-none', 'r-gone'].map(page));
});
