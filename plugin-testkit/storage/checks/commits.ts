import assert from 'node:assert/strict';
import type { Contract } from '../contract.ts';
import { aMachine, anAttempt, anEvent, aRequest, aSignal, insert } from '../records.ts';
import { assertRefused } from '../assert-refused.ts';

/** The contract of `Store.commit`, and of `insert`, `put` and `delete` in it. */
export function checkCommits({ check, opened }: Contract): void {
  check('what was inserted is read back whole', async (ending) => {
    const { store } = await opened(ending);
    const request = aRequest('r-1', {
      tags: { a: 'ä' },
      additional_data: { deep: [{ x: null }] },
      message: "it's \u0000 fine",
    });
    await store.commit([insert('request', request), insert('machine', aMachine('m-1', { data: { zone: 'a' } }))]);
    assert.deepEqual(await store.get('request', { request_id: 'r-1' }), { ...request, version: 1 });
    assert.deepEqual(
      await store.get('machine', { provider_instance: 'east', machine_id: 'm-1' }),
      aMachine('m-1', { data: { zone: 'a' } }),
    );
    assert.equal(await store.get('request', { request_id: 'r-2' }), undefined);
  });

  check('each kind is kept under its whole key', async (ending) => {
    const { store } = await opened(ending);
    const fact = { topic: 'health', name: 'east', item: '', value: { ok: true }, at: 1 };
    const key = { scope: 's', key: 'k', fingerprint: 'f', request_id: 'r-1', created_at: 1 };
    const attempt = anAttempt(1, { token: 't-1', prepared: { value: null } });
    await store.commit([
      { op: 'insert', kind: 'fact', record: fact },
      { op: 'insert', kind: 'fact', record: { ...fact, name: 'west', until: 5 } },
      { op: 'insert', kind: 'key', record: key },
      { op: 'insert', kind: 'attempt', record: attempt },
      { op: 'insert', kind: 'attempt', record: anAttempt(2, { token: 't-2' }) },
    ]);
    assert.deepEqual(await store.get('fact', { topic: 'health', name: 'east', item: '' }), fact);
    assert.equal((await store.get('fact', { topic: 'health', name: 'west', item: '' }))?.until, 5);
    assert.deepEqual(await store.get('key', { scope: 's', key: 'k' }), key);
    assert.deepEqual(await store.get('attempt', { request_id: 'r-1', attempt: 1 }), attempt);
    assert.deepEqual(
      (await store.find('attempt', { where: { token: 't-2' } })).map((each) => each.attempt),
      [2],
    );
  });

  check('what was given or read can be changed without changing what is stored', async (ending) => {
    const { store } = await opened(ending);
    const tags: Record<string, string> = { a: '1' };
    const committed = store.commit([insert('request', aRequest('r-1', { tags }))]);
    tags['a'] = '2';
    await committed;
    const read = await store.get('request', { request_id: 'r-1' });
    Object.assign(read?.tags ?? {}, { a: '3' });
    assert.deepEqual((await store.get('request', { request_id: 'r-1' }))?.tags, { a: '1' });
  });

  check('an insert of a key that is taken is refused with ALREADY_EXISTS', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('request', aRequest('r-1'))]);
    await assertRefused(store.commit([insert('request', aRequest('r-1', { message: 'other' }))]), 'ALREADY_EXISTS');
    assert.equal((await store.get('request', { request_id: 'r-1' }))?.message, '');
  });

  check('a commit is all or nothing', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('signal', aSignal('w-1'))]);
    await assertRefused(
      store.commit([
        insert('machine', aMachine('m-1')),
        { op: 'put', kind: 'signal', record: aSignal('w-1', { applied: true }) },
        { op: 'delete', kind: 'signal', key: { signal_id: 'w-1' } },
        insert('event', anEvent()),
        { op: 'fence', request_id: 'r-1', epoch: 0 },
      ]),
      'CONFLICT',
    );
    assert.equal(await store.count('machine', {}), 0);
    assert.equal(await store.count('event', {}), 0);
    assert.equal((await store.get('signal', { signal_id: 'w-1' }))?.applied, false);
  });

  check('a commit that is refused does not fail its neighbours', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('request', aRequest('r-0'))]);
    const results = await Promise.allSettled([
      store.commit([insert('request', aRequest('r-1')), insert('machine', aMachine('m-1'))]),
      store.commit([insert('machine', aMachine('m-2')), insert('request', aRequest('r-0'))]),
      store.commit([insert('request', aRequest('r-2')), insert('machine', aMachine('m-3'))]),
      store.commit([{ op: 'fence', request_id: 'r-2', epoch: 7 }, insert('machine', aMachine('m-4'))]),
      store.commit([insert('machine', aMachine('m-5'))]),
    ]);
    assert.deepEqual(
      results.map((each) => each.status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    );
    const machines = await store.find('machine', {});
    assert.deepEqual(
      machines.map((each) => each.machine_id),
      ['m-1', 'm-3', 'm-5'],
    );
  });

  check('changes apply in the order given', async (ending) => {
    const { store } = await opened(ending);
    const key = { signal_id: 'w-1' };
    await store.commit([
      insert('signal', aSignal('w-1')),
      { op: 'delete', kind: 'signal', key },
      insert('signal', aSignal('w-1', { applied: true })),
    ]);
    assert.ok((await store.get('signal', key))?.applied);
  });

  check('an empty commit resolves', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([]);
  });

  check('events get rising numbers, never used again, whatever they say', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('event', anEvent({ type: 'a', seq: 99 })), insert('event', anEvent({ type: 'b' }))]);
    const [a, b] = await store.find('event', {});
    assert.ok(a?.type === 'a' && b?.type === 'b' && a.seq < b.seq);
    await store.commit([{ op: 'delete', kind: 'event', key: { seq: b?.seq ?? 0 } }]);
    await store.commit([insert('event', anEvent({ type: 'c' }))]);
    const c = (await store.find('event', { where: { type: 'c' } }))[0];
    assert.ok((c?.seq ?? 0) > (b?.seq ?? 0));
    assert.deepEqual(await store.get('event', { seq: c?.seq ?? 0 }), c);
  });

  check('put inserts and replaces', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([{ op: 'put', kind: 'machine', record: aMachine('m-1', { name: 'one' }) }]);
    await store.commit([{ op: 'put', kind: 'machine', record: aMachine('m-1', { status: 'running' }) }]);
    assert.deepEqual(await store.find('machine', {}), [aMachine('m-1', { status: 'running' })]);
    assert.deepEqual(await store.find('machine', { where: { name: 'one' } }), []);
  });

  check('a machine that lives is never made one of another request: CONFLICT names both', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([
      { op: 'put', kind: 'machine', record: aMachine('m-1') },
      insert('machine', aMachine('m-2', { gone_at: 5 })),
    ]);
    const foreign = store.commit([
      insert('signal', aSignal('w-1')),
      { op: 'put', kind: 'machine', record: aMachine('m-1', { request_id: 'r-2', status: 'running' }) },
    ]);
    const error = await foreign.catch((reason: { readonly message?: string; readonly details?: unknown }) => reason);
    await assertRefused(foreign, 'CONFLICT');
    assert.match(error?.message ?? '', /r-1.*r-2|r-2.*r-1/);
    assert.deepEqual(error?.details, {
      provider_instance: 'east',
      machine_id: 'm-1',
      request_id: 'r-2',
      held_by: 'r-1',
    });
    assert.deepEqual(await store.get('machine', { provider_instance: 'east', machine_id: 'm-1' }), aMachine('m-1'));
    assert.equal(await store.count('signal', {}), 0);
    await store.commit([
      { op: 'put', kind: 'machine', record: aMachine('m-1', { provider_instance: 'west', request_id: 'r-2' }) },
    ]);
    await store.commit([{ op: 'put', kind: 'machine', record: aMachine('m-2', { request_id: 'r-2' }) }]);
    await store.commit([{ op: 'put', kind: 'machine', record: aMachine('m-1', { gone_at: 9 }) }]);
    await store.commit([{ op: 'put', kind: 'machine', record: aMachine('m-1', { request_id: 'r-2' }) }]);
    assert.deepEqual(
      (await store.find('machine', { where: { request_id: 'r-2' }, order: [['machine_id', 'asc']] })).map(
        (each) => each.machine_id,
      ),
      ['m-1', 'm-1', 'm-2'],
    );
  });

  check('an event is inserted, never put', async (ending) => {
    const { store } = await opened(ending);
    await assertRefused(store.commit([{ op: 'put', kind: 'event', record: anEvent() }]), 'INTERNAL');
    assert.equal(await store.count('event', {}), 0);
  });
}
