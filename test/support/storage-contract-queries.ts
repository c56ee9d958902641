import { refused } from './storage-contract-commits.ts';
import type { Contract } from './storage-contract.ts';
import { aMachine, aRequest, aWish, insert } from './storage-records.ts';
import type { MachineRecord, Query, RequestRecord } from '../../core/index.ts';

const make = (id: string, given: Partial<RequestRecord>) => insert('request', aRequest(id, given));

/** The contract of `find`, `count` and `versions`. */
export function checkQueries({ test, stage }: Contract): void {
  test('a query gives what meets all its conditions', async (t) => {
    const { store } = await stage(t);
    await store.commit([
      make('r-1', { status: 'pending', next_at: 10, template_id: 'small', provider_instance: 'east' }),
      make('r-2', { status: 'completed', next_at: null, template_id: 'small', completed_at: 40 }),
      make('r-3', { status: 'failed', next_at: 30, template_id: null, kind: 'return' }),
      make('r-4', { status: 'pending', next_at: 40, template_id: 'large' }),
    ]);
    const ids = async (where: NonNullable<Query<'request'>['where']>) => {
      const found = await store.find('request', { where });
      t.is(await store.count('request', where), found.length);
      return found.map((each) => each.request_id);
    };
    t.deepEqual(await ids({}), ['r-1', 'r-2', 'r-3', 'r-4']);
    t.deepEqual(await ids({ status: 'pending' }), ['r-1', 'r-4']);
    t.deepEqual(await ids({ status: 'pending', template_id: 'large' }), ['r-4']);
    t.deepEqual(await ids({ status: ['completed', 'failed'] }), ['r-2', 'r-3']);
    t.deepEqual(await ids({ status: [] }), []);
    t.deepEqual(await ids({ next_at: null }), ['r-2']);
    t.deepEqual(await ids({ provider_instance: null }), ['r-2', 'r-3', 'r-4']);
    t.deepEqual(await ids({ template_id: [null, 'large'] }), ['r-3', 'r-4']);
    t.deepEqual(await ids({ next_at: [10, 30] }), ['r-1', 'r-3']);
    t.deepEqual(await ids({ next_at: { after: 10, before: 40 } }), ['r-3']);
    t.deepEqual(await ids({ next_at: { after: 10 } }), ['r-3', 'r-4']);
    t.deepEqual(await ids({ next_at: { before: 40 }, status: 'pending' }), ['r-1']);
    t.deepEqual(await ids({ completed_at: { before: 100 } }), ['r-2']);
    t.deepEqual(await ids({ request_id: ['r-4', 'r-1', 'r-9', 'r-2', 'r-8', 'r-7'] }), ['r-1', 'r-2', 'r-4']);
    t.deepEqual(await ids({ request_id: "' OR 1=1 --" }), []);
  });

  test('the number of changes of a kind rises with what changes it, and with nothing else', async (t) => {
    const { store } = await stage(t);
    const begun = await store.changes('request');
    await store.commit([make('r-1', {})]);
    const once = await store.changes('request');
    t.true(once > begun);
    await store.commit([insert('machine', aMachine('m-1', {}))]);
    await refused(t, store.commit([make('r-1', {})]), 'ALREADY_EXISTS');
    await store.find('request', {});
    t.is(await store.changes('request'), once);
    t.true((await store.changes('machine')) > 0);
  });

  test('a query can ask by a boolean', async (t) => {
    const { store } = await stage(t);
    await store.commit([insert('wish', aWish('w-1')), insert('wish', aWish('w-2', { absorbed: true }))]);
    const found = async (absorbed: boolean) => (await store.find('wish', { where: { absorbed } })).map((each) => each.wish_id);
    t.deepEqual(await found(false), ['w-1']);
    t.deepEqual(await found(true), ['w-2']);
  });

  test('a query by something that has no column is refused', async (t) => {
    const { store } = await stage(t);
    await refused(t, store.find('request', { where: { message: '' } as object }), 'INTERNAL');
    await refused(t, store.find('request', { where: { status: undefined } as object }), 'INTERNAL');
    await refused(t, store.find('request', { limit: -1 }), 'INTERNAL');
  });

  test('order is by the columns given, then by key in the direction of the last; absent comes first', async (t) => {
    const { store } = await stage(t);
    const times = [3, 1, 2, 1, 3, 2];
    await store.commit(times.map((created_at, i) => insert('machine', aMachine(`m-${i}`, { created_at, ...(i > 3 && { name: 'x' }) }))));
    const ids = async (order: NonNullable<Query<'machine'>['order']>) =>
      (await store.find('machine', { order })).map((each: MachineRecord) => each.machine_id.slice(2)).join('');
    t.is(await ids([]), '012345');
    t.is(await ids([['created_at', 'asc']]), '132504');
    t.is(await ids([['created_at', 'desc']]), '405231');
    t.is(await ids([['name', 'asc']]), '012345');
    t.is(await ids([['name', 'desc']]), '543210');
    t.is(
      await ids([
        ['created_at', 'asc'],
        ['machine_id', 'desc'],
      ]),
      '315240',
    );
  });

  for (const direction of ['asc', 'desc'] as const) {
    test(`paging ${direction} over ties skips and repeats nothing`, async (t) => {
      const { store } = await stage(t);
      await store.commit(Array.from({ length: 25 }, (_, i) => insert('request', aRequest(`r-${i}`, { created_at: i % 2 }))));
      const seen: string[] = [];
      for (let offset = 0; offset < 30; offset += 4) {
        const page = await store.find('request', { order: [['created_at', direction]], limit: 4, offset });
        t.is(page.length, Math.max(0, Math.min(4, 25 - offset)));
        seen.push(...page.map((each) => each.request_id));
      }
      t.is(new Set(seen).size, 25);
      const whole = await store.find('request', { order: [['created_at', direction]] });
      t.deepEqual(
        seen,
        whole.map((each) => each.request_id),
      );
    });
  }

  test('an offset without a limit, and a limit of nothing', async (t) => {
    const { store } = await stage(t);
    await store.commit([1, 2, 3].map((i) => insert('machine', aMachine(`m-${i}`))));
    t.is((await store.find('machine', { offset: 2 })).length, 1);
    t.is((await store.find('machine', { limit: 0 })).length, 0);
  });

  test('counts by status follow every insert, change and delete', async (t) => {
    const { store } = await stage(t);
    const counts = async () => [
      await store.count('request', {}),
      await store.count('request', { status: 'pending' }),
      await store.count('request', { status: 'completed' }),
      await store.count('request', { kind: 'return' }),
      await store.count('request', { kind: 'provision', status: 'pending' }),
      await store.count('machine', {}),
      await store.count('machine', { status: 'running' }),
    ];
    t.deepEqual(await counts(), [0, 0, 0, 0, 0, 0, 0]);
    await store.commit([
      insert('request', aRequest('r-1')),
      insert('request', aRequest('r-2')),
      insert('request', aRequest('r-3', { kind: 'return' })),
      insert('machine', aMachine('m-1')),
    ]);
    t.deepEqual(await counts(), [3, 3, 0, 1, 2, 1, 0]);
    await store.commit([
      { op: 'fence', request_id: 'r-1', epoch: 0 },
      { op: 'put', kind: 'request', record: aRequest('r-1', { status: 'completed' }) },
      { op: 'put', kind: 'machine', record: aMachine('m-1', { status: 'running' }) },
      { op: 'put', kind: 'machine', record: aMachine('m-2', { status: 'running' }) },
    ]);
    t.deepEqual(await counts(), [3, 2, 1, 1, 1, 2, 2]);
    await store.commit([
      { op: 'delete', kind: 'request', key: { request_id: 'r-1' } },
      { op: 'delete', kind: 'request', key: { request_id: 'r-1' } },
      { op: 'delete', kind: 'machine', key: { provider_instance: 'east', machine_id: 'm-1' } },
    ]);
    t.deepEqual(await counts(), [2, 2, 0, 1, 1, 1, 1]);
    await store.commit([insert('machine', aMachine('m-9')), insert('request', aRequest('r-2'))]).catch(() => {});
    t.deepEqual(await counts(), [2, 2, 0, 1, 1, 1, 1]);
  });

  test('versions gives ids and versions in order', async (t) => {
    const { store } = await stage(t);
    await store.commit([
      insert('request', aRequest('r-1', { created_at: 1 })),
      insert('request', aRequest('r-2', { created_at: 3, status: 'failed' })),
      insert('request', aRequest('r-3', { created_at: 2 })),
    ]);
    await store.commit([
      { op: 'fence', request_id: 'r-3', epoch: 0 },
      { op: 'put', kind: 'request', record: aRequest('r-3', { created_at: 2 }) },
    ]);
    t.deepEqual(await store.versions({ order: [['created_at', 'desc']], limit: 2 }), [
      { request_id: 'r-2', version: 1 },
      { request_id: 'r-3', version: 2 },
    ]);
    t.deepEqual(await store.versions({ where: { status: 'failed' } }), [{ request_id: 'r-2', version: 1 }]);
  });
}
