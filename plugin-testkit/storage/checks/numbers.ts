import assert from 'node:assert/strict';
import type { Change } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aSignal, insert } from '../records.ts';
import { assertRefused } from '../assert-refused.ts';

const fact = { topic: 'terms', name: 'r-1', item: '' };
const check = (numbers: Readonly<Record<string, number>>): Change => ({ op: 'check', fact, numbers });
const add = (amounts: Readonly<Record<string, number>>): Change => ({
  op: 'add',
  kind: 'fact',
  key: fact,
  amounts,
  at: 1,
});

/** The contract of the change `check`. */
export function checkNumbers({ check: test, opened, shared }: Contract): void {
  test('check compares the numbers of a fact before the commit, an absent one as 0', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([check({ n: 0, m: 0 }), insert('signal', aSignal('s-1'))]);
    await assertRefused(store.commit([check({ n: 1 }), insert('signal', aSignal('s-2'))]), 'CONFLICT');
    await store.commit([add({ n: 1 }), check({ n: 0 })]);
    await store.commit([check({ n: 1, m: 0 }), add({ n: 1, m: 5 })]);
    await assertRefused(store.commit([check({ n: 2, m: 4 })]), 'CONFLICT');
    await assertRefused(store.commit([insert('signal', aSignal('s-3')), check({ n: 1 })]), 'CONFLICT');
    await store.commit([check({ n: 2, m: 5 }), insert('signal', aSignal('s-4'))]);
    assert.equal(await store.count('signal', {}), 2);
  });

  test('check of a fact that no number stands in compares with 0, and changes nothing', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([{ op: 'put', kind: 'fact', record: { ...fact, value: { said: 'n' }, at: 1 } }]);
    const before = await store.changes('fact');
    await store.commit([check({ n: 0 })]);
    await assertRefused(store.commit([check({ n: 1 })]), 'CONFLICT');
    assert.equal(await store.changes('fact'), before);
  });

  test('check with add lets one of many commits through for each number', async (ending) => {
    const { store, open } = await opened(ending);
    const stores = [store, shared ? await open() : store];
    for (let n = 0; n < 5; n += 1) {
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => stores[i % 2]?.commit([check({ n }), add({ n: 1 })])),
      );
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    }
    assert.deepEqual((await store.get('fact', fact))?.value, { n: 5 });
  });

  test('of a commit that checks and one that adds, each sees the other or comes first', async (ending) => {
    const { store, open } = await opened(ending);
    const other = shared ? await open() : store;
    for (let n = 0; n < 30; n += 1) {
      const ends = store.commit([check({ n }), insert('signal', aSignal(`end-${n}`))]).then(
        () => true,
        () => false,
      );
      // Commits with a check exclude each other, so whoever comes second sees what the first one wrote.
      await other.commit([check({ n }), add({ n: 1 })]);
      const seen = await other.get('signal', { signal_id: `end-${n}` });
      const late = await store.commit([check({ n }), insert('signal', aSignal(`late-${n}`))]).then(
        () => true,
        () => false,
      );
      assert.equal(late, false);
      assert.equal(await ends, seen !== undefined);
    }
  });
}
