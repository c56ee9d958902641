import assert from 'node:assert/strict';
import { aMachine, anAttempt, aBroker, aRequest, aTemplate, aSignal, insert } from '../records.ts';
import type { Contract } from '../contract.ts';
import { started } from './started.ts';
import { snapshot } from '../snapshot.ts';
import type { StorageSubject } from '../subject.ts';

/** Checks of data that outlives a store object and its process. */
export function checkDurability({ when, opened }: Contract, { durable = true, module, type }: StorageSubject): void {
  const lasting = durable || undefined;
  const elsewhere = durable && module !== undefined ? { module: String(module), type } : undefined;
  const lacks = durable ? 'the `module` of the plugin, for another process' : 'a storage that is durable';

  when(
    lasting,
    lacks,
    'what was committed is there after a reopen: records, versions, claims and numbers',
    async (_, ending) => {
      const { store, open } = await opened(ending);
      await store.commit([insert('request', aRequest('r-1')), insert('event', { at: 1, type: 'a', data: {} })]);
      await store.claim(aBroker({ host: 'far' }), 1, 1_000);
      await store.close();
      const reopened = await open();
      assert.deepEqual(
        await reopened.get('request', { request_id: 'r-1' }),
        aRequest('r-1', { version: 1, epoch: 1 }),
      );
      assert.deepEqual(await reopened.claim(aBroker(), 1, 1_000), []);
      await reopened.commit([insert('event', { at: 1, type: 'b', data: {} })]);
      assert.deepEqual(
        (await reopened.find('event', {})).map((each) => each.type),
        ['a', 'b'],
      );
      assert.equal(await reopened.count('request', { status: 'pending' }), 1);
    },
  );

  when(lasting, lacks, 'every kind is the same after a reopen, and what was deleted stays away', async (_, ending) => {
    const { store, open } = await opened(ending);
    await store.commit([
      insert('request', aRequest('r-1', { additional_data: { 'ä"\n': [null, 1.5, { deep: true }] } })),
      insert('request', aRequest('r-2')),
      { op: 'insert', kind: 'attempt', record: anAttempt(1, { prepared: { value: null } }) },
      insert('machine', aMachine('m-1', { data: { zone: 'a' } })),
      insert('signal', aSignal('w-1')),
      insert('template', aTemplate('small')),
      {
        op: 'insert',
        kind: 'key',
        record: { scope: 's', key: 'k', fingerprint: 'f', request_id: 'r-1', created_at: 1 },
      },
      { op: 'insert', kind: 'fact', record: { topic: 'health', name: 'east', item: '', value: { ok: true }, at: 1 } },
      insert('event', { at: 1, type: 'a', data: { b: [1] } }),
    ]);
    await store.commit([
      { op: 'delete', kind: 'request', key: { request_id: 'r-2' } },
      { op: 'update', kind: 'template', record: aTemplate('small', { fields: { a: 1 } }), version: 1 },
    ]);
    const before = await snapshot(store);
    await store.close();
    assert.deepEqual(await snapshot(await open()), before);
  });

  when(
    elsewhere,
    lacks,
    'an acknowledged commit is complete after the process is killed (SIGKILL)',
    async (plugin, ending) => {
      const { store, options, open } = await opened(ending);
      await store.close();
      for (const name of ['a', 'b', 'c']) {
        const process = started({ ...plugin, options, name, act: 'once', times: 0 }, ending);
        assert.equal(await process.end, 'SIGKILL', process.said());
        assert.equal(process.lines().at(-1), name, 'The process ended before its commit was answered.');
      }
      const reopened = await open();
      assert.deepEqual(
        (await reopened.find('request', {})).map((each) => each.request_id),
        ['a', 'b', 'c'],
      );
      assert.deepEqual(
        (await reopened.find('machine', {})).map((each) => each.machine_id),
        ['a', 'b', 'c'],
      );
      assert.deepEqual(
        (await reopened.find('event', {})).map((each) => each.type),
        ['a', 'b', 'c'],
      );
      assert.equal(await reopened.count('request', { status: 'pending' }), 3);
    },
  );

  when(
    elsewhere,
    lacks,
    'after a kill (SIGKILL) amid commits everything that was acknowledged is there, and every commit whole or not at all',
    async (plugin, ending) => {
      const { store, options, open } = await opened(ending);
      await store.close();
      for (const name of ['a', 'b', 'c']) {
        const process = started({ ...plugin, options, name, act: 'forever', times: 0 }, ending);
        await process.until((lines) => lines.length > 100);
        process.kill();
        await process.end;
        const reopened = await open();
        const stored = new Set((await reopened.find('request', {})).map((each) => each.request_id));
        const events = (await reopened.find('event', {})).map((each) => each.type);
        assert.deepEqual(
          process.lines().filter((id) => !stored.has(id)),
          [],
          'These were acknowledged and are lost.',
        );
        assert.deepEqual(events.toSorted(), [...stored].toSorted(), 'A commit is there whole or not at all.');
        assert.equal(await reopened.count('request', {}), stored.size);
        await reopened.close();
      }
    },
  );

  when(
    elsewhere,
    lacks,
    'a store that is open and watched does not keep its process alive',
    async (plugin, ending) => {
      const { store, options } = await opened(ending);
      await store.close();
      const process = started({ ...plugin, options, name: 'p', act: 'leave', times: 0 }, ending);
      assert.equal(await process.end, 0, process.said());
    },
  );
}
