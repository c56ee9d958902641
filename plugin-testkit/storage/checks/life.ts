import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import type { Kind } from '../../../core/index.ts';
import { assertRefused } from '../assert-refused.ts';
import type { Contract } from '../contract.ts';
import { aMachine, aBroker, aRequest, aSignal, insert } from '../records.ts';
import { eventually } from '../eventually.ts';

/** The contract of `watch`, `ready` and `close`. */
export function checkLife({ check, opened }: Contract): void {
  check(
    'a watcher is notified of its own store’s commits, after the call and with exactly their kinds',
    async (ending) => {
      const { store } = await opened(ending);
      await store.commit([insert('request', aRequest('r-0'))]);
      await after(20);
      const heard: Kind[][] = [];
      using _watch = store.watch((kinds) => heard.push([...kinds].toSorted()));
      const committed = store.commit([insert('request', aRequest('r-1')), insert('machine', aMachine('m-1'))]);
      assert.deepEqual(heard, []);
      await committed;
      assert.ok(await eventually(() => heard.length > 0));
      await store.commit([insert('request', aRequest('r-1'))]).catch(() => {});
      await after(300);
      assert.deepEqual(heard, [['machine', 'request']]);
    },
  );

  check('a watcher that is disposed of is no longer notified', async (ending) => {
    const { store } = await opened(ending);
    let heard = 0;
    let others = 0;
    const watch = store.watch(() => (heard += 1));
    using _other = store.watch(() => (others += 1));
    watch[Symbol.dispose]();
    await store.commit([insert('signal', aSignal('w-1'))]);
    assert.ok(await eventually(() => others > 0));
    assert.equal(heard, 0);
  });

  check('a watcher that fails does not prevent the notification of others', async (ending) => {
    const { store } = await opened(ending);
    let heard = 0;
    using _bad = store.watch(() => {
      throw new Error('bad');
    });
    using _good = store.watch(() => (heard += 1));
    await store.commit([insert('signal', aSignal('w-1'))]);
    assert.ok(await eventually(() => heard === 1));
  });

  check('the time of a storage with a clock of its own is that clock, whatever the caller has', async (ending) => {
    const { store, time } = await opened(ending);
    if (!store.now) return;
    assert.equal(await store.now(), time.now);
    await time.pass(5_000);
    assert.equal(await store.now(), time.now);
  });

  check('a storage that is ready can be written to, and one that is closed is not ready', async (ending) => {
    const { store } = await opened(ending);
    await store.ready?.();
    assert.equal(await store.count('request', {}), 0, 'asking whether it is ready changes nothing that is seen');
    await store.commit([insert('request', aRequest('r-1'))]);
    const before = await store.changes('request');
    await store.ready?.();
    assert.equal(await store.changes('request'), before);
    await store.close();
    if (store.ready) await assertRefused(store.ready(), 'UNAVAILABLE');
  });

  check('close waits for commits under way, may be called twice, and ends every method', async (ending) => {
    const { store } = await opened(ending);
    const last = store.commit([insert('request', aRequest('r-1'))]);
    const closed = store.close();
    await last;
    await closed;
    await assert.doesNotReject(store.close(), 'It is closed twice.');
    await assertRefused(store.get('request', { request_id: 'r-1' }), 'UNAVAILABLE');
    await assertRefused(store.find('request', {}), 'UNAVAILABLE');
    await assertRefused(store.count('request', {}), 'UNAVAILABLE');
    await assertRefused(store.versions({}), 'UNAVAILABLE');
    await assertRefused(store.commit([]), 'UNAVAILABLE');
    await assertRefused(store.claim(aBroker(), 1, 1), 'UNAVAILABLE');
    await assertRefused(store.renew(aBroker(), 1), 'UNAVAILABLE');
    await assertRefused(store.yield([]), 'UNAVAILABLE');
    if (store.now) await assertRefused(store.now(), 'UNAVAILABLE');
    assert.throws(() => store.watch(() => {}), { message: /closed/ });
  });
}
