import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker, makePlace } from '../../support/boot-broker.ts';
import { ask, boot } from '../hostfactory/in-process.ts';

test('the metrics have what is used of each limit of each budget, and the limit', async (t) => {
  const broker = await bootBroker({
    storage: 'memory',
    loop: 'none',
    configuration: {
      budgets: [
        { name: 'all', max_machines: 10, max_usd_per_hour: 1.5 },
        { name: 'fleet.only', match: { template_id: 'fleet' }, max_vcpus: 4 },
      ],
    },
  });
  t.teardown(() => broker.close());
  await broker.call('POST', '/requests/', { template_id: 'small', machine_count: 3 });
  const { body } = await broker.app.inject('/metrics');
  t.deepEqual(
    body.split('\n').filter((line) => line.startsWith('muster_budget_')),
    [
      'muster_budget_used{budget="all",limit="max_machines"} 3',
      'muster_budget_used{budget="all",limit="max_usd_per_hour"} 0.0624',
      'muster_budget_used{budget="fleet.only",limit="max_vcpus"} 0',
      'muster_budget_limit{budget="all",limit="max_machines"} 10',
      'muster_budget_limit{budget="all",limit="max_usd_per_hour"} 1.5',
      'muster_budget_limit{budget="fleet.only",limit="max_vcpus"} 4',
    ],
  );
});

test('a HostFactory script gets the sentence of a budget that has no room, and a later request that fits is accepted', async (t) => {
  const broker = await boot(t, {
    scheduler: 'hostfactory',
    storage: 'memory',
    configuration: { budgets: [{ name: 'all', max_machines: 3 }] },
  });
  const of = (machineCount: number) =>
    ask(broker, 'requestMachines', { template: { templateId: 'one', machineCount } });
  const { code, answer } = await of(4);
  t.not(code, 0);
  t.regex(
    answer.message ?? answer.error,
    /Budget 'all' allows 3 machines; 0 machines are used, so 4 machines more are refused\. Ask for fewer, return some, or raise the budget\./,
  );
  t.is((await of(3)).code, 0);
});

test('a budget that a changed configuration lowers refuses new requests and ends nothing, one that it raises accepts', async (t) => {
  const budgets = (max_machines: number) => ({ budgets: [{ name: 'all', max_machines }] });
  const place = await makePlace({ configuration: budgets(3) });
  t.teardown(() => place.close());
  const file = join(place.directory, 'muster.config.json');
  const configure = (changed: object) =>
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...changed }));
  const start = async () => {
    const broker = await bootBroker({ place });
    t.teardown(() => broker.close());
    return broker;
  };
  const ask1 = (broker: Awaited<ReturnType<typeof start>>, machine_count: number) =>
    broker.call('POST', '/requests/', { template_id: 'small', machine_count });

  const first = await start();
  const { body } = await ask1(first, 3);
  const status = (broker: typeof first) => broker.call('GET', `/requests/${body.request_id}`);
  await first.until(async () => (await status(first)).body.status === 'completed');
  t.is((await ask1(first, 1)).status, 409);
  await first.close();

  configure(budgets(2));
  const lowered = await start();
  const [budget] = (await lowered.call('GET', '/budgets/')).body.budgets;
  t.deepEqual(budget.limits, [{ limit: 'max_machines', max: 2, used: 3, near: true, exceeded: true }]);
  const refused = await ask1(lowered, 1);
  t.is(refused.status, 409);
  t.regex(refused.body.error.message, /allows 2 machines; 3 machines are used/);
  await new Promise((resolve) => void setTimeout(resolve, 300));
  t.like((await status(lowered)).body, { status: 'completed' });
  t.is((await status(lowered)).body.machines.filter((each: any) => each.status === 'running').length, 3);
  await lowered.close();

  configure({ budgets: [...budgets(5).budgets, { name: 'new', match: { template_id: 'small' }, max_vcpus: 8 }] });
  const raised = await start();
  t.is((await ask1(raised, 2)).status, 409, 'the new budget counts what ran before it: six of eight vCPUs');
  t.is((await ask1(raised, 1)).status, 201);
  await raised.close();
});
