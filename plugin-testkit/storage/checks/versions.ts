import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import type { Change } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aMachine, aBroker, aRequest, aTemplate, insert } from '../records.ts';
import { assertRefused } from '../assert-refused.ts';

const fence = (request_id: string, epoch: number): Change => ({ op: 'fence', request_id, epoch });
const putRequest = (record: ReturnType<typeof aRequest>): Change => ({ op: 'put', kind: 'request', record });

const updateSmall = (fields: Record<string, unknown>): Change => ({
  op: 'update',
  kind: 'template',
  record: aTemplate('small', { fields }),
  version: 1,
});
const removeSmall = (version: number): Change => ({
  op: 'delete',
  kind: 'template',
  key: { template_id: 'small' },
  version,
});

/** Checks of versions and fences: no write replaces a version that its writer did not read. */
export function checkVersions({ check, opened }: Contract): void {
  check('put raises the version of a template by one, whatever the record says', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([{ op: 'put', kind: 'template', record: aTemplate('small', { version: 70 }) }]);
    assert.equal((await store.get('template', { template_id: 'small' }))?.version, 1);
    await store.commit([{ op: 'put', kind: 'template', record: aTemplate('small', { version: 70 }) }]);
    assert.equal((await store.get('template', { template_id: 'small' }))?.version, 2);
  });

  check('a request is put only in a commit that carries its fence', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('request', aRequest('r-1')), insert('request', aRequest('r-2'))]);
    await assertRefused(store.commit([putRequest(aRequest('r-1'))]), 'INTERNAL');
    await assertRefused(store.commit([fence('r-2', 0), putRequest(aRequest('r-1'))]), 'INTERNAL');
  });

  check(
    'a put under its fence raises the version by one and leaves the epoch, whatever the record says',
    async (ending) => {
      const { store } = await opened(ending);
      await store.commit([insert('request', aRequest('r-1', { version: 50, epoch: 50 }))]);
      const [claim] = await store.claim(aBroker(), 1, 1_000);
      await store.commit([
        fence('r-1', claim?.epoch ?? -1),
        putRequest(aRequest('r-1', { status: 'in_progress', version: 9, epoch: 9 })),
      ]);
      const read = await store.get('request', { request_id: 'r-1' });
      assert.deepEqual([read?.status, read?.version, read?.epoch], ['in_progress', 2, 1]);
      assert.deepEqual(await store.versions({}), [{ request_id: 'r-1', version: 2 }]);
    },
  );

  check('a commit under another epoch than the present one is refused with CONFLICT', async (ending) => {
    const { store, time } = await opened(ending);
    await store.commit([insert('request', aRequest('r-1'))]);
    await store.commit([fence('r-1', 0), insert('machine', aMachine('m-0'))]);
    const [first] = await store.claim(aBroker(), 1, 1_000);
    await time.pass(2_000);
    const [second] = await store.claim(aBroker({ started: 2, pid: 1 }), 1, 1_000);
    assert.deepEqual([first?.epoch, second?.epoch], [1, 2]);
    for (const epoch of [0, 1, 3]) {
      await assertRefused(store.commit([fence('r-1', epoch), insert('machine', aMachine('m-1'))]), 'CONFLICT');
      await assertRefused(store.commit([fence('r-1', epoch), putRequest(aRequest('r-1'))]), 'CONFLICT');
    }
    await store.commit([fence('r-1', 2), putRequest(aRequest('r-1', { message: 'second' }))]);
    assert.equal((await store.get('request', { request_id: 'r-1' }))?.message, 'second');
    await assertRefused(store.commit([fence('absent', 0)]), 'CONFLICT');
    await assertRefused(store.commit([fence('absent', 0), putRequest(aRequest('absent'))]), 'CONFLICT');
  });

  check('a stale holder gets CONFLICT even if the inserted record exists by now', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('request', aRequest('r-1')), insert('machine', aMachine('m-1'))]);
    await assertRefused(store.commit([fence('r-1', 4), insert('machine', aMachine('m-1'))]), 'CONFLICT');
  });

  check('update replaces what was read, once', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([
      { op: 'insert', kind: 'template', record: aTemplate('small') },
      insert('request', aRequest('r-1')),
    ]);
    const results = await Promise.allSettled([
      store.commit([updateSmall({ a: 1 })]),
      store.commit([updateSmall({ a: 2 })]),
    ]);
    assert.deepEqual(
      results.map((each) => each.status),
      ['fulfilled', 'rejected'],
    );
    assert.deepEqual(
      await store.get('template', { template_id: 'small' }),
      aTemplate('small', { fields: { a: 1 }, version: 2 }),
    );
    await store.commit([
      { op: 'update', kind: 'request', record: aRequest('r-1', { message: 'new', epoch: 8 }), version: 1 },
    ]);
    assert.deepEqual(
      await store.get('request', { request_id: 'r-1' }),
      aRequest('r-1', { message: 'new', version: 2 }),
    );
    await assertRefused(
      store.commit([{ op: 'update', kind: 'template', record: aTemplate('absent'), version: 1 }]),
      'CONFLICT',
    );
  });

  check('delete removes, ignores absent records, and checks the version that was read', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('template', aTemplate('small')), insert('machine', aMachine('m-1'))]);
    await store.commit([{ op: 'delete', kind: 'machine', key: { provider_instance: 'east', machine_id: 'm-1' } }]);
    await store.commit([{ op: 'delete', kind: 'machine', key: { provider_instance: 'east', machine_id: 'm-1' } }]);
    assert.equal(await store.count('machine', {}), 0);
    await assertRefused(store.commit([removeSmall(2)]), 'CONFLICT');
    await store.commit([removeSmall(1)]);
    await store.commit([removeSmall(1)]);
    assert.equal(await store.get('template', { template_id: 'small' }), undefined);
  });

  check('commits at once under one version: one wins', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('template', aTemplate('small', { fields: { n: 0 } }))]);
    const raise = async (): Promise<void> => {
      const read = await store.get('template', { template_id: 'small' });
      if (!read) return;
      const record = { ...read, fields: { n: Number(read.fields['n']) + 1 } };
      await store.commit([{ op: 'update', kind: 'template', record, version: read.version }]).catch(async () => {
        await after(1);
        return raise();
      });
    };
    await Promise.all(Array.from({ length: 20 }, raise));
    assert.deepEqual(
      await store.get('template', { template_id: 'small' }),
      aTemplate('small', { fields: { n: 20 }, version: 21 }),
    );
  });
}
