import assert from 'node:assert/strict';
import type { Change, Store } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { anAttempt, aRequest, insert } from '../records.ts';
import { assertRefused } from '../assert-refused.ts';
import { served } from '../served.ts';

const slot = (request_id: string, max: number, provider_instance = 'east'): Change => ({
  op: 'slot',
  provider_instance,
  request_id,
  max,
});
const fence = (request_id: string, epoch = 0): Change => ({ op: 'fence', request_id, epoch });
const attempt = (request_id: string, active: boolean, provider_instance = 'east', number = 1): Change => ({
  op: 'put',
  kind: 'attempt',
  record: anAttempt(number, { request_id, active, provider_instance }),
});
/** Opens an attempt as the loop does. */
const enter = (store: Store, request_id: string, max: number, provider_instance = 'east') =>
  store.commit([
    fence(request_id),
    attempt(request_id, true, provider_instance),
    slot(request_id, max, provider_instance),
  ]);
const wait = (store: Store, request_id: string, given: object) =>
  store.commit([fence(request_id), { op: 'put', kind: 'request', record: aRequest(request_id, given) }]);
const requests = (...ids: readonly string[]) =>
  ids.map((id, i) => insert('request', aRequest(id, { created_at: 1_000 + i })));

/** The contract of the change `slot`. */
export function checkSlots({ check, opened, shared }: Contract): void {
  check(
    'a slot counts the other requests that have an active attempt at the instance, each of them once',
    async (ending) => {
      const { store } = await opened(ending);
      await store.commit(requests('r-1', 'r-2', 'r-3'));
      await enter(store, 'r-1', 2);
      await store.commit([attempt('r-1', true, 'east', 2)]);
      await enter(store, 'r-2', 2);
      await assertRefused(enter(store, 'r-3', 2), 'INSTANCE_BUSY');
      await enter(store, 'r-3', 1, 'west');
      assert.equal(
        await store.get('attempt', { request_id: 'r-3', attempt: 1 }).then((kept) => kept?.provider_instance),
        'west',
      );
      await store.commit([attempt('r-1', false), attempt('r-1', false, 'east', 2)]);
      await enter(store, 'r-3', 2);
    },
  );

  check('a slot says how many requests are open, and of how many', async (ending) => {
    const { store } = await opened(ending);
    await store.commit(requests('r-1', 'r-2', 'r-3'));
    await enter(store, 'r-1', 2);
    await enter(store, 'r-2', 2);
    const error = await enter(store, 'r-3', 2).catch((reason: { readonly details?: unknown }) => reason);
    assert.deepEqual(error?.details, { provider_instance: 'east', open: 2, max: 2 });
  });

  check('a request that is in keeps its slot: its further attempts take none', async (ending) => {
    const { store } = await opened(ending);
    await store.commit(requests('r-0', 'r-1', 'r-2'));
    await enter(store, 'r-1', 2);
    await enter(store, 'r-2', 2);
    await wait(store, 'r-0', { waits_for: 'east' });
    await store.commit([fence('r-1'), slot('r-1', 1), attempt('r-1', true, 'east', 2)]);
  });

  check('slots are given in the order of acceptance: none that an older request waits for', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([
      ...requests('r-2', 'r-3', 'r-4', 'r-5'),
      insert('request', aRequest('r-1', { created_at: 1_001 })),
    ]);
    await wait(store, 'r-1', { created_at: 1_001, waits_for: 'east' });
    await wait(store, 'r-3', { created_at: 1_001, waits_for: 'east' });
    await assertRefused(enter(store, 'r-4', 2), 'INSTANCE_BUSY');
    await enter(store, 'r-4', 1, 'west');
    await assertRefused(enter(store, 'r-3', 1), 'INSTANCE_BUSY');
    await enter(store, 'r-1', 1);
    await wait(store, 'r-1', { created_at: 1_001 });
    await assertRefused(enter(store, 'r-3', 1), 'INSTANCE_BUSY');
    await enter(store, 'r-2', 2);
    await assertRefused(enter(store, 'r-5', 3), 'INSTANCE_BUSY');
    await enter(store, 'r-5', 4);
  });

  check('a request that has ended, or waits elsewhere, delays no other', async (ending) => {
    const { store } = await opened(ending);
    await store.commit(requests('r-1', 'r-2', 'r-3'));
    await wait(store, 'r-1', { waits_for: 'west' });
    await wait(store, 'r-2', { waits_for: 'east', status: 'cancelled' });
    await enter(store, 'r-3', 1);
  });

  check('a lost claim is refused with CONFLICT, not with a wait', async (ending) => {
    const { store } = await opened(ending);
    await store.commit(requests('r-1', 'r-2'));
    await enter(store, 'r-1', 1);
    await assertRefused(store.commit([attempt('r-2', true), slot('r-2', 1), fence('r-2', 3)]), 'CONFLICT');
    await assertRefused(store.commit([slot('absent', 9)]), 'CONFLICT');
  });

  check('slots hold for fifty commits at once', async (ending) => {
    const { store, open } = await opened(ending);
    const stores = [store, shared ? await open() : store];
    const ids = Array.from({ length: 50 }, (_, i) => `r-${i}`);
    await store.commit(requests(...ids));
    const results = await Promise.allSettled(ids.map((id, i) => served(() => enter(stores[i % 2] ?? store, id, 7))));
    assert.equal(results.filter((each) => each.status === 'fulfilled').length, 7);
    assert.equal(await store.count('attempt', { active: true }), 7);
  });
}
