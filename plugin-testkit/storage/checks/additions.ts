import assert from 'node:assert/strict';
import type { Change } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { assertRefused } from '../assert-refused.ts';

const key = { topic: 'statistics', name: 'east', item: '' };
const add = (amounts: Readonly<Record<string, number>>, at = 1): Change => ({
  op: 'add',
  kind: 'fact',
  key,
  amounts,
  at,
});

/** The contract of the change `add`. */
export function checkAdditions({ check, opened, shared }: Contract): void {
  check('add adds to the numbers of a fact, and begins at nothing', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([add({ asked: 2, took_ms: 0.5 })]);
    assert.deepEqual(await store.get('fact', key), { ...key, value: { asked: 2, took_ms: 0.5 }, at: 1 });
    await store.commit([add({ asked: 3, lost: -1 }, 7)]);
    await store.commit([add({ asked: 1 }, 5)]);
    assert.deepEqual(await store.get('fact', key), { ...key, value: { asked: 6, took_ms: 0.5, lost: -1 }, at: 7 });
    assert.equal(await store.count('fact', {}), 1);
  });

  check('add leaves what else a fact says, and counts as a change of facts', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([
      { op: 'put', kind: 'fact', record: { ...key, value: { said: 'ä', deep: { n: 1 } }, at: 1, until: 9 } },
    ]);
    const before = await store.changes('fact');
    await store.commit([add({ asked: 1 })]);
    assert.deepEqual(await store.get('fact', key), {
      ...key,
      value: { said: 'ä', deep: { n: 1 }, asked: 1 },
      at: 1,
      until: 9,
    });
    assert.ok((await store.changes('fact')) > before);
    assert.equal(await store.count('fact', { until: 9 }), 1);
  });

  check('a commit that is refused adds nothing', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([add({ asked: 1 })]);
    await assertRefused(
      store.commit([add({ asked: 1 }), { op: 'fence', request_id: 'absent', epoch: 0 }]),
      'CONFLICT',
    );
    assert.deepEqual((await store.get('fact', key))?.value, { asked: 1 });
  });

  check('many add at once: nothing is lost', async (ending) => {
    const { store, open } = await opened(ending);
    const stores = [store, shared ? await open() : store];
    await Promise.all(Array.from({ length: 100 }, (_, i) => stores[i % 2]?.commit([add({ asked: 1, took_ms: i })])));
    assert.deepEqual((await store.get('fact', key))?.value, { asked: 100, took_ms: 4_950 });
  });

  check('what is added is a number, under a plain name', async (ending) => {
    const { store } = await opened(ending);
    await assertRefused(store.commit([add({ asked: Number.NaN })]), 'INTERNAL');
    await assertRefused(store.commit([add({ 'a"b.c': 1 })]), 'INTERNAL');
    assert.equal(await store.get('fact', key), undefined);
  });
}
