import { setTimeout as after } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { isBrokerError, type Change, type Code } from '../../core/index.ts';
import type { Contract } from './storage-contract.ts';
import { aMachine, anAttempt, anEvent, anOwner, aRequest, aTemplate, aWish, insert } from './storage-records.ts';

/** The promise is refused with this code. */
export async function refused(t: ExecutionContext, promise: Promise<unknown>, code: Code): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  t.true(isBrokerError(error), `refused with ${code}, not ${error}`);
  t.is((error as { code?: unknown } | undefined)?.code, code);
}

const fence = (request_id: string, epoch: number): Change => ({ op: 'fence', request_id, epoch });
const putRequest = (record: ReturnType<typeof aRequest>): Change => ({ op: 'put', kind: 'request', record });

const updateSmall = (fields: Record<string, unknown>): Change => ({
  op: 'update',
  kind: 'template',
  record: aTemplate('small', { fields }),
  version: 1,
});
const removeSmall = (version: number): Change => ({ op: 'delete', kind: 'template', key: { template_id: 'small' }, version });

/** The contract of `Store.commit` and of each change. */
export function checkCommits({ test, stage }: Contract): void {
  test('what was inserted is read back whole', async (t) => {
    const { store } = await stage(t);
    const request = aRequest('r-1', { tags: { a: 'ä' }, additional_data: { deep: [{ x: null }] }, message: "it's \u0000 fine" });
    await store.commit([insert('request', request), insert('machine', aMachine('m-1', { data: { zone: 'a' } }))]);
    t.deepEqual(await store.get('request', { request_id: 'r-1' }), { ...request, version: 1 });
    t.deepEqual(await store.get('machine', { provider_instance: 'east', machine_id: 'm-1' }), aMachine('m-1', { data: { zone: 'a' } }));
    t.is(await store.get('request', { request_id: 'r-2' }), undefined);
  });

  test('each kind is kept under its whole key', async (t) => {
    const { store } = await stage(t);
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
    t.deepEqual(await store.get('fact', { topic: 'health', name: 'east', item: '' }), fact);
    t.is((await store.get('fact', { topic: 'health', name: 'west', item: '' }))?.until, 5);
    t.deepEqual(await store.get('key', { scope: 's', key: 'k' }), key);
    t.deepEqual(await store.get('attempt', { request_id: 'r-1', attempt: 1 }), attempt);
    t.deepEqual(
      (await store.find('attempt', { where: { token: 't-2' } })).map((each) => each.attempt),
      [2],
    );
  });

  test('what was given or read can be changed without changing what is stored', async (t) => {
    const { store } = await stage(t);
    const tags: Record<string, string> = { a: '1' };
    const committed = store.commit([insert('request', aRequest('r-1', { tags }))]);
    tags['a'] = '2';
    await committed;
    const read = await store.get('request', { request_id: 'r-1' });
    Object.assign(read?.tags ?? {}, { a: '3' });
    t.deepEqual((await store.get('request', { request_id: 'r-1' }))?.tags, { a: '1' });
  });

  test('an insert of a key that is taken is refused with ALREADY_EXISTS', async (t) => {
    const { store } = await stage(t);
    await store.commit([insert('request', aRequest('r-1'))]);
    await refused(t, store.commit([insert('request', aRequest('r-1', { message: 'other' }))]), 'ALREADY_EXISTS');
    t.is((await store.get('request', { request_id: 'r-1' }))?.message, '');
  });

  test('a commit is all or nothing', async (t) => {
    const { store } = await stage(t);
    await store.commit([insert('wish', aWish('w-1'))]);
    await refused(
      t,
      store.commit([
        insert('machine', aMachine('m-1')),
        { op: 'put', kind: 'wish', record: aWish('w-1', { absorbed: true }) },
        { op: 'delete', kind: 'wish', key: { wish_id: 'w-1' } },
        insert('event', anEvent()),
        fence('r-1', 0),
      ]),
      'CONFLICT',
    );
    t.is(await store.count('machine', {}), 0);
    t.is(await store.count('event', {}), 0);
    t.false((await store.get('wish', { wish_id: 'w-1' }))?.absorbed);
  });

  test('a commit that is refused does not fail its neighbours', async (t) => {
    const { store } = await stage(t);
    await store.commit([insert('request', aRequest('r-0'))]);
    const results = await Promise.allSettled([
      store.commit([insert('request', aRequest('r-1')), insert('machine', aMachine('m-1'))]),
      store.commit([insert('machine', aMachine('m-2')), insert('request', aRequest('r-0'))]),
      store.commit([insert('request', aRequest('r-2')), insert('machine', aMachine('m-3'))]),
      store.commit([fence('r-2', 7), insert('machine', aMachine('m-4'))]),
      store.commit([insert('machine', aMachine('m-5'))]),
    ]);
    t.deepEqual(
      results.map((each) => each.status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    );
    const machines = await store.find('machine', {});
    t.deepEqual(
      machines.map((each) => each.machine_id),
      ['m-1', 'm-3', 'm-5'],
    );
  });

  test('changes apply in the order given', async (t) => {
    const { store } = await stage(t);
    const key = { wish_id: 'w-1' };
    await store.commit([
      insert('wish', aWish('w-1')),
      { op: 'delete', kind: 'wish', key },
      insert('wish', aWish('w-1', { absorbed: true })),
    ]);
    t.true((await store.get('wish', key))?.absorbed);
  });

  test('an empty commit resolves', async (t) => {
    const { store } = await stage(t);
    await t.notThrowsAsync(store.commit([]));
  });

  test('events get rising numbers, never used again, whatever they say', async (t) => {
    const { store } = await stage(t);
    await store.commit([insert('event', anEvent({ type: 'a', seq: 99 })), insert('event', anEvent({ type: 'b' }))]);
    const [a, b] = await store.find('event', {});
    t.true(a?.type === 'a' && b?.type === 'b' && a.seq < b.seq);
    await store.commit([{ op: 'delete', kind: 'event', key: { seq: b?.seq ?? 0 } }]);
    await store.commit([insert('event', anEvent({ type: 'c' }))]);
    const c = (await store.find('event', { where: { type: 'c' } }))[0];
    t.true((c?.seq ?? 0) > (b?.seq ?? 0));
    t.deepEqual(await store.get('event', { seq: c?.seq ?? 0 }), c);
  });

  test('put inserts and replaces', async (t) => {
    const { store } = await stage(t);
    await store.commit([{ op: 'put', kind: 'machine', record: aMachine('m-1', { name: 'one' }) }]);
    await store.commit([{ op: 'put', kind: 'machine', record: aMachine('m-1', { status: 'running' }) }]);
    t.deepEqual(await store.find('machine', {}), [aMachine('m-1', { status: 'running' })]);
    t.deepEqual(await store.find('machine', { where: { name: 'one' } }), []);
  });

  test('put raises the version of a template by one, whatever the record says', async (t) => {
    const { store } = await stage(t);
    await store.commit([{ op: 'put', kind: 'template', record: aTemplate('small', { version: 70 }) }]);
    t.is((await store.get('template', { template_id: 'small' }))?.version, 1);
    await store.commit([{ op: 'put', kind: 'template', record: aTemplate('small', { version: 70 }) }]);
    t.is((await store.get('template', { template_id: 'small' }))?.version, 2);
  });

  test('a request is put only in a commit that carries its fence', async (t) => {
    const { store } = await stage(t);
    await store.commit([insert('request', aRequest('r-1')), insert('request', aRequest('r-2'))]);
    await refused(t, store.commit([putRequest(aRequest('r-1'))]), 'INTERNAL');
    await refused(t, store.commit([fence('r-2', 0), putRequest(aRequest('r-1'))]), 'INTERNAL');
  });

  test('a put under its fence raises the version by one and leaves the epoch, whatever the record says', async (t) => {
    const { store } = await stage(t);
    await store.commit([insert('request', aRequest('r-1', { version: 50, epoch: 50 }))]);
    const [claim] = await store.claim(anOwner(), 1, 1_000);
    await store.commit([fence('r-1', claim?.epoch ?? -1), putRequest(aRequest('r-1', { status: 'in_progress', version: 9, epoch: 9 }))]);
    const read = await store.get('request', { request_id: 'r-1' });
    t.deepEqual([read?.status, read?.version, read?.epoch], ['in_progress', 2, 1]);
    t.deepEqual(await store.versions({}), [{ request_id: 'r-1', version: 2 }]);
  });

  test('a commit under another epoch than the present one is refused with CONFLICT', async (t) => {
    const { store, clock } = await stage(t);
    await store.commit([insert('request', aRequest('r-1'))]);
    await store.commit([fence('r-1', 0), insert('machine', aMachine('m-0'))]);
    const [first] = await store.claim(anOwner(), 1, 1_000);
    clock.time += 2_000;
    const [second] = await store.claim(anOwner({ started: 2, pid: 1 }), 1, 1_000);
    t.deepEqual([first?.epoch, second?.epoch], [1, 2]);
    for (const epoch of [0, 1, 3]) {
      await refused(t, store.commit([fence('r-1', epoch), insert('machine', aMachine('m-1'))]), 'CONFLICT');
      await refused(t, store.commit([fence('r-1', epoch), putRequest(aRequest('r-1'))]), 'CONFLICT');
    }
    await store.commit([fence('r-1', 2), putRequest(aRequest('r-1', { message: 'second' }))]);
    t.is((await store.get('request', { request_id: 'r-1' }))?.message, 'second');
    await refused(t, store.commit([fence('absent', 0)]), 'CONFLICT');
    await refused(t, store.commit([fence('absent', 0), putRequest(aRequest('absent'))]), 'CONFLICT');
  });

  test('a stale holder hears CONFLICT even when what it inserts exists by now', async (t) => {
    const { store } = await stage(t);
    await store.commit([insert('request', aRequest('r-1')), insert('machine', aMachine('m-1'))]);
    await refused(t, store.commit([fence('r-1', 4), insert('machine', aMachine('m-1'))]), 'CONFLICT');
  });

  test('update replaces what was read, once', async (t) => {
    const { store } = await stage(t);
    await store.commit([{ op: 'insert', kind: 'template', record: aTemplate('small') }, insert('request', aRequest('r-1'))]);
    const results = await Promise.allSettled([store.commit([updateSmall({ a: 1 })]), store.commit([updateSmall({ a: 2 })])]);
    t.deepEqual(
      results.map((each) => each.status),
      ['fulfilled', 'rejected'],
    );
    t.deepEqual(await store.get('template', { template_id: 'small' }), aTemplate('small', { fields: { a: 1 }, version: 2 }));
    await store.commit([{ op: 'update', kind: 'request', record: aRequest('r-1', { message: 'new', epoch: 8 }), version: 1 }]);
    t.deepEqual(await store.get('request', { request_id: 'r-1' }), aRequest('r-1', { message: 'new', version: 2 }));
    await refused(t, store.commit([{ op: 'update', kind: 'template', record: aTemplate('absent'), version: 1 }]), 'CONFLICT');
  });

  test('delete removes, passes over what is absent, and minds the version that was read', async (t) => {
    const { store } = await stage(t);
    await store.commit([insert('template', aTemplate('small')), insert('machine', aMachine('m-1'))]);
    await store.commit([{ op: 'delete', kind: 'machine', key: { provider_instance: 'east', machine_id: 'm-1' } }]);
    await store.commit([{ op: 'delete', kind: 'machine', key: { provider_instance: 'east', machine_id: 'm-1' } }]);
    t.is(await store.count('machine', {}), 0);
    await refused(t, store.commit([removeSmall(2)]), 'CONFLICT');
    await store.commit([removeSmall(1)]);
    await store.commit([removeSmall(1)]);
    t.is(await store.get('template', { template_id: 'small' }), undefined);
  });

  test('limit counts what all requests of the template hold before the commit, itself not counted', async (t) => {
    const { store } = await stage(t);
    const ask = (id: string, count: number, max: number, template_id = 'small') =>
      store.commit([
        insert('request', aRequest(id, { holds: count, template_id })),
        { op: 'limit', template_id, machine_count: count, max },
      ]);
    await ask('r-1', 3, 5);
    await refused(t, ask('r-2', 3, 5), 'INSTANCE_LIMIT_EXCEEDED');
    await ask('r-3', 2, 5);
    await ask('r-4', 5, 5, 'large');
    await refused(t, ask('r-5', 1, 5), 'INSTANCE_LIMIT_EXCEEDED');
    await store.commit([fence('r-1', 0), putRequest(aRequest('r-1', { holds: 0 }))]);
    await ask('r-5', 3, 5);
    await refused(t, ask('r-6', 1, 0, 'none'), 'INSTANCE_LIMIT_EXCEEDED');
    t.is(await store.count('request', {}), 4);
  });

  test('limit holds for fifty commits at once', async (t) => {
    const { store, again } = await stage(t);
    const stores = [store, (await again?.()) ?? store];
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        stores[i % 2]?.commit([
          { op: 'limit', template_id: 'small', machine_count: 2, max: 20 },
          insert('request', aRequest(`r-${i}`, { holds: 2 })),
        ]),
      ),
    );
    t.is(results.filter((each) => each.status === 'fulfilled').length, 10);
    t.is(await store.count('request', {}), 10);
  });

  test('commits at once under one version: one wins', async (t) => {
    const { store } = await stage(t);
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
    t.deepEqual(await store.get('template', { template_id: 'small' }), aTemplate('small', { fields: { n: 20 }, version: 21 }));
  });
}
