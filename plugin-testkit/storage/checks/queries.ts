import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { assertRefused } from '../assert-refused.ts';
import type { Contract } from '../contract.ts';
import { aMachine, aRequest, aSignal, insert } from '../records.ts';
import {
  isBrokerError,
  type Change,
  type MachineRecord,
  type Query,
  type RequestRecord,
} from '../../../core/index.ts';

const make = (id: string, given: Partial<RequestRecord>) => insert('request', aRequest(id, given));

const isUnavailable = (error: unknown): boolean => isBrokerError(error) && error.code === 'UNAVAILABLE';

/** The contract of `find`, `count` and `versions`. */
export function checkQueries({ check, opened, shared }: Contract): void {
  check('a query gives what meets all its conditions', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([
      make('r-1', { status: 'pending', next_at: 10, template_id: 'small', provider_instance: 'east' }),
      make('r-2', { status: 'completed', next_at: null, template_id: 'small', completed_at: 40 }),
      make('r-3', { status: 'failed', next_at: 30, template_id: null, kind: 'return' }),
      make('r-4', { status: 'pending', next_at: 40, template_id: 'large' }),
    ]);
    const ids = async (where: NonNullable<Query<'request'>['where']>) => {
      const found = await store.find('request', { where });
      assert.equal(await store.count('request', where), found.length);
      return found.map((each) => each.request_id);
    };
    assert.deepEqual(await ids({}), ['r-1', 'r-2', 'r-3', 'r-4']);
    assert.deepEqual(await ids({ status: 'pending' }), ['r-1', 'r-4']);
    assert.deepEqual(await ids({ status: 'pending', template_id: 'large' }), ['r-4']);
    assert.deepEqual(await ids({ status: ['completed', 'failed'] }), ['r-2', 'r-3']);
    assert.deepEqual(await ids({ status: [] }), []);
    assert.deepEqual(await ids({ next_at: null }), ['r-2']);
    assert.deepEqual(await ids({ provider_instance: null }), ['r-2', 'r-3', 'r-4']);
    assert.deepEqual(await ids({ template_id: [null, 'large'] }), ['r-3', 'r-4']);
    assert.deepEqual(await ids({ next_at: [10, 30] }), ['r-1', 'r-3']);
    assert.deepEqual(await ids({ next_at: { after: 10, before: 40 } }), ['r-3']);
    assert.deepEqual(await ids({ next_at: { after: 10 } }), ['r-3', 'r-4']);
    assert.deepEqual(await ids({ next_at: { before: 40 }, status: 'pending' }), ['r-1']);
    assert.deepEqual(await ids({ completed_at: { before: 100 } }), ['r-2']);
    assert.deepEqual(await ids({ request_id: ['r-4', 'r-1', 'r-9', 'r-2', 'r-8', 'r-7'] }), ['r-1', 'r-2', 'r-4']);
    assert.deepEqual(await ids({ request_id: "' OR 1=1 --" }), []);
  });

  check('the number of changes of a kind rises with what changes it, and with nothing else', async (ending) => {
    const { store } = await opened(ending);
    const begun = await store.changes('request');
    await store.commit([make('r-1', {})]);
    const once = await store.changes('request');
    assert.ok(once > begun);
    await store.commit([insert('machine', aMachine('m-1', {}))]);
    await assertRefused(store.commit([make('r-1', {})]), 'ALREADY_EXISTS');
    await store.find('request', {});
    assert.equal(await store.changes('request'), once);
    assert.ok((await store.changes('machine')) > 0);
  });

  check('a query can ask by a boolean', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('signal', aSignal('w-1')), insert('signal', aSignal('w-2', { applied: true }))]);
    const found = async (applied: boolean) =>
      (await store.find('signal', { where: { applied } })).map((each) => each.signal_id);
    assert.deepEqual(await found(false), ['w-1']);
    assert.deepEqual(await found(true), ['w-2']);
  });

  check('a query by something that has no column is refused', async (ending) => {
    const { store } = await opened(ending);
    await assertRefused(store.find('request', { where: { message: '' } as object }), 'INTERNAL');
    await assertRefused(store.find('request', { where: { status: undefined } as object }), 'INTERNAL');
    await assertRefused(store.find('request', { limit: -1 }), 'INTERNAL');
    await assertRefused(store.find('request', { order: [['message' as 'status', 'asc']] }), 'INTERNAL');
  });

  check(
    'order is by the columns given, then by key in the direction of the last; absent comes first',
    async (ending) => {
      const { store } = await opened(ending);
      const times = [3, 1, 2, 1, 3, 2];
      await store.commit(
        times.map((created_at, i) =>
          insert('machine', aMachine(`m-${i}`, { created_at, ...(i > 3 && { name: 'x' }) })),
        ),
      );
      const ids = async (order: NonNullable<Query<'machine'>['order']>) =>
        (await store.find('machine', { order })).map((each: MachineRecord) => each.machine_id.slice(2)).join('');
      assert.equal(await ids([]), '012345');
      assert.equal(await ids([['created_at', 'asc']]), '132504');
      assert.equal(await ids([['created_at', 'desc']]), '405231');
      assert.equal(await ids([['name', 'asc']]), '012345');
      assert.equal(await ids([['name', 'desc']]), '543210');
      assert.equal(
        await ids([
          ['created_at', 'asc'],
          ['machine_id', 'desc'],
        ]),
        '315240',
      );
    },
  );

  for (const direction of ['asc', 'desc'] as const) {
    check(`paging ${direction} over ties skips and repeats nothing`, async (ending) => {
      const { store } = await opened(ending);
      await store.commit(
        Array.from({ length: 25 }, (_, i) => insert('request', aRequest(`r-${i}`, { created_at: i % 2 }))),
      );
      const seen: string[] = [];
      for (let offset = 0; offset < 30; offset += 4) {
        const page = await store.find('request', { order: [['created_at', direction]], limit: 4, offset });
        assert.equal(page.length, Math.max(0, Math.min(4, 25 - offset)));
        seen.push(...page.map((each) => each.request_id));
      }
      assert.equal(new Set(seen).size, 25);
      const whole = await store.find('request', { order: [['created_at', direction]] });
      assert.deepEqual(
        seen,
        whole.map((each) => each.request_id),
      );
    });
  }

  check('an offset without a limit, and a limit of nothing', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([1, 2, 3].map((i) => insert('machine', aMachine(`m-${i}`))));
    assert.equal((await store.find('machine', { offset: 2 })).length, 1);
    assert.equal((await store.find('machine', { limit: 0 })).length, 0);
  });

  check('counts by status follow every insert, change and delete', async (ending) => {
    const { store } = await opened(ending);
    const counts = async () => [
      await store.count('request', {}),
      await store.count('request', { status: 'pending' }),
      await store.count('request', { status: 'completed' }),
      await store.count('request', { kind: 'return' }),
      await store.count('request', { kind: 'provision', status: 'pending' }),
      await store.count('machine', {}),
      await store.count('machine', { status: 'running' }),
    ];
    assert.deepEqual(await counts(), [0, 0, 0, 0, 0, 0, 0]);
    await store.commit([
      insert('request', aRequest('r-1')),
      insert('request', aRequest('r-2')),
      insert('request', aRequest('r-3', { kind: 'return' })),
      insert('machine', aMachine('m-1')),
    ]);
    assert.deepEqual(await counts(), [3, 3, 0, 1, 2, 1, 0]);
    await store.commit([
      { op: 'fence', request_id: 'r-1', epoch: 0 },
      { op: 'put', kind: 'request', record: aRequest('r-1', { status: 'completed' }) },
      { op: 'put', kind: 'machine', record: aMachine('m-1', { status: 'running' }) },
      { op: 'put', kind: 'machine', record: aMachine('m-2', { status: 'running' }) },
    ]);
    assert.deepEqual(await counts(), [3, 2, 1, 1, 1, 2, 2]);
    await store.commit([
      { op: 'delete', kind: 'request', key: { request_id: 'r-1' } },
      { op: 'delete', kind: 'request', key: { request_id: 'r-1' } },
      { op: 'delete', kind: 'machine', key: { provider_instance: 'east', machine_id: 'm-1' } },
    ]);
    assert.deepEqual(await counts(), [2, 2, 0, 1, 1, 1, 1]);
    await store.commit([insert('machine', aMachine('m-9')), insert('request', aRequest('r-2'))]).catch(() => {});
    assert.deepEqual(await counts(), [2, 2, 0, 1, 1, 1, 1]);
  });

  check('counts by status are right after commits at once, of which some are refused', async (ending) => {
    const { store, open } = await opened(ending);
    const stores = [store, shared ? await open() : store];
    const fenced = (record: RequestRecord): readonly Change[] => [
      { op: 'fence', request_id: record.request_id, epoch: 0 },
      { op: 'put', kind: 'request', record },
    ];
    // Each round meets requests of the rounds before, and the first one no counter at all.
    for (let round = 0; round < 3; round += 1) {
      const own = (i: number) => `r-${round}-${i}`;
      const works: readonly (readonly Change[])[] = [
        ...Array.from({ length: 12 }, (_, i) => [make(own(i), { kind: i % 3 === 0 ? 'return' : 'provision' })]),
        // Twice the same, and in one commit with one that is new.
        [make(own(1), {})],
        [make(own(12), {}), make(own(2), {})],
        [make(own(13), {}), ...fenced(aRequest(own(13), { status: 'completed' }))],
        fenced(aRequest(own(4), { status: 'in_progress' })),
        fenced(aRequest(`r-${round - 1}-5`, { status: 'completed' })),
        [{ op: 'delete', kind: 'request', key: { request_id: own(7) } }],
        [{ op: 'delete', kind: 'request', key: { request_id: `r-${round - 1}-8` } }],
      ];
      const outcomes = await Promise.allSettled(works.map((changes, i) => stores[i % 2]?.commit(changes)));
      // A storage that is overloaded refuses work, and may carry it out later.
      const gaveUp = outcomes.filter((each) => each.status === 'rejected' && isUnavailable(each.reason)).length;
      const wrong = async (): Promise<string[]> => {
        const all = await store.find('request', {});
        if (gaveUp === 0) assert.ok(all.length > 9 * (round + 1), `${all.length} requests in round ${round}`);
        const found: string[] = [];
        for (const kind of ['provision', 'return'] as const)
          for (const status of ['pending', 'in_progress', 'completed'] as const) {
            const counted = await store.count('request', { kind, status });
            const there = all.filter((each) => each.kind === kind && each.status === status).length;
            if (counted !== there) found.push(`${kind} ${status}: ${counted} counted, ${there} found`);
          }
        return found;
      };
      const turns = gaveUp > 0 ? 100 : 0;
      for (let turn = 0; turn < turns && (await wrong()).length > 0; turn += 1) await after(50);
      assert.deepEqual(await wrong(), []);
    }
  });

  check('versions gives ids and versions in order', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([
      insert('request', aRequest('r-1', { created_at: 1 })),
      insert('request', aRequest('r-2', { created_at: 3, status: 'failed' })),
      insert('request', aRequest('r-3', { created_at: 2 })),
    ]);
    await store.commit([
      { op: 'fence', request_id: 'r-3', epoch: 0 },
      { op: 'put', kind: 'request', record: aRequest('r-3', { created_at: 2 }) },
    ]);
    assert.deepEqual(await store.versions({ order: [['created_at', 'desc']], limit: 2 }), [
      { request_id: 'r-2', version: 1 },
      { request_id: 'r-3', version: 2 },
    ]);
    assert.deepEqual(await store.versions({ where: { status: 'failed' } }), [{ request_id: 'r-2', version: 1 }]);
  });
}
