import test from 'ava';
import { silentLog, type MachineRecord, type Store } from '../../../core/index.ts';
import { budgetOf, type BudgetSettings } from '../../../core/budgets/budget.ts';
import { DayCosts } from '../../../core/reconciler/background/budgets/day-costs.ts';
import { aMachine, aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryDriver } from '../../support/memory-driver.ts';

const hour = 3_600_000;
const now = 240 * hour;
/** An hour of a machine costs half a dollar, unless the test says something else. */
const price = { usd_per_hour: 0.5, source: 'catalogue' } as const;

async function storeWith(...machines: readonly MachineRecord[]): Promise<Store> {
  const store = await memoryDriver().open({}, { clock: new FakeClock(), log: silentLog });
  await store.commit(machines.map((machine) => insert('machine', machine)));
  return store;
}

/** A machine that began and ended so many hours before `now`. */
const ran = (id: string, begin: number, end: number | undefined, given: Partial<MachineRecord> = {}): MachineRecord =>
  aMachine(id, {
    price,
    created_at: now - begin * hour,
    ...(end === undefined ? { status: 'running' } : { status: 'terminated', gone_at: now - end * hour }),
    ...given,
  });

const daily = (match: BudgetSettings['match'] = {}, unknown_price_usd?: number) =>
  budgetOf({
    name: 'daily',
    match,
    max_usd_per_day: 100,
    ...(unknown_price_usd === undefined ? {} : { unknown_price_usd }),
  });

const { price: _, ...unpriced } = ran('i-1', 2, undefined);

const cases: readonly (readonly [string, MachineRecord, ReturnType<typeof daily>, number])[] = [
  ['a machine that lives costs since it began', ran('i-1', 3, undefined), daily(), 1.5],
  ['a machine that lives for days costs a day', ran('i-1', 100, undefined), daily(), 12],
  ['a machine that is gone costs as long as it ran', ran('i-1', 5, 3), daily(), 1],
  ['of a machine that is gone, what ran before the day is left out', ran('i-1', 30, 23), daily(), 0.5],
  ['a machine that was gone a day ago costs nothing', ran('i-1', 30, 24), daily(), 0],
  ['a machine that begins by another clock later than now costs nothing', ran('i-1', -1, undefined), daily(), 0],
  ['a machine without a known price costs what the budget says', unpriced, daily({}, 1.25), 2.5],
  ['a machine without a known price costs nothing where the budget says nothing', unpriced, daily(), 0],
  ['a machine of another template does not count', ran('i-1', 3, undefined), daily({ template_id: 'big' }), 0],
  ['a machine of the template counts', ran('i-1', 3, undefined), daily({ template_id: 'small' }), 1.5],
  ['a machine at another instance does not count', ran('i-1', 3, undefined), daily({ provider_instance: 'west' }), 0],
  [
    'a machine of another market does not count',
    ran('i-1', 3, 1, { market: 'spot' }),
    daily({ price_type: 'ondemand' }),
    0,
  ],
  ['a machine of the market counts', ran('i-1', 3, 1, { market: 'spot' }), daily({ price_type: 'spot' }), 1],
  ['a machine of an unknown market counts for each', ran('i-1', 3, 1), daily({ price_type: 'spot' }), 1],
];

for (const [title, machine, budget, usd] of cases)
  test(title, async (t) => {
    const costs = new DayCosts(await storeWith(machine), [budget]);
    t.deepEqual([...(await costs.read(now))], [['daily', usd * 1e6]]);
  });

test('machines count by the tags of their template and request', async (t) => {
  const store = await storeWith(
    ran('i-1', 1, undefined),
    ran('i-2', 2, undefined, { request_id: 'r-2' }),
    ran('i-3', 4, 0, { request_id: 'r-3' }),
  );
  const template = { template_id: 'small', tags: { team: 'blue' } };
  await store.commit([
    insert('request', aRequest('r-1', { template, tags: { team: 'red' } } as never)),
    insert('request', aRequest('r-2', { template } as never)),
    insert('request', aRequest('r-3', { template: { template_id: 'small' }, tags: { team: 'blue' } } as never)),
  ]);
  const costs = new DayCosts(store, [daily({ tags: { team: 'blue' } })]);
  t.is((await costs.read(now)).get('daily'), 3e6);
});

test('a machine that is gone between two sums counts once, also when its end was committed late', async (t) => {
  const store = await storeWith(ran('i-1', 2, undefined), ran('i-2', 2, undefined));
  const costs = new DayCosts(store, [daily()]);
  t.is((await costs.read(now)).get('daily'), 2e6);
  // The commit came after the sum, with a time before it.
  const gone = { status: 'terminated', gone_at: now - 30_000 } as const;
  await store.commit([{ op: 'put', kind: 'machine', record: { ...ran('i-1', 2, undefined), ...gone } }]);
  const expected = 1e6 - (30_000 / hour) * 0.5e6 + 1.5e6;
  t.is((await costs.read(now + hour)).get('daily'), Math.ceil(expected));
  t.is((await costs.read(now + hour)).get('daily'), Math.ceil(expected), 'reading again changes nothing');
  t.is((await costs.read(now + 24 * hour)).get('daily'), 12e6, 'a day later only the other one counts');
});

test('a sum over more machines than one page leaves none out', async (t) => {
  const living = Array.from({ length: 700 }, (_, i) => ran(`l-${i}`, 1, undefined));
  const gone = Array.from({ length: 1_100 }, (_, i) => ran(`g-${i}`, 2, 1));
  const costs = new DayCosts(await storeWith(...living, ...gone), [daily()]);
  t.is((await costs.read(now)).get('daily'), 900e6);
});

test('a machine that counted as gone and lives after all counts once', async (t) => {
  const back = { ...ran('i-1', 2, undefined), status: 'running' } as const;
  const store = await storeWith(ran('i-1', 2, 0.5));
  const costs = new DayCosts(store, [daily()]);
  t.is((await costs.read(now)).get('daily'), 0.75e6);
  await store.commit([{ op: 'put', kind: 'machine', record: back }]);
  t.is((await costs.read(now)).get('daily'), 1e6);
  t.is((await costs.read(now + hour)).get('daily'), 1.5e6);
});
