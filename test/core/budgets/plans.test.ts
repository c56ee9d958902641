import test from 'ava';
import type { Budget } from '../../../core/budgets/budget.ts';
import { Budgets } from '../../../core/budgets/budgets.ts';
import { systemClock, type Store, type Template } from '../../../core/index.ts';
import type { ProviderInstance } from '../../../core/model/provider-instance.ts';
import { choose } from '../../../core/providers/choose.ts';
import { RequestPlans } from '../../../core/requests/plan/request-plans.ts';
import { RequestService } from '../../../core/requests/request-service.ts';
import { aRequest, insert, reserving } from '../../../plugin-testkit/storage/records.ts';
import { directoryOf, instanceOf } from '../../support/directory-of.ts';
import { ScriptedCloud, scriptedApi } from '../../support/scripted-cloud.ts';
import { memoryDriver } from '../../support/memory-driver.ts';
import { silentLog } from '../../../core/contract/log.ts';

const cloud = new ScriptedCloud();

/** Plans over an API with many offers. `calls` counts the reads of the store. */
async function plansWith(
  budgets: readonly Budget[],
  offers: number,
  tags: Readonly<Record<string, string>> = {},
  instances: readonly ProviderInstance[] = [instanceOf('east')],
) {
  const many = Array.from({ length: offers }, (_, i) => ({
    key: `o-${i}`,
    vcpus: 2,
    usd: i % 2 ? 0.1 : 0.2,
    market: i % 2 ? 'spot' : 'on-demand',
  }));
  const { directory, facts } = await directoryOf([...instances], [scriptedApi(cloud.capabilities, many)]);
  const store: Store = await memoryDriver().open({}, { clock: systemClock, log: silentLog });
  const calls = new Map<string, number>();
  const largest = { rows: 0 };
  const counted = new Proxy(store, {
    get(target, name: keyof Store) {
      const own = Reflect.get(target, name);
      if (typeof own !== 'function') return own;
      return async (...given: unknown[]) => {
        calls.set(name, (calls.get(name) ?? 0) + 1);
        const answer: unknown = await Reflect.apply(own, target, given);
        if (Array.isArray(answer)) largest.rows = Math.max(largest.rows, answer.length);
        return answer;
      };
    },
  });
  const rules = new Budgets(budgets, directory, facts);
  const service = new RequestService(store, systemClock, rules, 1_000);
  const plan = (template: Partial<Template> = {}) => {
    const whole = { template_id: 'small', ...template } as Template;
    const input = { template: whole, machine_count: 3, tags };
    const chosen = choose({ template: whole }, { key: 'r', machine_count: 3 }, {}, directory);
    return new RequestPlans(counted, directory, rules).of(service.opened(input, chosen));
  };
  return { store, plan, calls, largest };
}

test('a plan over hundreds of offers reads what is reserved once for each budget', async (t) => {
  const { plan, calls } = await plansWith(
    [
      { name: 'all', scope: {}, max_machines: 9 },
      { name: 'east', scope: { provider_instance: 'east' }, max_machines: 2 },
      { name: 'east again', scope: { provider_instance: 'east' }, max_usd_per_hour: 0.5 },
      { name: 'spot', scope: { market: 'spot' }, max_machines: 9 },
    ],
    600,
  );
  const { order, budgets } = await plan();
  t.is(order.length, 600);
  t.deepEqual(Object.fromEntries(calls), { reserved: 3 });
  const over = (index: number) => order[index]?.over.map(({ details }) => [details['budget'], details['limit']]);
  t.deepEqual(over(0), [
    ['east', 'max_machines'],
    ['east again', 'max_usd_per_hour'],
  ]);
  t.deepEqual(over(1), [['east', 'max_machines']], 'each offer counts with its own price');
  t.deepEqual(
    budgets.map(({ name, limit, after }) => [name, limit, after]),
    [
      ['all', 'max_machines', 3],
      ['east', 'max_machines', 3],
      ['east again', 'max_usd_per_hour', 0.6],
    ],
  );
});

test('a plan with as many tags as a request may carry, over hundreds of offers, keeps the thread free', async (t) => {
  const tags = Object.fromEntries(Array.from({ length: 8_000 }, (_, i) => [`tag-${i}`, 'v'.repeat(16)]));
  const { plan } = await plansWith(
    [{ name: 'blue', scope: { market: 'spot', tags: { 'tag-7': 'v'.repeat(16) } }, max_machines: 2 }],
    600,
    tags,
  );
  const began = process.cpuUsage();
  const { order } = await plan();
  const { user, system } = process.cpuUsage(began);
  t.deepEqual([order[0]?.over.length, order[1]?.over.length], [0, 1]);
  t.true((user + system) / 1e3 < 1_000, `${(user + system) / 1e3} ms`);
});

test('a plan of a template with a maximum reads its requests a part at a time', async (t) => {
  const { store, plan, largest } = await plansWith([], 2);
  for (let part = 0; part < 5; part += 1)
    await store.commit(
      Array.from({ length: 150 }, (_, i) =>
        insert('request', aRequest(`r-${part}-${i}`, { holds: 2, created_at: 7, reserves: reserving(2) })),
      ),
    );
  t.deepEqual((await plan({ max_instances: 2_000 })).limit, { max: 2_000, held: 1_500 });
  t.true(largest.rows <= 200, `${largest.rows} rows at once`);
  await t.throwsAsync(plan({ max_instances: 1_502 }), { message: /1500 are held, so 3 more are refused/ });
});

test('a budget of tags that only an instance gives is planned there', async (t) => {
  const green = { name: 'green', scope: { tags: { team: 'green' } }, max_machines: 2 };
  const greenEast = { ...instanceOf('east'), template_defaults: { tags: { team: 'green' } } };
  const { plan } = await plansWith([green], 2, {}, [greenEast, { ...instanceOf('west'), priority: 2 }]);
  const { order, budgets, refusals } = await plan();
  t.deepEqual(refusals, [], 'the request is accepted, since another instance may serve it');
  t.deepEqual(
    order.map(({ over }) => over.map(({ details }) => details['budget'])),
    [['green'], ['green'], [], []],
  );
  t.deepEqual(
    budgets.map(({ name, used, after }) => [name, used, after]),
    [['green', 0, 3]],
  );
  const tagged = await plan({ tags: { team: 'green' } });
  t.is(tagged.refusals[0]?.details['budget'], 'green');
  t.deepEqual(
    tagged.order.map(({ over }) => over.length),
    [0, 0, 0, 0],
    'it is refused already',
  );
  const alone = await plansWith([green], 2, {}, [greenEast]);
  t.is((await alone.plan()).refusals[0]?.details['budget'], 'green', 'its machines can have no other tags');
});
