import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { Budget } from '../../../core/budgets/budget.ts';
import { isBrokerError, nothingReserved, plus, reservedIn, type Reserved } from '../../../core/index.ts';
import type { ScriptedCloud } from '../../support/scripted-cloud.ts';
import { budgetBench, cloudOf, offers, type BudgetBench } from './budget-bench.ts';
import { tries } from '../../support/variants.ts';

const spot = { key: 'spot-2', vcpus: 2, usd: 0.1, market: 'spot' };

/** Budgets of everything, of an instance, of a market, of tags that an instance takes away, and of tags that it gives. */
const budgets: readonly Budget[] = [
  { name: 'all', scope: {}, max_machines: 9, max_vcpus: 40, max_usd_per_hour: 2 },
  { name: 'east', scope: { provider_instance: 'east' }, max_machines: 5 },
  { name: 'spot', scope: { market: 'spot' }, max_machines: 3, max_usd_per_hour: 0.25 },
  { name: 'blue', scope: { tags: { team: 'blue' } }, max_machines: 4 },
  { name: 'green', scope: { tags: { team: 'green' } }, max_machines: 2 },
];

type Step =
  | { readonly do: 'request'; readonly count: number; readonly blue: boolean; readonly retry: boolean }
  | { readonly do: 'return' | 'cancel' | 'lose'; readonly which: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'price'; readonly usd: number }
  | { readonly do: 'short'; readonly keys: readonly string[] }
  | { readonly do: 'slow' | 'busy'; readonly is: boolean }
  | { readonly do: 'kill'; readonly before: number };

const which = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      count: fc.integer({ min: 1, max: 6 }),
      blue: fc.boolean(),
      retry: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('return', 'cancel', 'lose'), which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(500, 3_000, 30_000) }) },
  // A Spot machine costs no more than the list price, which its request reserved.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('price' as const), usd: fc.constantFrom(0.02, 0.05, 0.1) }) },
  // Requests fall back to dearer offers, and machines that shut down are replaced before they are gone.
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('short' as const),
      keys: fc.constantFrom([], ['spot-2'], ['spot-2', 'small-2']),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('slow', 'busy'), is: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('kill' as const), before: fc.integer({ min: 1, max: 5 }) }) },
);

/** The requests and what is reserved of a scope, with no commit of the loop between the two readings. */
async function atOnce({ store }: BudgetBench, scope: Budget['scope']) {
  for (;;) {
    const before = await store.changes('request');
    const [rows, reserved] = [await store.find('request', {}), await store.reserved(scope)];
    if ((await store.changes('request')) === before) return { rows, reserved };
  }
}

/** What lives in the clouds, and what the storage says is reserved, stays below every limit. */
async function check(t: ExecutionContext, bench: BudgetBench): Promise<void> {
  for (const { name, scope, max_machines, max_vcpus, max_usd_per_hour } of budgets) {
    const { rows, reserved } = await atOnce(bench, scope);
    const summed = rows.map((row) => reservedIn(scope, row)).reduce<Reserved>(plus, nothingReserved);
    if (JSON.stringify(reserved) !== JSON.stringify(summed)) t.deepEqual(reserved, summed, name);
    if (reserved.machines > (max_machines ?? Infinity)) t.fail(`${name}: ${reserved.machines} machines`);
    if (reserved.vcpus > (max_vcpus ?? Infinity)) t.fail(`${name}: ${reserved.vcpus} vCPUs`);
    if (reserved.microusd > (max_usd_per_hour ?? Infinity) * 1e6) t.fail(`${name}: ${reserved.microusd} microusd`);
  }
  const lives = Object.values(bench.clouds).reduce((sum, cloud) => sum + cloud.live().length, 0);
  const all = await bench.store.reserved({});
  if (lives > all.machines) t.fail(`${lives} machines live, ${all.machines} are reserved`);
  const inEast = bench.clouds['east']?.live().length ?? 0;
  if (inEast > 5) t.fail(`${inEast} machines live in east`);
  const untagged = (await bench.store.find('request', { where: { kind: 'provision' } })).filter(
    ({ template }) => template?.tags === undefined,
  );
  const green = untagged.flatMap(({ request_id }) => bench.clouds['west']?.live(request_id) ?? []).length;
  if (green > 2) t.fail(`${green} machines live in west with its tags`);
  const blue = (await bench.store.find('request', { where: { kind: 'provision' } }))
    .filter(({ template }) => template?.tags !== undefined)
    .flatMap(({ request_id }) => bench.clouds['east']?.live(request_id) ?? []).length;
  if (blue > 4) t.fail(`${blue} blue machines live in east`);
}

