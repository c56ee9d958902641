import assert from 'node:assert/strict';
import {
  nothingReserved,
  reservesText,
  type BudgetBounds,
  type BudgetScope,
  type Change,
  type RequestRecord,
  type Reserved,
  type Store,
} from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aRequest, insert, reserving } from '../records.ts';
import { assertRefused } from '../assert-refused.ts';
import { served } from '../served.ts';

const of = (machines: number): Reserved => ({
  ...nothingReserved,
  machines,
  vcpus: 2 * machines,
  microusd: 100_000 * machines,
});

const budget = (
  scope: BudgetScope,
  bounds: Omit<BudgetBounds, 'asked'>,
  asked: number | Partial<Reserved> = 1,
): Change => ({
  op: 'budget',
  name: 'team',
  scope,
  bounds: { ...bounds, asked: typeof asked === 'number' ? of(asked) : { ...nothingReserved, ...asked } },
});

/** Accepts a request as an interface does. */
const accept = (
  store: Store,
  id: string,
  machines: number,
  check: Change,
  given: Partial<RequestRecord> = {},
): Promise<void> =>
  store.commit([insert('request', aRequest(id, { reserves: reserving(machines), ...given })), check]);

/** Stores another reservation of a request, as the loop does. */
const put = (store: Store, id: string, reserves: string | undefined, ...checks: readonly Change[]): Promise<void> =>
  store.commit([
    { op: 'fence', request_id: id, epoch: 0 },
    { op: 'put', kind: 'request', record: aRequest(id, reserves === undefined ? {} : { reserves }) },
    ...checks,
  ]);

