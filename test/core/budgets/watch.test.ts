import test from 'ava';
import { silentLog, type Store } from '../../../core/index.ts';
import { budgetOf, type BudgetSettings } from '../../../core/budgets/budget.ts';
import { Budgets } from '../../../core/budgets/budgets.ts';
import { ProviderDirectory } from '../../../core/providers/directory.ts';
import { Facts } from '../../../core/providers/facts.ts';
import { BudgetWatch } from '../../../core/reconciler/background/budgets/budget-watch.ts';
import { defaultSettings } from '../../../core/reconciler/settings.ts';
import { aBroker, aMachine, aRequest, insert, reserving } from '../../../plugin-testkit/storage/records.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryDriver } from '../../support/memory-driver.ts';

/** A watch of one broker. Several on one store are several brokers. */
async function watchOn(store: Store, clock: FakeClock, entries: readonly BudgetSettings[], id = 'b-1') {
  const facts = new Facts(store, clock);
  await facts.follow();
  const budgets = new Budgets(entries.map(budgetOf), new ProviderDirectory([], [], [], facts), facts);
  const lines: (readonly [Readonly<Record<string, unknown>>, string])[] = [];
  const watch = new BudgetWatch({
    store,
    clock,
    facts,
    budgets,
    log: { ...silentLog, warn: (fields, message) => void lines.push([fields, message]) },
    settings: defaultSettings,
    broker: () => aBroker({ broker_id: id } as never),
    signal: new AbortController().signal,
  });
  return {
    lines,
    budgets,
    async look(ms = 10_000) {
      await clock.advance(ms);
      watch.begin();
      await watch.idle();
      await clock.advance(0);
    },
  };
}

async function memory() {
  const clock = new FakeClock();
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  const reserve = (machines: number) =>
    store.commit([
      { op: 'fence', request_id: 'r-1', epoch: 0 },
      { op: 'put', kind: 'request', record: aRequest('r-1', { reserves: reserving(machines) }) },
    ]);
  await store.commit([insert('request', aRequest('r-1', { reserves: reserving(1) }))]);
  const events = async () => {
    const found = await store.find('event', { where: { type: 'budget.nearly_used' } });
    return found.map(({ data }) => data);
  };
  /** Another fact changes, so that facts are read again. */
  const otherFact = async () => {
    await store.commit([
      { op: 'put', kind: 'fact', record: { topic: 'health', name: 'x', item: '', value: {}, at: clock.now() } },
    ]);
    await clock.advance(0);
  };
  return { clock, store, reserve, events, otherFact };
}

const ten = { name: 'ten', match: {}, max_machines: 10 };

test('80 % of a limit are reported once, in the log and in the journal, and again after less than 70 %', async (t) => {
  const { clock, store, reserve, events, otherFact } = await memory();
  const { look, lines } = await watchOn(store, clock, [ten]);
  await reserve(7);
  await look();
  t.deepEqual(lines, []);
  await reserve(8);
  await look();
  const message = "Budget 'ten' is nearly used up: 8 of max_machines 10.";
  const said = { budget: 'ten', limit: 'max_machines', used: 8, max: 10 };
  t.deepEqual(lines, [[said, message]]);
  t.deepEqual(await events(), [{ ...said, message }]);
  // Neither a second look, nor more use, nor a read of the facts, nor 70 % make it report again.
  for (const machines of [8, 10, 7, 9]) {
    await otherFact();
    await reserve(machines);
    await look();
  }
  t.is(lines.length, 1);
  await reserve(6);
  await look();
  await otherFact();
  await reserve(9);
  await look();
  await look();
  t.is(lines.length, 2);
  t.is((await events()).length, 2);
});

test('a look comes every ten seconds at most', async (t) => {
  const { clock, store, reserve, events } = await memory();
  const { look } = await watchOn(store, clock, [ten]);
  await look();
  await reserve(9);
  await look(9_999);
  t.is((await events()).length, 0);
  await look(1);
  t.is((await events()).length, 1);
});

test('of several brokers one reports', async (t) => {
  const { clock, store, reserve, events } = await memory();
  const one = await watchOn(store, clock, [ten]);
  const two = await watchOn(store, clock, [ten], 'b-2');
  await reserve(9);
  for (let i = 0; i < 5; i += 1) {
    await one.look(5_000);
    await two.look(5_000);
  }
  t.is((await events()).length, 1);
});

test('a broker that starts again does not repeat a report, and each limit has its own', async (t) => {
  const { clock, store, reserve, events } = await memory();
  const entry = { name: 'both', match: {}, max_machines: 10, max_usd_per_hour: 1 };
  await reserve(8);
  await (await watchOn(store, clock, [entry])).look();
  t.deepEqual(
    (await events()).map((data) => (data as { readonly limit: string }).limit),
    ['max_machines', 'max_usd_per_hour'],
  );
  await (await watchOn(store, clock, [entry])).look();
  t.is((await events()).length, 2);
});

test('what ran in the day is summed up each minute, for every process, and stays known when other facts change', async (t) => {
  const { clock, store, otherFact } = await memory();
  const daily = { name: 'daily', match: {}, max_usd_per_day: 100 };
  const { look } = await watchOn(store, clock, [daily]);
  const elsewhere = await watchOn(store, clock, [daily], 'b-2');
  const price = { usd_per_hour: 36, source: 'catalogue' } as const;
  await store.commit([insert('machine', aMachine('i-1', { created_at: clock.now(), price, status: 'running' }))]);
  await look(10_000);
  t.is(elsewhere.budgets.ranMicrousd('daily'), 100_000);
  await look(59_999);
  t.is(elsewhere.budgets.ranMicrousd('daily'), 100_000);
  await look(10_000);
  await otherFact();
  t.is(elsewhere.budgets.ranMicrousd('daily'), 799_990);
  t.is(elsewhere.budgets.ranMicrousd('other'), 0);
});

test('budgets that are replaced are summed up at the next look, not a minute later', async (t) => {
  const { clock, store } = await memory();
  const daily = (name: string) => ({ name, match: {}, max_usd_per_day: 100 });
  const { look, budgets } = await watchOn(store, clock, [daily('before')]);
  const price = { usd_per_hour: 36, source: 'catalogue' } as const;
  await store.commit([insert('machine', aMachine('i-1', { created_at: clock.now(), price, status: 'running' }))]);
  await look(10_000);
  t.deepEqual([budgets.ranMicrousd('before'), budgets.ranMicrousd('after')], [100_000, 0]);
  budgets.replace([budgetOf(daily('after'))]);
  await look(10_000);
  t.is(budgets.ranMicrousd('after'), 200_000);
});