/** Machines that shut down do so until the cloud is no longer slow. */
function slow(cloud: ScriptedCloud, isSlow: boolean): void {
  cloud.shutsDownSlowly = isSlow;
  if (isSlow) return;
  for (const [id, { report }] of cloud.machines) if (report.status === 'shutting-down') cloud.kill(id);
}

async function play(bench: BudgetBench, ids: string[], each: Step): Promise<void> {
  const pick = (index: number) => ids[index % Math.max(1, ids.length)];
  const clouds = Object.values(bench.clouds);
  switch (each.do) {
    case 'request': {
      const tags = each.blue ? { tags: { team: 'blue' } } : {};
      const template = { ...tags, ...(each.retry ? { retry_until_timeout: true } : {}) };
      // In west, what is blue elsewhere is red.
      const asked = bench.request(each.count, template, {}, each.blue ? { additional_data: { team: 'red' } } : {});
      const id = await asked.catch((error: unknown) => {
        if (!isBrokerError(error) || error.code !== 'BUDGET_EXCEEDED') throw error;
      });
      if (id !== undefined) ids.push(id);
      return;
    }
    case 'cancel': {
      const id = pick(each.which);
      if (id !== undefined) await bench.requestCommands.cancel(id, undefined).catch(() => undefined);
      return;
    }
    case 'return': {
      const live = clouds.flatMap((cloud) => cloud.live());
      const known = await bench.store.find('machine', { where: { gone_at: null } });
      const mine = known.filter(({ machine_id }) => live.includes(machine_id))[each.which];
      if (mine) await bench.requestService.returnMachines([mine], 600);
      return;
    }
    case 'lose': {
      const cloud = clouds[each.which % clouds.length];
      const lost = cloud?.live()[each.which % Math.max(1, cloud.live().length)];
      if (lost !== undefined) cloud?.end(lost);
      return;
    }
    case 'short':
      for (const cloud of clouds) cloud.short = each.keys;
      return;
    case 'slow':
      for (const cloud of clouds) slow(cloud, each.is);
      return;
    case 'busy':
      for (const cloud of clouds) cloud.busy = each.is;
      return;
    case 'price':
      for (const cloud of clouds) cloud.prices['spot-2'] = each.usd;
      return;
    case 'pass':
      await bench.clock.advance(each.ms);
      for (const cloud of clouds) cloud.boot();
      return;
    case 'kill':
      // A loop with less to do meanwhile goes on.
      return bench.kill(each.before).catch((error: Error) => {
        if (!/did not come to its commit/.test(error.message)) throw error;
      });
  }
}

const ask = (count: number): Step => ({ do: 'request', count, blue: false, retry: false });
const pass = (ms: number): Step => ({ do: 'pass', ms });

/** Requests of which each is ordered cheaply before the next one is accepted, and which all need dear machines then. */
const allAtOnce: readonly Step[] = [
  { do: 'busy', is: true },
  ...[4, 4, 1].flatMap((count) => [ask(count), pass(500)]),
  { do: 'short', keys: ['spot-2', 'small-2'] },
  { do: 'busy', is: false },
  pass(30_000),
  pass(30_000),
];

test('budgets are never exceeded, and at rest nothing is reserved that does not live', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const all = [spot, ...offers];
      const bench = await budgetBench(budgets, { east: cloudOf(all), west: cloudOf(all) });
      bench.configure('west', { template_defaults: { tags: { team: 'green' }, additional_data_tags: ['team'] } });
      await bench.restart();
      try {
        const ids: string[] = [];
        for (const each of steps) {
          await play(bench, ids, each);
          await check(t, bench);
        }
        for (const cloud of Object.values(bench.clouds)) {
          slow(cloud, false);
          cloud.busy = false;
        }
        for (const id of ids) await bench.requestCommands.complete(id).catch(() => undefined);
        await bench.settle(1_200_000);
        await check(t, bench);
        const lives = Object.values(bench.clouds).reduce((sum, cloud) => sum + cloud.live().length, 0);
        const { machines } = await bench.all();
        if (machines !== lives) t.fail(`at rest ${lives} machines live, and ${machines} are reserved`);
      } finally {
        await bench.close();
      }
    }),
    {
      examples: [[[...allAtOnce]]],
      numRuns: Number(process.env['BUDGET_RUNS'] ?? tries(3, 12)),
      seed: Number(process.env['BUDGET_SEED'] ?? 1),
    },
  );
  t.pass();
});
