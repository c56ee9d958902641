import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import test from 'ava';
import { bootBroker, type BootedBroker, type BootOptions } from '../../support/boot-broker.ts';
import { tries } from '../../support/variants.ts';

const template = (template_id: string, fields: object = {}) => ({
  template_id,
  provider_api: 'RunInstances',
  image_id: 'ami-1',
  machine_type: 'm5.large',
  subnet_ids: ['subnet-1'],
  ...fields,
});

const templates = [
  template('plain'),
  template('big', { machine_type: 'm5.xlarge' }),
  template('blue', { tags: { team: 'blue' } }),
  template('bounded', { max_instances: 4 }),
  template('spot', { price_type: 'spot' }),
];

type Test = { teardown(over: () => Promise<void>): void };
const boot = async (t: Test, budgets: readonly object[], options: BootOptions = {}) => {
  const broker = await bootBroker({ storage: 'memory', templates, configuration: { budgets }, ...options });
  t.teardown(broker.close);
  return broker;
};

const plan = async (broker: BootedBroker, body: object) => (await broker.call('POST', '/requests/plan', body)).body;
const request = (broker: BootedBroker, body: object) => broker.call('POST', '/requests/', body);
/** What is used of each limit, by budget and limit. */
const used = async (broker: BootedBroker): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(
    (await broker.call('GET', '/budgets/')).body.budgets.flatMap(({ name, limits }: any) =>
      limits.map(({ limit, used: n }: any) => [`${name} ${limit}`, n]),
    ),
  );

test('a plan of a request that fits says what it takes of budgets and what it costs, and the real call does that', async (t) => {
  const broker = await boot(t, [{ name: 'all', max_machines: 10, max_vcpus: 20, max_usd_per_hour: 2 }], {
    loop: 'none',
  });
  const planned = await plan(broker, { template_id: 'plain', machine_count: 3 });
  t.like(planned, { accepted: true, refusals: [], selection: { provider_instance: 'east' } });
  t.like(planned.order, [
    { provider_instance: 'east', api: 'RunInstances', price: { usd_per_hour: 0.096, source: 'catalogue' } },
  ]);
  t.deepEqual(planned.cost, { usd_per_hour: 0.288, at_most_usd_per_hour: 0.288 });
  t.deepEqual(planned.budgets, [
    { name: 'all', limit: 'max_machines', max: 10, used: 0, after: 3 },
    { name: 'all', limit: 'max_vcpus', max: 20, used: 0, after: 6 },
    { name: 'all', limit: 'max_usd_per_hour', max: 2, used: 0, after: 0.288 },
  ]);
  t.is((await request(broker, { template_id: 'plain', machine_count: 3 })).status, 201);
  t.deepEqual(await used(broker), { 'all max_machines': 3, 'all max_vcpus': 6, 'all max_usd_per_hour': 0.288 });
});

test('a plan over budget has the refusal of the real call, and what is used stays', async (t) => {
  const broker = await boot(t, [{ name: 'all', max_machines: 4 }], { loop: 'none' });
  await request(broker, { template_id: 'plain', machine_count: 3 });
  const planned = await plan(broker, { template_id: 'plain', machine_count: 2 });
  const real = await request(broker, { template_id: 'plain', machine_count: 2 });
  t.false(planned.accepted);
  const details = { budget: 'all', limit: 'max_machines', max: 4, used: 3, asked: 2 };
  t.deepEqual(planned.refusals, [{ code: 'BUDGET_EXCEEDED', message: real.body.error.message, details }]);
  t.is(real.status, 409);
  t.like(real.body.error, { code: 'BUDGET_EXCEEDED' });
  t.deepEqual(planned.budgets, [{ name: 'all', limit: 'max_machines', max: 4, used: 3, after: 5 }]);
  t.deepEqual(await used(broker), { 'all max_machines': 3 });
});

test('a plan names each budget of the instance or the market that has no room there', async (t) => {
  const broker = await boot(t, [
    { name: 'no-spot', match: { price_type: 'spot' }, max_machines: 1 },
    { name: 'east', match: { provider_instance: 'east' }, max_machines: 5 },
  ]);
  const planned = await plan(broker, { template_id: 'spot', machine_count: 2 });
  t.true(planned.accepted, 'it is checked when machines are ordered');
  t.regex(planned.order[0].over_budget, /^Budget 'no-spot' allows 1 machine; 0 machines are used, so 2 machines more/);
  t.is((await plan(broker, { template_id: 'plain', machine_count: 2 })).order[0].over_budget, null);
});

