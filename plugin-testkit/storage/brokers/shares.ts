import assert from 'node:assert/strict';
import { needsOf, type BrokerRecord, type Store } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aBroker, aRequest, insert } from '../records.ts';

const lease = 60_000;
/** A broker of another host, so that only its lease tells whether it is alive. */
const serving = (host: string, ...names: readonly string[]): BrokerRecord =>
  aBroker({ host, serves: names.map((name) => ({ name, type: 'cloud', identity: `account of ${name}` })) });
const east = needsOf([{ name: 'east', identity: 'account of east' }]);
const west = needsOf([{ name: 'west', identity: 'account of west' }]);

const requests = (count: number, needs: string | undefined, from = 0) =>
  Array.from({ length: count }, (_, i) =>
    insert('request', aRequest(`r-${from + i}`, needs === undefined ? {} : { needs })),
  );
const ids = (claims: readonly { readonly request_id: string }[]) => claims.map(({ request_id }) => request_id);

/** Claims until nothing more is given. */
async function all(store: Store, broker: BrokerRecord): Promise<string[]> {
  const claimed: string[] = [];
  for (;;) {
    const claims = await store.claim(broker, 200, lease);
    if (claims.length === 0) return claimed;
    claimed.push(...ids(claims));
  }
}

/** The contract of `claim` and `renew` with several live brokers: who gets which request. */
export function checkShares({ check, opened }: Contract): void {
  check('a broker does not claim what only another live broker can serve', async (ending) => {
    const { store } = await opened(ending);
    const [a, b] = [serving('a', 'east'), serving('b', 'west')];
    await store.renew(a, lease);
    await store.renew(b, lease);
    await store.commit([...requests(3, east), ...requests(2, west, 3)]);
    assert.deepEqual(await all(store, b), ['r-3', 'r-4']);
    assert.deepEqual(await all(store, a), ['r-0', 'r-1', 'r-2']);
  });

  check('an instance of the same name in another cloud does not serve a request', async (ending) => {
    const { store } = await opened(ending);
    const other = aBroker({ host: 'b', serves: [{ name: 'east', type: 'cloud', identity: 'another account' }] });
    await store.renew(serving('a', 'east'), lease);
    await store.renew(other, lease);
    await store.commit(requests(1, east));
    assert.deepEqual(await all(store, other), []);
    // A request without an order may still go to any cloud of that name.
    await store.commit(requests(1, needsOf([{ name: 'east' }]), 1));
    assert.deepEqual(await all(store, other), ['r-1']);
  });

  check('a request that no live broker can serve is claimed by any of them', async (ending) => {
    const { store, time } = await opened(ending);
    const [a, b] = [serving('a', 'east'), serving('b', 'west')];
    await store.renew(a, 1_000);
    await store.renew(b, lease);
    await store.commit(requests(1, east));
    assert.deepEqual(await all(store, b), []);
    await time.pass(1_000);
    assert.deepEqual(await all(store, b), ['r-0']);
  });

  check('a broker yields what it cannot serve as soon as another one can', async (ending) => {
    const { store } = await opened(ending);
    const [a, b] = [serving('a', 'east'), serving('b', 'west')];
    await store.commit([...requests(2, west), ...requests(2, east, 2)]);
    assert.equal((await all(store, b)).length, 4);
    assert.deepEqual((await store.renew(b, lease)).surplus, []);
    await store.renew(a, lease);
    assert.deepEqual((await store.renew(b, lease)).surplus.toSorted(), ['r-2', 'r-3']);
  });

  check('live brokers claim equal shares of what both can serve, however often they ask', async (ending) => {
    const { store } = await opened(ending);
    const brokers = [serving('a', 'east'), serving('b', 'east', 'west')] as const;
    for (const broker of brokers) await store.renew(broker, lease);
    await store.commit(requests(40, east));
    const held = [await all(store, brokers[1]), await all(store, brokers[0])];
    assert.equal(new Set(held.flat()).size, 40, 'Each request is claimed by one broker.');
    for (const mine of held) assert.ok(mine.length >= 15 && mine.length <= 25, `${mine.length} of 40`);
    for (const broker of brokers) assert.deepEqual((await store.renew(broker, lease)).surplus, []);
  });

  check('a broker above its share yields the rest, and does not claim it again', async (ending) => {
    const { store } = await opened(ending);
    const [a, b] = [serving('a', 'east'), serving('b', 'east')];
    await store.commit(requests(40, east));
    const claims = await store.claim(a, 200, lease);
    assert.deepEqual((await store.renew(a, lease)).surplus, []);
    await store.renew(b, lease);
    const { surplus } = await store.renew(a, lease);
    assert.equal(surplus.length, 20);
    await store.yield(claims.filter(({ request_id }) => surplus.includes(request_id)));
    assert.ok((await all(store, a)).length <= 5, 'It may claim a quarter above its share.');
    assert.ok((await all(store, b)).length >= 15);
  });

  check('a draining broker has no share, and a dead one none either', async (ending) => {
    const { store, time } = await opened(ending);
    const [a, b, c] = [serving('a', 'east'), serving('b', 'east'), serving('c', 'east')];
    await store.renew({ ...a, draining: true }, lease);
    await store.renew(b, 1_000);
    await time.pass(1_000);
    await store.renew(c, lease);
    await store.commit(requests(10, east));
    assert.equal((await all(store, c)).length, 10);
    assert.equal((await store.renew(c, lease)).surplus.length, 0);
  });
}
