import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { fastClock } from '../../support/fast-clock.ts';
import { limitedTests } from '../../support/limited-tests.ts';
import { openWithQueue, poolOf, quick, stateEvent, ways } from './interruption-support.ts';

const test = limitedTests(3);

const simple = {
  provider_api: 'RunInstances',
  image_id: 'ami-1',
  machine_type: 't3.small',
  subnet_ids: ['subnet-1'],
};

for (const way of ways)
  test(`${Object.values(way).join(' ')}: false changes of state change nothing, and a true one is believed once EC2 shows it`, async (t) => {
    const { ec2, simulator, order, send, until, machines, events, left, counts, warnings } = await openWithQueue(
      t,
      quick,
      { clock: fastClock(10), ...poolOf(way) },
    );
    const { id, ids } = await order('pool', 4);
    await until(async () => left() === 0);
    // The cost grows with the time.
    const shown = async () =>
      (await machines(id)).map((machine) => {
        const { cost: _, ...others } = machine;
        return others;
      });
    const before = await shown();
    const states = ['terminated', 'shutting-down', 'stopped', 'stopping'];
    for (const [index, state] of states.entries()) await send(stateEvent(ids[index] ?? '', state));
    await until(async () => (await counts())['state refuted'] === 4);
    t.deepEqual(await shown(), before);
    t.deepEqual(simulator.ledger().live[id]?.toSorted(), ids.toSorted());
    t.deepEqual(await events('machine.lost'), []);
    t.is(warnings.filter((text) => /the provider shows for a minute that it is not/.test(text)).length, 1);

    simulator.setKnobs({ state_lag_ms: 500 });
    const [victim = ''] = ids;
    await ec2.send(new TerminateInstancesCommand({ InstanceIds: [victim] }));
    await until(async () => (await events('machine.lost')).length === 1);
    const after = (await machines(id)).find(({ machine_id }) => machine_id === victim);
    t.is(after?.status, 'terminated');
  });

test('ten thousand false changes of state about ten thousand machines cost a bounded number of calls', async (t) => {
  t.timeout(300_000);
  const { simulator, order, until, events, left, counts, put, broker } = await openWithQueue(
    t,
    {},
    { clock: fastClock(4), templates: [{ ...simple, template_id: 'pool' }] },
  );
  const ids: string[] = [];
  for (let orders = 0; orders < 20; orders++) ids.push(...(await order('pool', 500)).ids);
  t.is(ids.length, 10_000);
  await until(async () => left() === 0);
  const before = simulator.audit().at(-1)?.n ?? 0;
  put(ids.map((id) => stateEvent(id, 'terminated')));
  await until(async () => left() === 0);
  await until(async () => (await counts())['state refuted'] === 10_000);
  const calls = simulator.audit(before).filter(({ action }) => action.startsWith('Describe'));
  t.log(`${calls.length} calls`);
  t.true(calls.length <= 300, `${calls.length} calls`);
  t.is(await broker.broker.store.count('machine', { status: 'running' }), 10_000);
  t.deepEqual(await events('machine.lost'), []);
});
