import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import type { Kind, Store } from '../../../core/index.ts';
import type { Contract, OpenedStorage } from '../contract.ts';
import { aMachine, aBroker, aRequest, aSignal, insert } from '../records.ts';
import { assertRefused } from '../assert-refused.ts';
import { eventually } from '../eventually.ts';

const lacks = 'a storage that is shared';

/** Checks of several store objects on one storage. */
export function checkSharing({ when, opened, shared }: Contract): void {
  const two = (sentence: string, body: (stores: OpenedStorage & { readonly other: Store }) => Promise<void>) =>
    when(shared || undefined, lacks, sentence, async (_, ending) => {
      const staged = await opened(ending);
      await body({ ...staged, other: await staged.open() });
    });

  two(
    'another store sees a commit as soon as it has resolved, and its watcher is notified of exactly its kinds, once',
    async ({ store, other }) => {
      const heard: Kind[][] = [];
      using _watch = other.watch((kinds) => heard.push([...kinds].toSorted()));
      await store.commit([insert('machine', aMachine('m-1')), insert('signal', aSignal('w-1'))]);
      assert.ok(await other.get('signal', { signal_id: 'w-1' }));
      assert.equal(await other.count('machine', {}), 1);
      assert.ok(await eventually(() => heard.length > 0), 'The watcher heard nothing within a second.');
      await after(300);
      assert.deepEqual(heard, [['machine', 'signal']]);
    },
  );

  two('the number of changes of a kind rises for a store when another one commits', async ({ store, other }) => {
    const [requests, machines] = [await other.changes('request'), await other.changes('machine')];
    await store.commit([insert('request', aRequest('r-1'))]);
    assert.ok((await other.changes('request')) > requests);
    assert.equal(await other.changes('machine'), machines);
    assert.equal(await store.changes('request'), await other.changes('request'), 'both tell the same number');
  });

  two(
    'what one store holds another one does not claim, and its fence is refused there',
    async ({ store, other, time }) => {
      await store.commit([insert('request', aRequest('r-1'))]);
      const [first] = await store.claim(aBroker({ host: 'far' }), 1, 1_000);
      assert.deepEqual(await other.claim(aBroker(), 1, 1_000), []);
      await time.pass(1_000);
      const [second] = await other.claim(aBroker(), 1, 1_000);
      assert.deepEqual(second, { request_id: 'r-1', epoch: 2, taken_over: true });
      await assertRefused(
        store.commit([
          { op: 'fence', request_id: 'r-1', epoch: first?.epoch ?? -1 },
          insert('machine', aMachine('m-1')),
        ]),
        'CONFLICT',
      );
      await store.yield([second]);
      assert.deepEqual((await other.renew(aBroker(), 1_000)).claims, []);
    },
  );

  two('a store that is closed takes nothing from the others', async ({ store, other }) => {
    await store.commit([insert('request', aRequest('r-1'))]);
    await store.close();
    await other.commit([insert('request', aRequest('r-2'))]);
    assert.equal(await other.count('request', {}), 2);
    assert.equal((await other.claim(aBroker(), 9, 1_000)).length, 2);
  });
}
