import assert from 'node:assert/strict';
import type { Claim } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aBroker, aRequest, aSignal, deadPid, insert } from '../records.ts';

const ids = (claims: readonly { readonly request_id: string }[]) => claims.map((each) => each.request_id);

/** The contract of `claim`, `renew` and `yield`. */
export function checkClaims({ check, opened, shared }: Contract): void {
  // The parent process: it is alive and is not this process.
  const other = aBroker({ pid: process.ppid });

  check('claim takes what is due by the clock of the store, longest due first, up to the limit', async (ending) => {
    const { store, time } = await opened(ending);
    await time.set(100);
    await store.commit([
      insert('request', aRequest('r-1', { next_at: 90 })),
      insert('request', aRequest('r-2', { next_at: 101 })),
      insert('request', aRequest('r-3', { next_at: 50 })),
      insert('request', aRequest('r-4', { next_at: null })),
      insert('request', aRequest('r-5', { next_at: 100, status: 'completed' })),
    ]);
    assert.deepEqual(await store.claim(aBroker(), 2, 1_000), [
      { request_id: 'r-3', epoch: 1, taken_over: false },
      { request_id: 'r-1', epoch: 1, taken_over: false },
    ]);
    assert.deepEqual(ids(await store.claim(aBroker(), 2, 1_000)), ['r-5']);
    await time.set(101);
    assert.deepEqual(ids(await store.claim(aBroker(), 2, 1_000)), ['r-2']);
    assert.deepEqual(await store.claim(aBroker(), 2, 1_000), []);
    assert.equal((await store.get('request', { request_id: 'r-3' }))?.epoch, 1);
  });

  check(
    'a clock that was set back makes everything due that waits, and bounds the leases that run',
    async (ending) => {
      const { store, time } = await opened(ending);
      await time.set(10_000_000);
      await store.commit([
        insert('request', aRequest('r-1', { next_at: 10_000_000 })),
        insert('request', aRequest('r-2', { next_at: 10_000_500 })),
        insert('request', aRequest('r-3', { next_at: null })),
      ]);
      assert.deepEqual(ids(await store.claim(other, 9, 60_000)), ['r-1']);
      await time.pass(-999);
      assert.deepEqual(await store.claim(aBroker(), 9, 60_000), []);
      await time.set(6_400_000);
      assert.deepEqual(ids(await store.claim(aBroker(), 9, 60_000)), ['r-2']);
      assert.equal((await store.get('request', { request_id: 'r-2' }))?.next_at, 6_400_000);
      assert.deepEqual(await store.claim(aBroker(), 9, 60_000), []);
      await time.pass(60_000);
      assert.deepEqual(ids(await store.claim(aBroker(), 9, 60_000)), ['r-1', 'r-2']);
    },
  );

  check('a signal that waits makes its request due', async (ending) => {
    const { store, time } = await opened(ending);
    await time.set(100);
    await store.commit([
      insert('request', aRequest('r-1', { next_at: null })),
      insert('request', aRequest('r-2', { next_at: 500 })),
      insert('request', aRequest('r-3', { next_at: null })),
      insert('request', aRequest('r-4', { next_at: 60 })),
      insert('signal', aSignal('w-1', { request_id: 'r-1', created_at: 80 })),
      insert('signal', aSignal('w-2', { request_id: 'r-2', created_at: 70 })),
      insert('signal', aSignal('w-3', { request_id: 'r-2', created_at: 90 })),
      insert('signal', aSignal('w-4', { request_id: 'r-3', applied: true })),
      insert('signal', aSignal('w-5', { request_id: 'absent' })),
      insert('signal', aSignal('w-6', { request_id: 'r-4', created_at: 90 })),
    ]);
    assert.deepEqual(ids(await store.claim(aBroker(), 9, 1_000)), ['r-4', 'r-2', 'r-1']);
    assert.deepEqual(await store.claim(other, 9, 1_000), []);
  });

  check('what is held is not claimed, not even by its holder', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('request', aRequest('r-1'))]);
    await store.claim(aBroker(), 9, 1_000);
    assert.deepEqual(await store.claim(other, 9, 1_000), []);
    assert.deepEqual(await store.claim(aBroker(), 9, 1_000), []);
  });

  check('many brokers at once: each request goes to one of them', async (ending) => {
    const { store, open } = await opened(ending);
    const stores = shared ? [store, await open(), await open()] : [store, store, store];
    for (let i = 0; i < 60; i += 20) {
      await store.commit(Array.from({ length: 20 }, (_, j) => insert('request', aRequest(`r-${i + j}`))));
    }
    // Owners of other hosts: this process cannot know whether they are alive.
    const claimed = await Promise.all(
      Array.from({ length: 12 }, (_, i) => stores[i % 3]?.claim(aBroker({ host: `h-${i}` }), 7, 1_000) ?? []),
    );
    const all = claimed.flat();
    assert.equal(all.length, 60);
    assert.equal(new Set(ids(all)).size, 60);
    assert.ok(all.every((claim) => claim.epoch === 1 && !claim.taken_over));
    assert.ok(claimed.every((one) => one.length <= 7));
  });

  check('when the lease ends another broker takes over, and learns that the claim was not yielded', async (ending) => {
    const { store, time } = await opened(ending);
    await store.commit([insert('request', aRequest('r-1'))]);
    await store.claim(aBroker({ host: 'far' }), 1, 1_000);
    await time.pass(999);
    assert.deepEqual(await store.claim(other, 1, 1_000), []);
    await time.pass(1);
    assert.deepEqual(await store.claim(other, 1, 1_000), [{ request_id: 'r-1', epoch: 2, taken_over: true }]);
  });

  check('renew prolongs all claims of its broker alone, and returns those that it still holds', async (ending) => {
    const { store, time } = await opened(ending);
    await store.commit([1, 2, 3].map((i) => insert('request', aRequest(`r-${i}`, { next_at: i }))));
    const mine = await store.claim(aBroker(), 2, 1_000);
    await store.claim(other, 1, 1_000);
    await time.pass(600);
    const { claims: held } = await store.renew(aBroker(), 1_000);
    assert.deepEqual(new Set(ids(held)), new Set(ids(mine)));
    assert.ok(held.every((each) => each.epoch === 1));
    assert.deepEqual((await store.renew(aBroker({ host: 'new' }), 1_000)).claims, []);
    await time.pass(600);
    assert.deepEqual(ids(await store.claim(aBroker({ host: 'far' }), 9, 1_000)), ['r-3']);
    assert.deepEqual((await store.renew(other, 1_000)).claims, []);
    await time.pass(400);
    assert.deepEqual((await store.renew(aBroker(), 1_000)).claims, [], 'the lease has ended');
  });

  check('what was yielded can be claimed at once, and was not taken over', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('request', aRequest('r-1'))]);
    const first = await store.claim(aBroker(), 1, 1_000);
    await store.yield(first);
    assert.deepEqual((await store.renew(aBroker(), 1_000)).claims, []);
    assert.deepEqual(await store.claim(other, 1, 1_000), [{ request_id: 'r-1', epoch: 2, taken_over: false }]);
    await store.yield([...first, { request_id: 'absent', epoch: 1 }]);
    assert.deepEqual(await store.claim(aBroker(), 1, 1_000), [], 'a stale yield is ignored');
  });

  const gone: readonly (readonly [string, object, object])[] = [
    ['whose process has ended', { pid: deadPid }, {}],
    ['whose pid was given to this process', { started: 0 }, {}],
    ['of an earlier thread of this process', { thread: 1 }, { thread: 2 }],
  ];
  for (const [name, holder, by] of gone) {
    check(`the lease of a broker ${name} counts as ended`, async (ending) => {
      const { store } = await opened(ending);
      await store.commit([insert('request', aRequest('r-1')), insert('request', aRequest('r-2'))]);
      await store.claim(aBroker(holder), 2, 1_000);
      assert.deepEqual(await store.claim(aBroker(by), 1, 1_000), [{ request_id: 'r-1', epoch: 2, taken_over: true }]);
    });
  }

  const alive: readonly (readonly [string, object, object])[] = [
    ['of another host', { host: 'far', pid: deadPid }, {}],
    ['of another boot', { pid: deadPid, boot: 'b0' }, {}],
    ['of another namespace of pids', { pid: deadPid, pid_namespace: 'pid:[1]' }, { pid_namespace: 'pid:[2]' }],
    ['whose process runs', { pid: process.ppid }, {}],
    ['of a later thread of this process', { thread: 2 }, { thread: 1 }],
  ];
  for (const [name, holder, by] of alive) {
    check(`the lease of a broker ${name} runs on`, async (ending) => {
      const { store } = await opened(ending);
      await store.commit([insert('request', aRequest('r-1'))]);
      await store.claim(aBroker(holder), 1, 1_000);
      assert.deepEqual(await store.claim(aBroker(by), 1, 1_000), []);
    });
  }

  check('a put keeps the claim, a delete ends it', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('request', aRequest('r-1'))]);
    const [claim] = (await store.claim(aBroker(), 1, 1_000)) as [Claim];
    await store.commit([
      { op: 'fence', request_id: 'r-1', epoch: claim.epoch },
      { op: 'put', kind: 'request', record: aRequest('r-1') },
    ]);
    assert.deepEqual(await store.claim(other, 1, 1_000), []);
    assert.equal((await store.renew(aBroker(), 1_000)).claims.length, 1);
    await store.commit([{ op: 'delete', kind: 'request', key: { request_id: 'r-1' } }]);
    assert.deepEqual((await store.renew(aBroker(), 1_000)).claims, []);
    await store.commit([insert('request', aRequest('r-1'))]);
    assert.deepEqual(await store.claim(other, 1, 1_000), [{ request_id: 'r-1', epoch: 1, taken_over: false }]);
  });
}
