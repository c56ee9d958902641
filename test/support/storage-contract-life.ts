import { setTimeout as after } from 'node:timers/promises';
import type { Kind } from '../../core/index.ts';
import { refused } from './storage-contract-commits.ts';
import type { Contract } from './storage-contract.ts';
import { aMachine, anOwner, aRequest, aWish, insert } from './storage-records.ts';

/** Waits, a second at most, until it is so. */
export async function soon(holds: () => boolean): Promise<boolean> {
  const end = performance.now() + 1_000;
  while (!holds() && performance.now() < end) await after(5);
  return holds();
}

/** The contract of `watch` and `close`, and of what outlives them. */
export function checkLife({ test, stage }: Contract, shared: boolean): void {
  test('a watcher hears of its own store’s commits, after the call and with exactly their kinds', async (t) => {
    const { store } = await stage(t);
    await store.commit([insert('request', aRequest('r-0'))]);
    await after(20);
    const heard: Kind[][] = [];
    using _watch = store.watch((kinds) => heard.push([...kinds].toSorted()));
    const committed = store.commit([insert('request', aRequest('r-1')), insert('machine', aMachine('m-1'))]);
    t.deepEqual(heard, []);
    await committed;
    t.true(await soon(() => heard.length > 0));
    await store.commit([insert('request', aRequest('r-1'))]).catch(() => {});
    await after(300);
    t.deepEqual(heard, [['machine', 'request']]);
  });

  test('a watcher that is disposed of hears nothing more', async (t) => {
    const { store } = await stage(t);
    let heard = 0;
    let others = 0;
    const watch = store.watch(() => (heard += 1));
    using _other = store.watch(() => (others += 1));
    watch[Symbol.dispose]();
    await store.commit([insert('wish', aWish('w-1'))]);
    t.true(await soon(() => others > 0));
    t.is(heard, 0);
  });

  test('a watcher that fails does not keep the others from hearing', async (t) => {
    const { store } = await stage(t);
    let heard = 0;
    using _bad = store.watch(() => {
      throw new Error('bad');
    });
    using _good = store.watch(() => (heard += 1));
    await store.commit([insert('wish', aWish('w-1'))]);
    t.true(await soon(() => heard === 1));
  });

  test('close waits for commits under way, may be called twice, and ends every method', async (t) => {
    const { store } = await stage(t);
    const last = store.commit([insert('request', aRequest('r-1'))]);
    const closed = store.close();
    await last;
    await closed;
    await store.close();
    await refused(t, store.get('request', { request_id: 'r-1' }), 'UNAVAILABLE');
    await refused(t, store.find('request', {}), 'UNAVAILABLE');
    await refused(t, store.count('request', {}), 'UNAVAILABLE');
    await refused(t, store.versions({}), 'UNAVAILABLE');
    await refused(t, store.commit([]), 'UNAVAILABLE');
    await refused(t, store.claim(anOwner(), 1, 1), 'UNAVAILABLE');
    await refused(t, store.renew(anOwner(), 1), 'UNAVAILABLE');
    await refused(t, store.yield([]), 'UNAVAILABLE');
    t.throws(() => store.watch(() => {}), { message: /closed/ });
  });

  if (shared) checkSharing({ test, stage });
}

function checkSharing({ test, stage }: Contract): void {
  test('what was committed is there after a reopen: records, versions, claims and numbers', async (t) => {
    const { store, again } = await stage(t);
    await store.commit([insert('request', aRequest('r-1')), insert('event', { at: 1, type: 'a', data: {} })]);
    await store.claim(anOwner({ host: 'far' }), 1, 1_000);
    await store.close();
    const reopened = await again?.();
    t.deepEqual(await reopened?.get('request', { request_id: 'r-1' }), aRequest('r-1', { version: 1, epoch: 1 }));
    t.deepEqual(await reopened?.claim(anOwner(), 1, 1_000), []);
    await reopened?.commit([insert('event', { at: 1, type: 'b', data: {} })]);
    t.deepEqual(
      (await reopened?.find('event', {}))?.map((each) => each.type),
      ['a', 'b'],
    );
    t.is(await reopened?.count('request', { status: 'pending' }), 1);
  });

  test('another store sees a commit as soon as it has resolved, and its watcher hears of exactly its kinds, once', async (t) => {
    const { store, again } = await stage(t);
    const other = await again?.();
    const heard: Kind[][] = [];
    using _watch = other?.watch((kinds) => heard.push([...kinds].toSorted()));
    await store.commit([insert('machine', aMachine('m-1')), insert('wish', aWish('w-1'))]);
    t.truthy(await other?.get('wish', { wish_id: 'w-1' }));
    t.true(await soon(() => heard.length > 0));
    await after(300);
    t.deepEqual(heard, [['machine', 'wish']]);
  });
}
