import test from 'ava';
import { isUpcoming } from '../../../plugins/cloud/observe/liveness/retirements.ts';
import { machinesOf, steadyStage } from './steady-support.ts';

const events: readonly [code: string, description: string, ahead: boolean][] = [
  ['instance-retirement', 'The instance is running on degraded hardware', true],
  ['instance-stop', 'The instance is scheduled to be stopped', true],
  ['instance-retirement', '[Completed] The instance is running on degraded hardware', false],
  ['instance-stop', '[Canceled] The instance is scheduled to be stopped', false],
  ['system-reboot', 'The host of the instance is scheduled for a reboot', false],
];
for (const [Code, Description, ahead] of events) {
  test(`an event ${Code} ${ahead ? 'ends' : 'does not end'} a machine when it says '${Description}'`, (t) => {
    t.is(isUpcoming({ Code, Description } as Parameters<typeof isUpcoming>[0]), ahead);
  });
}

test('a planned retirement of a machine at rest is reported with its time, from one call in five minutes', async (t) => {
  const there = await steadyStage();
  t.teardown(there.close);
  const watched = await there.steady(2, 'subnet-1');
  t.is((await there.observe([watched])).calls['DescribeInstanceStatus'], 1);
  const [first = '', second = ''] = watched.known.map(({ machine_id }) => machine_id);
  const at = there.simulator.clock.now();
  there.simulator.setKnobs({
    health: [
      { instance_ids: [first], event: 'instance-retirement', event_in_ms: 7_200_000 },
      { instance_ids: [first], event: 'instance-stop', event_in_ms: 3_500_000 },
      { instance_ids: [second], event: 'system-reboot' },
    ],
  });
  there.pass(299_000);
  t.is((await there.observe([watched])).calls['DescribeInstanceStatus'], undefined);
  there.pass(1_000);
  const { seen } = await there.observe([watched]);
  const ends = new Map(machinesOf(seen[0]).map(({ machine_id, reclaim_at }) => [machine_id, reclaim_at]));
  t.is(ends.get(second), null, 'nobody takes it back');
  const end = Date.parse(ends.get(first) ?? '');
  // In the time of the broker, which is five minutes ahead of the cloud's here.
  const due = at + 3_500_000 + 300_000;
  t.true(Math.abs(end - due) < 10_000, String(ends.get(first)));
});

test('a failed call for scheduled events hides no machine', async (t) => {
  const there = await steadyStage();
  t.teardown(there.close);
  const watched = await there.steady(2, 'subnet-1');
  there.simulator.setKnobs({ auth: { denied: [{ action: 'DescribeInstanceStatus' }] } });
  t.is(machinesOf((await there.observe([watched])).seen[0]).length, 2);
});

test('a retirement days ahead is not reported yet, and a cancelled one is withdrawn', async (t) => {
  const there = await steadyStage();
  t.teardown(there.close);
  const watched = await there.steady(1, 'subnet-1');
  const [only = ''] = watched.known.map(({ machine_id }) => machine_id);
  const told = async () => machinesOf((await there.observe([watched])).seen[0])[0]?.reclaim_at;
  there.simulator.setKnobs({
    health: [{ instance_ids: [only], event: 'instance-retirement', event_in_ms: 86_400_000 }],
  });
  t.is(await told(), null);
  there.simulator.setKnobs({ health: [{ instance_ids: [only], event: 'instance-retirement', event_in_ms: 600_000 }] });
  there.pass(300_000);
  t.is(typeof (await told()), 'string');
  there.simulator.setKnobs({ health: [] });
  there.pass(300_000);
  t.is(await told(), null);
});
