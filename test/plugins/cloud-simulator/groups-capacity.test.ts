import { SetDesiredCapacityCommand } from '@aws-sdk/client-auto-scaling';
import test from 'ava';
import { zoneShares } from '../../../plugins/cloud-simulator/groups/launch/zone-shares.ts';
import { openGroups, tally } from './groups-support.ts';

test('a launch without capacity fails in the activities, is tried again ever less often, and succeeds once there is capacity', async (t) => {
  const { activities, create, members, settle, simulator } = await openGroups(t, {
    knobs: { capacity: [{ count: 0 }] },
  });
  await create('web', { DesiredCapacity: 2, AvailabilityZones: ['us-east-1a'] });
  simulator.advance(3_600_000);
  const failed = (await activities('web')).toReversed();
  t.like(failed[0], { StatusCode: 'Failed', Progress: 100, AutoScalingGroupName: 'web' });
  t.regex(
    failed[0]?.StatusMessage ?? '',
    /do not have sufficient t3\.micro capacity .*us-east-1a.* Launching EC2 instance failed\.$/,
  );
  const times = failed.map((one) => Number(one.StartTime));
  const waits = times.slice(1).map((at, index) => at - (times[index] as number) - 500);
  t.deepEqual(waits.slice(0, 7), [5000, 10_000, 20_000, 40_000, 80_000, 80_000, 80_000]);
  simulator.setKnobs({ capacity: [] });
  simulator.advance(81_000);
  settle();
  t.deepEqual(tally((await members('web')).map((one) => one.LifecycleState)), { InService: 2 });
  t.like((await activities('web'))[0], { StatusCode: 'Successful' });
});

test('a group that got machines in between waits as after a first failure', async (t) => {
  const { activities, autoScaling, create, settle, simulator } = await openGroups(t, {
    knobs: { capacity: [{ count: 0 }] },
  });
  await create('web', { DesiredCapacity: 1, AvailabilityZones: ['us-east-1a'] });
  simulator.advance(3_600_000);
  simulator.setKnobs({ capacity: [{ count: 1 }] });
  simulator.advance(90_000);
  await autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'web', DesiredCapacity: 2 }));
  settle();
  const [, second, first] = (await activities('web')).filter((one) => one.StatusCode === 'Failed').slice(0, 3);
  t.is(Number(second?.StartTime) - Number(first?.StartTime), 10_500);
});

test('a change by a caller ends the wait for another try', async (t) => {
  const { autoScaling, create, members, simulator } = await openGroups(t, { knobs: { capacity: [{ count: 0 }] } });
  await create('web', { DesiredCapacity: 2 });
  simulator.advance(3_600_000);
  simulator.setKnobs({ capacity: [] });
  await autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'web', DesiredCapacity: 1 }));
  simulator.advance(1000);
  t.is((await members('web')).length, 1);
});

test('other zones deliver the part of a zone without capacity', async (t) => {
  const { activities, create, members, simulator } = await openGroups(t, {
    knobs: { capacity: [{ zone: 'us-east-1b', count: 1 }] },
  });
  await create('web', { DesiredCapacity: 9 });
  simulator.advance(3_600_000);
  t.deepEqual(tally((await members('web')).map((one) => one.AvailabilityZone)), {
    'us-east-1a': 4,
    'us-east-1b': 1,
    'us-east-1c': 4,
  });
  // Evening out the zones is not tried where it cannot succeed.
  const failed = (await activities('web')).filter((one) => one.StatusCode === 'Failed');
  t.is(failed.length, 1);
  t.regex(failed[0]?.StatusMessage ?? '', /us-east-1b/);
});

test('the knob partial counts each launch of a group as one call of CreateAutoScalingGroup', async (t) => {
  const { create, members, simulator } = await openGroups(t, {
    knobs: { partial: [{ action: 'CreateAutoScalingGroup', deliver: 2, times: 2 }] },
  });
  await create('web', { DesiredCapacity: 7 });
  simulator.advance(1000);
  t.is((await members('web')).length, 2);
  simulator.advance(5500);
  t.is((await members('web')).length, 4);
  simulator.advance(10_500);
  t.is((await members('web')).length, 7);
});

test('a large group that gets no capacity for a long time is tried again as seldom as a small one', async (t) => {
  const { activities, create, simulator } = await openGroups(t, { knobs: { capacity: [{ count: 0 }] } });
  await create('small', { DesiredCapacity: 1 });
  await create('large', { DesiredCapacity: 20 });
  simulator.advance(3_600_000);
  const tried = async (name: string) => new Set((await activities(name)).map((one) => Number(one.StartTime))).size;
  const small = await tried('small');
  t.true(small > 10 && small < 60, `${small} times in an hour`);
  t.is(await tried('large'), small);
});

const shares: readonly [has: number[], total: number, shares: number[]][] = [
  [[0, 0, 0], 7, [3, 2, 2]],
  [[3, 0, 1], 2, [0, 2, 0]],
  [[3, 0, 1], 3, [0, 2, 1]],
  [[5, 0], 3, [0, 3]],
  [[0], 4, [4]],
  [[2, 2], 0, [0, 0]],
];
for (const [has, total, expected] of shares) {
  test(`zones with ${has} machines get ${expected} of ${total}`, (t) => {
    t.deepEqual(zoneShares(has, total), expected);
  });
}
