import type { ExecutionContext } from 'ava';
import { isBrokerError, nothingReserved, type BudgetScope, type Change, type Store } from '../../core/index.ts';
import { aRequest, insert, reserving } from '../../plugin-testkit/storage/records.ts';

/** Requests of a version without budgets: id, kind, instance, and the machines that they hold. */
export const heldBefore = [
  ['r-1', 'provision', 'east', 3],
  ['r-2', 'provision', 'west', 4],
  ['r-3', 'provision', 'east', 0],
  ['r-4', 'return', 'east', 2],
] as const;

/** What requests of a version without budgets hold counts, and is corrected by their next change. */
export async function checkHeldBefore(t: ExecutionContext, store: Store): Promise<void> {
  const unknown = (n: number) => ({ ...nothingReserved, machines: n, unsized: n, unpriced: n });
  const scopes: readonly (readonly [BudgetScope, number])[] = [
    [{}, 7],
    [{ provider_instance: 'east' }, 3],
    [{ provider_instance: 'west', market: 'spot' }, 4],
    [{ template_id: 'small' }, 7],
    [{ template_id: 'other' }, 0],
  ];
  for (const [scope, machines] of scopes) t.deepEqual(await store.reserved(scope), unknown(machines));
  const asked = { ...nothingReserved, machines: 1, vcpus: 2, microusd: 100_000 };
  const accept = async (id: string, max_machines: number) => {
    const check: Change = { op: 'budget', name: 'all', scope: {}, bounds: { max_machines, asked } };
    const added = insert('request', aRequest(id, { reserves: reserving(1) }));
    return store.commit([added, check]).then(
      () => 'accepted',
      (error: unknown) => (isBrokerError(error) ? error.code : error),
    );
  };
  t.is(await accept('r-5', 7), 'BUDGET_EXCEEDED');
  t.is(await accept('r-5', 8), 'accepted');
  // The sum is stored by now: the triggers keep it.
  const [before] = await store.find('request', { where: { request_id: 'r-1' } });
  t.deepEqual(
    JSON.parse(before?.reserves ?? ''),
    { parts: [['east', 'any', 3, 0, 0, 3, 3]] },
    'the record says what the column says',
  );
  if (!before) return;
  await store.commit([
    { op: 'fence', request_id: 'r-1', epoch: before.epoch },
    { op: 'put', kind: 'request', record: { ...before, reserves: reserving(2, { provider_instance: 'east' }) } },
  ]);
  t.deepEqual(await store.reserved({}), { machines: 7, vcpus: 6, microusd: 300_000, unsized: 4, unpriced: 4 });
  await store.commit([{ op: 'delete', kind: 'request', key: { request_id: 'r-2' } }]);
  t.deepEqual(await store.reserved({}), { machines: 3, vcpus: 6, microusd: 300_000, unsized: 0, unpriced: 0 });
}