test('a plan says which offers lacked capacity, and puts them after all others', async (t) => {
  const broker = await boot(t, [], {
    templates: [template('two', { machine_type: undefined, machine_types: { 'm5.large': 1, 'm5.xlarge': 1 } })],
    knobs: { capacity: [{ instance_type: 'm5.large', count: 0 }] },
  });
  const before = await plan(broker, { template_id: 'two', machine_count: 1 });
  t.true(before.order.length > 1 && before.order.every((each: any) => each.capacity_memory === null));
  const { body } = await request(broker, { template_id: 'two', machine_count: 1 });
  await broker.until(
    async () => (await broker.call('GET', `/requests/${body.request_id}`)).body.status === 'completed',
  );
  const { order } = await plan(broker, { template_id: 'two', machine_count: 1 });
  t.is(order[0].capacity_memory, null);
  const { capacity_memory, offer } = order.at(-1);
  t.regex(offer, /m5\.large/);
  t.true(Date.parse(capacity_memory.tried_again_at) > Date.parse(capacity_memory.short_since));
});

test('a plan of a template that is wrong is what the real call says', async (t) => {
  const broker = await boot(t, []);
  const unknown = { template_id: 'plian', machine_count: 1 };
  const [planned, real] = await Promise.all([
    broker.call('POST', '/requests/plan', unknown),
    request(broker, unknown),
  ]);
  t.is(planned.status, 404);
  t.is(real.status, 404);
  t.is(planned.body.error.message, real.body.error.message);
  const wrong: readonly object[] = [
    { template_id: 'bounded', machine_count: 5 },
    { template_id: 'plain', machine_count: 2, names: ['one'] },
    { template_id: 'plain', machine_count: 1, provider_preference: { provider_instance: 'nowhere' } },
    { template_id: 'plain', machine_count: 1, provider_preference: { provider_type: 'other' } },
    { template_id: 'plain', machine_count: 1, provider_preference: { type: 'explicit' } },
  ];
  for (const body of wrong) {
    const refused = await plan(broker, body);
    const { status, body: answer } = await request(broker, body);
    t.true(status >= 400, JSON.stringify([body, answer]));
    t.like(refused, { accepted: false, selection: null, order: [] });
    t.deepEqual(
      refused.refusals.map(({ code, message }: any) => [code, message]),
      [[answer.error.code, answer.error.message]],
    );
  }
});

/** A hash of every row of every table of the database. */
function content(directory: string): Readonly<Record<string, string>> {
  const file = readdirSync(directory, { recursive: true, encoding: 'utf8' }).find((name) =>
    /\.(db|sqlite)$/.test(name),
  );
  const database = new DatabaseSync(join(directory, file ?? ''), { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const rows = tables.map(({ name }): [string, string] => [
    String(name),
    createHash('sha256')
      .update(JSON.stringify(database.prepare(`SELECT * FROM "${String(name)}"`).all()))
      .digest('hex'),
  ]);
  database.close();
  return Object.fromEntries(rows);
}

const budgets = [
  { name: 'all', max_machines: 60, max_vcpus: 150 },
  { name: 'dollars', max_usd_per_hour: 5, max_usd_per_day: 6 },
  { name: 'blue', match: { tags: { team: 'blue' } }, max_machines: 12 },
  { name: 'big', match: { template_id: 'big' }, max_machines: 8 },
];

const inputs = fc.record(
  {
    template_id: fc.constantFrom('plain', 'big', 'blue', 'bounded', 'spot', 'none'),
    machine_count: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 5 }) }, fc.integer({ min: 6, max: 80 })),
    lease: fc.constant(600),
  },
  { requiredKeys: ['template_id', 'machine_count'] },
);

test('over random templates and states a plan writes nothing, and the real call does what it said', async (t) => {
  const broker = await boot(t, budgets, { storage: 'sqlite', loop: 'none' });
  const { directory } = broker.place;
  const outcomes = new Map<string, number>();
  for (const input of fc.sample(inputs, tries(30, 100))) {
    const before = content(directory);
    const planned = await broker.call('POST', '/requests/plan', input);
    t.deepEqual(content(directory), before, 'no row of any table changed');
    const was = await used(broker);
    const real = await request(broker, input);
    const label = JSON.stringify([input, planned.body, real.body]);
    const outcome = real.status === 201 ? 'accepted' : real.body.error.code;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (planned.status !== 200) {
      t.is(planned.status, real.status, label);
      continue;
    }
    t.is(planned.body.accepted, real.status === 201, label);
    if (planned.body.accepted) {
      const after = Object.fromEntries(
        planned.body.budgets.map((each: any) => [`${each.name} ${each.limit}`, each.after]),
      );
      t.deepEqual(await used(broker), { ...was, ...after }, label);
    } else {
      t.true(
        planned.body.refusals.some(
          ({ code, message }: any) => code === real.body.error.code && message === real.body.error.message,
        ),
        label,
      );
      t.deepEqual(await used(broker), was, label);
    }
  }
  t.true(
    (outcomes.get('accepted') ?? 0) >= 3 && (outcomes.get('BUDGET_EXCEEDED') ?? 0) >= 3,
    JSON.stringify([...outcomes]),
  );
});
