import assert from 'node:assert/strict';
import type { Store } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aBroker, aRequest, deadPid, insert } from '../records.ts';

const statuses = async (store: Store) =>
  (await store.brokers()).map(({ host, status, holds }) => [host, status, holds] as const);

/** The contract of `renew`, `leave` and `brokers`: the leases of brokers. */
export function checkLeases({ check, opened }: Contract): void {
  check(
    'a broker that joined is listed as it described itself last, with its lease and its claims',
    async (ending) => {
      const { store, time } = await opened(ending);
      assert.deepEqual(await store.brokers(), []);
      const joined = aBroker({ serves: [{ name: 'east', type: 'cloud' }], address: 'http://here:1' });
      assert.deepEqual(await store.renew(joined, 1_000), { claims: [], surplus: [], live: [joined] });
      await store.commit([insert('request', aRequest('r-1'))]);
      await store.claim(joined, 9, 1_000);
      await time.pass(400);
      const told = { ...joined, serves: [{ name: 'east', type: 'cloud', identity: 'account 1' }] };
      await store.renew(told, 1_000);
      assert.deepEqual(await store.brokers(), [{ ...told, lease_until: time.now + 1_000, status: 'live', holds: 1 }]);
      await store.renew({ ...told, draining: true }, 1_000);
      assert.deepEqual(await statuses(store), [['here', 'draining', 1]]);
    },
  );

  check('a renewal returns the records of the brokers that live', async (ending) => {
    const { store, time } = await opened(ending);
    const far = aBroker({ host: 'far', serves: [{ name: 'east', type: 'cloud' }] });
    await store.renew(far, 1_000);
    const replaced = { ...aBroker(), thread: 2 };
    await store.renew(aBroker(), 60_000);
    assert.deepEqual((await store.renew(replaced, 60_000)).live, [far, replaced]);
    await time.pass(1_000);
    assert.deepEqual((await store.renew(replaced, 60_000)).live, [replaced]);
    await store.renew(far, 1_000);
    await store.leave(far);
    assert.deepEqual((await store.renew(replaced, 60_000)).live, [replaced]);
  });

  check('a broker is dead when its lease ended, and is listed for ten minutes after', async (ending) => {
    const { store, time } = await opened(ending);
    await store.renew(aBroker({ host: 'far' }), 1_000);
    await time.pass(999);
    assert.deepEqual(await statuses(store), [['far', 'live', 0]]);
    await time.pass(1);
    assert.deepEqual(await statuses(store), [['far', 'dead', 0]]);
    // Another broker finds that the lease ended.
    await store.renew(aBroker(), 600_000);
    await store.claim(aBroker(), 1, 600_000);
    await time.pass(590_000);
    assert.deepEqual(await statuses(store), [
      ['far', 'dead', 0],
      ['here', 'live', 0],
    ]);
    await time.pass(9_999);
    await store.renew(aBroker(), 600_000);
    await time.pass(10_000);
    assert.deepEqual(await statuses(store), [['here', 'live', 0]]);
  });

  check(
    'a broker that leaves is listed no longer, and what it did not yield is taken over at once',
    async (ending) => {
      const { store, time } = await opened(ending);
      const far = aBroker({ host: 'far' });
      await store.commit([insert('request', aRequest('r-1'))]);
      // A lease that ended before is not listed either.
      await store.renew(far, 1_000);
      await time.pass(1_000);
      await store.renew(far, 60_000);
      await store.claim(far, 1, 60_000);
      await store.leave(far);
      assert.deepEqual(await store.brokers(), []);
      assert.deepEqual(await store.claim(aBroker(), 1, 60_000), [{ request_id: 'r-1', epoch: 2, taken_over: true }]);
      await assert.doesNotReject(store.leave(far), 'A broker leaves twice.');
    },
  );

  check('a lease that ended is not renewed: the broker begins a new one, without its claims', async (ending) => {
    const { store, time } = await opened(ending);
    const far = aBroker({ host: 'far' });
    await store.commit([insert('request', aRequest('r-1'))]);
    await store.claim(far, 1, 1_000);
    await time.pass(1_000);
    assert.deepEqual((await store.renew(far, 1_000)).claims, []);
    assert.deepEqual(await statuses(store), [['far', 'live', 0]]);
    assert.deepEqual(await store.claim(far, 1, 1_000), [{ request_id: 'r-1', epoch: 2, taken_over: true }]);
  });

  check('a later thread of a process is the same broker, and its earlier thread is not listed', async (ending) => {
    const { store } = await opened(ending);
    await store.renew(aBroker({ host: 'far', thread: 1 }), 60_000);
    await store.renew(aBroker({ host: 'far', thread: 2 }), 60_000);
    const [listed, ...more] = await store.brokers();
    assert.deepEqual([listed?.thread, more], [2, []]);
  });

  check('a dead broker does not come back by a late renewal of its claims', async (ending) => {
    const { store } = await opened(ending);
    const dead = aBroker({ pid: deadPid });
    await store.commit([insert('request', aRequest('r-1'))]);
    await store.claim(dead, 1, 60_000);
    assert.equal((await store.claim(aBroker(), 1, 60_000)).length, 1);
    assert.deepEqual((await store.renew(dead, 60_000)).claims, []);
    assert.equal((await store.renew(aBroker(), 60_000)).claims.length, 1);
  });
}