/** The contract of `reserved` and of the change `budget`. */
export function checkBudgets({ check, opened, shared }: Contract): void {
  check('a budget counts what all requests reserve with the changes of the commit', async (ending) => {
    const { store } = await opened(ending);
    const most = (max_machines: number, asked: number) => budget({}, { max_machines }, asked);
    await accept(store, 'r-1', 3, most(5, 3));
    await assertRefused(accept(store, 'r-2', 3, most(5, 3)), 'BUDGET_EXCEEDED');
    await accept(store, 'r-3', 2, most(5, 2));
    await assertRefused(accept(store, 'r-4', 1, most(5, 1)), 'BUDGET_EXCEEDED');
    assert.deepEqual(await store.reserved({}), of(5));
    await put(store, 'r-1', reserving(1));
    await assertRefused(put(store, 'r-1', reserving(4), most(5, 3)), 'BUDGET_EXCEEDED');
    assert.deepEqual(await store.reserved({}), of(3));
    await put(store, 'r-1', reserving(3), most(5, 2));
    await put(store, 'r-1', undefined);
    await store.commit([{ op: 'delete', kind: 'request', key: { request_id: 'r-3' } }]);
    assert.deepEqual(await store.reserved({}), nothingReserved);
    await accept(store, 'r-5', 5, most(5, 5));
    assert.equal(await store.count('request', {}), 2);
  });

  check('a budget counts vCPUs and dollars, an hour and a day of them', async (ending) => {
    const { store } = await opened(ending);
    const bounds: Omit<BudgetBounds, 'asked'> = { max_vcpus: 8, max_microusd_per_hour: 300_000 };
    await assertRefused(accept(store, 'r-1', 5, budget({}, bounds, 5)), 'BUDGET_EXCEEDED');
    await assertRefused(accept(store, 'r-1', 4, budget({}, bounds, 4)), 'BUDGET_EXCEEDED');
    await accept(store, 'r-1', 3, budget({}, bounds, 3));
    const day = (ran_microusd: number) => budget({}, { day: { max_microusd: 1_000_000, ran_microusd } }, 1);
    await assertRefused(accept(store, 'r-2', 1, day(600_001)), 'BUDGET_EXCEEDED');
    await accept(store, 'r-2', 1, day(600_000));
  });

  check('a budget counts by template, instance, market and tags', async (ending) => {
    const { store } = await opened(ending);
    const tags = { team: 'a', stage: 'test "1"' };
    // The machines of one place have their own tags instead of those of the request.
    const atTwoPlaces = reservesText({
      tags: { team: 'd' },
      parts: [
        { ...of(32), provider_instance: 'east' },
        { ...of(64), provider_instance: 'north', tags: { team: 'e', stage: 'test' } },
        { ...of(128), provider_instance: 'south', tags: {} },
      ],
    });
    const requests: readonly (readonly [string, string, Partial<RequestRecord>])[] = [
      ['r-1', reserving(1), {}],
      ['r-2', reserving(2, { provider_instance: 'east', market: 'spot', tags }), { template_id: 'large' }],
      ['r-3', reserving(4, { provider_instance: 'west', market: 'on-demand', tags: { team: 'b' } }), {}],
      ['r-4', reserving(8, { provider_instance: 'east', market: 'any', tags: { team: 'a' } }), {}],
      ['r-5', reserving(16, { tags }), { kind: 'provision', template_id: 'large' }],
      ['r-6', atTwoPlaces, {}],
    ];
    const scopes: readonly (readonly [BudgetScope, number])[] = [
      [{}, 255],
      [{ template_id: 'small' }, 237],
      [{ template_id: 'none' }, 0],
      [{ provider_instance: 'east' }, 42],
      [{ market: 'spot' }, 10],
      [{ market: 'on-demand' }, 12],
      [{ market: 'capacity-block' }, 8],
      [{ tags: { team: 'a' } }, 26],
      [{ tags: { stage: 'test "1"', team: 'a' } }, 18],
      [{ tags: { team: 'c' } }, 0],
      [{ tags: { team: 'd' } }, 32],
      [{ tags: { team: 'e' } }, 64],
      [{ provider_instance: 'east', tags: { team: 'e' } }, 0],
      [{ provider_instance: 'east', market: 'spot', template_id: 'large', tags: { team: 'a' } }, 2],
    ];
    const fits = (scope: BudgetScope, machines: number): Change => budget(scope, { max_machines: machines });
    // Half of the requests are stored before the scopes are used for the first time.
    for (const [id, reserves, given] of requests.slice(0, 3))
      await store.commit([insert('request', aRequest(id, { ...given, reserves }))]);
    for (const [scope] of scopes) await store.commit([fits(scope, 1_000)]);
    for (const [id, reserves, given] of requests.slice(3))
      await store.commit([insert('request', aRequest(id, { ...given, reserves }))]);
    for (const [scope, machines] of scopes) {
      assert.equal((await store.reserved(scope)).machines, machines, JSON.stringify(scope));
      await assert.doesNotReject(store.commit([fits(scope, machines)]), JSON.stringify(scope));
      if (machines > 0) await assertRefused(store.commit([fits(scope, machines - 1)]), 'BUDGET_EXCEEDED');
    }
  });

  check('a budget says what is used and asked, and refuses what has no known price or size', async (ending) => {
    const { store } = await opened(ending);
    await accept(store, 'r-1', 3, budget({}, { max_machines: 4 }, 3));
    const error = await accept(store, 'r-2', 2, budget({}, { max_machines: 4 }, 2)).catch(
      (reason: { readonly details?: unknown }) => reason,
    );
    assert.deepEqual(error?.details, { budget: 'team', limit: 'max_machines', max: 4, used: 3, asked: 2 });
    const unknown = { machines: 1, unsized: 1, unpriced: 1 };
    const ask = (bounds: Omit<BudgetBounds, 'asked'>, id: string) =>
      accept(store, id, 1, budget({}, bounds, unknown), {
        reserves: reserving(1, { vcpus: 0, microusd: 0, unsized: 1, unpriced: 1 }),
      });
    await assertRefused(ask({ max_vcpus: 1_000 }, 'r-3'), 'BUDGET_EXCEEDED');
    await assertRefused(ask({ max_microusd_per_hour: 1e9 }, 'r-3'), 'BUDGET_EXCEEDED');
    await assertRefused(ask({ day: { max_microusd: 1e9, ran_microusd: 0 } }, 'r-3'), 'BUDGET_EXCEEDED');
    await assertRefused(ask({ max_microusd_per_hour: 400_000, unknown_microusd: 100_001 }, 'r-3'), 'BUDGET_EXCEEDED');
    await ask({ max_microusd_per_hour: 400_000, unknown_microusd: 100_000 }, 'r-3');
  });

  check('what a commit does not increase is not checked, even when a budget is exceeded already', async (ending) => {
    const { store } = await opened(ending);
    await store.commit([insert('request', aRequest('r-1', { reserves: reserving(9) }))]);
    const less = budget({}, { max_machines: 2, max_vcpus: 1 }, { machines: -1, vcpus: -2 });
    await assert.doesNotReject(put(store, 'r-1', reserving(8), less));
    await assertRefused(accept(store, 'r-2', 1, budget({}, { max_machines: 2 })), 'BUDGET_EXCEEDED');
  });

  check(
    'a price that becomes known is not refused when the machines cost no more than they counted before',
    async (ending) => {
      const { store } = await opened(ending);
      const unknown = { vcpus: 0, microusd: 0, unsized: 2, unpriced: 2 };
      await store.commit([insert('request', aRequest('r-1', { reserves: reserving(2, unknown) }))]);
      const limits: readonly Omit<BudgetBounds, 'asked'>[] = [
        { max_microusd_per_hour: 100_000, unknown_microusd: 100_000 },
        { day: { max_microusd: 100_000, ran_microusd: 0 }, unknown_microusd: 100_000 },
      ];
      for (const bounds of limits) {
        const known = (microusd: number) => budget({}, bounds, { microusd, unpriced: -2 });
        await assertRefused(put(store, 'r-1', reserving(2, { microusd: 200_001 }), known(200_001)), 'BUDGET_EXCEEDED');
        await assert.doesNotReject(put(store, 'r-1', reserving(2, { microusd: 200_000 }), known(200_000)));
        await put(store, 'r-1', reserving(2, unknown));
      }
    },
  );

  check('tags of any text hinder no budget', async (ending) => {
    const { store } = await opened(ending);
    const tags = { 'a\u0000b': 'c\u0000d', '\ud800': 'x\udfff', team: 'a' };
    await store.commit([insert('request', aRequest('r-1', { reserves: reserving(1, { tags }) }))]);
    const scopes: readonly BudgetScope[] = [{}, { tags: { team: 'a' } }];
    for (const [i, scope] of scopes.entries())
      await accept(store, `r-${i + 2}`, 1, budget(scope, { max_machines: 9 }), { reserves: reserving(1, { tags }) });
    for (const scope of scopes) assert.deepEqual(await store.reserved(scope), of(3));
    await put(store, 'r-1', undefined);
    for (const scope of scopes) assert.deepEqual(await store.reserved(scope), of(2));
  });

  check('several budgets of one scope hold in one commit', async (ending) => {
    const { store } = await opened(ending);
    const ask = (id: string, max: number) =>
      store.commit([
        insert('request', aRequest(id, { reserves: reserving(2) })),
        budget({ template_id: 'small' }, { max_machines: 3 }, 2),
        budget({ template_id: 'small' }, { max_machines: max }, 2),
      ]);
    await assertRefused(ask('r-1', 1), 'BUDGET_EXCEEDED');
    await ask('r-1', 2);
    await assertRefused(ask('r-2', 9), 'BUDGET_EXCEEDED');
    assert.deepEqual(await store.reserved({ template_id: 'small' }), of(2));
  });

  check('a refusal for another reason comes before that of a budget', async (ending) => {
    const { store } = await opened(ending);
    await accept(store, 'r-1', 1, budget({}, { max_machines: 1 }));
    await assertRefused(accept(store, 'r-1', 1, budget({}, { max_machines: 1 })), 'ALREADY_EXISTS');
    await assertRefused(
      store.commit([{ op: 'fence', request_id: 'r-1', epoch: 9 }, budget({}, { max_machines: 0 })]),
      'CONFLICT',
    );
  });

  check('budgets hold for fifty commits at once, while others free and change what is reserved', async (ending) => {
    const { store, open } = await opened(ending);
    const stores = [store, shared ? await open() : store];
    const scopes: readonly BudgetScope[] = [{}, { template_id: 'small' }, { tags: { team: 'a' } }];
    const held = Array.from({ length: 10 }, (_, i) => `held-${i}`);
    await store.commit(held.map((id) => insert('request', aRequest(id, { reserves: reserving(2) }))));
    const ask = (i: number) =>
      (stores[i % 2] ?? store).commit([
        insert('request', aRequest(`r-${i}`, { reserves: reserving(2, { tags: { team: i % 2 ? 'a' : 'b' } }) })),
        ...scopes.map((scope) => budget(scope, { max_machines: scope.tags ? 10 : 40, max_vcpus: 80 }, 2)),
      ]);
    const results = await Promise.allSettled([
      ...Array.from({ length: 50 }, (_, i) => served(() => ask(i))),
      ...held.map((id, i) => served(() => put(stores[i % 2] ?? store, id, reserving(1)))),
    ]);
    const refusals = results.filter((each) => each.status === 'rejected').map(({ reason }) => reason);
    assert.deepEqual(new Set(refusals.map(({ code }) => code)), new Set(['BUDGET_EXCEEDED']), String(refusals));
    const accepted = 60 - refusals.length - held.length;
    const all = await store.reserved({});
    assert.deepEqual(all, of(10 + 2 * accepted), 'the sums are those of the requests');
    assert.ok(all.machines <= 40 && accepted >= 10, `${accepted} were accepted`);
    assert.ok((await store.reserved({ tags: { team: 'a' } })).machines <= 10);
    const rows = await store.find('request', {});
    assert.equal(rows.length, 10 + accepted);
    await store.commit(rows.map(({ request_id }) => ({ op: 'delete', kind: 'request', key: { request_id } })));
    for (const scope of scopes) assert.deepEqual(await store.reserved(scope), nothingReserved);
  });
}
