import { UpdateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { openGroups, openWeb, tally } from './groups-support.ts';
import { codeOf } from './support.ts';

test('a group shrinks by the oldest in the zone that has most, and never by a protected machine', async (t) => {
  const cloud = await openWeb(t, 6);
  const { before, ids, live, settle, members } = cloud;
  await cloud.protect(before.slice(0, 4));
  await cloud.resize(1);
  settle();
  t.deepEqual(await ids('web'), before.slice(0, 4));
  t.is((await live()).size, 4);
  t.deepEqual(tally((await members('web')).map((one) => String(one.ProtectedFromScaleIn))), { true: 4 });
  await cloud.protect(before.slice(0, 4), false);
  settle();
  t.is((await ids('web')).length, 1);
});

test('a termination policy can choose the newest machines first', async (t) => {
  const { before, ids, resize, settle } = await openWeb(t, 2, {
    AvailabilityZones: ['us-east-1a'],
    TerminationPolicies: ['NewestInstance'],
  });
  await resize(4);
  settle();
  await resize(2);
  settle();
  t.deepEqual(await ids('web'), before);
});

test('a shrinking group stays even without starting anything', async (t) => {
  const cloud = await openWeb(t, 9);
  await cloud.resize(4);
  cloud.settle();
  t.true((await cloud.ids('web')).every((id) => cloud.before.includes(id)));
  t.deepEqual(
    Object.values(tally((await cloud.members('web')).map((one) => one.AvailabilityZone))).toSorted(),
    [1, 1, 2],
  );
});

test('new machines are protected where the group says so', async (t) => {
  const cloud = await openWeb(t, 2, { NewInstancesProtectedFromScaleIn: true });
  await cloud.resize(0);
  cloud.settle();
  t.is((await cloud.live()).size, 2);
});

test('a machine that ends behind its group is noticed at the next look and replaced', async (t) => {
  const cloud = await openWeb(t, 3);
  const { before, ec2, ids, members, simulator, settle, activities } = cloud;
  const gone = before[0] as string;
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [gone] }));
  simulator.advance(4999);
  t.like(
    (await members('web')).find((one) => one.InstanceId === gone),
    { LifecycleState: 'InService', HealthStatus: 'Healthy' },
  );
  settle();
  const after = await ids('web');
  t.is(after.length, 3);
  t.false(after.includes(gone));
  t.true((await activities('web')).some((one) => /health check/.test(one.Cause ?? '')));
});

test('a machine that is seen to have ended is shown unhealthy until it is gone', async (t) => {
  const cloud = await openWeb(t, 1, {}, { knobs: { shutdown_ms: 20_000 } });
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: cloud.before }));
  cloud.simulator.advance(5000);
  t.like((await cloud.members('web'))[0], { LifecycleState: 'Terminating', HealthStatus: 'Unhealthy' });
});

test('with Launch suspended nothing is replaced, and a group that is resized meanwhile stays small', async (t) => {
  const cloud = await openWeb(t, 5, { NewInstancesProtectedFromScaleIn: true });
  const { autoScaling, before, ec2, live, settle, show } = cloud;
  await cloud.suspend('Launch');
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: before.slice(0, 3) }));
  await autoScaling.send(
    new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'web', MinSize: 0, DesiredCapacity: 2 }),
  );
  settle();
  t.deepEqual([...(await live()).keys()].toSorted(), before.slice(3).toSorted());
  t.deepEqual(
    (await show('web'))?.SuspendedProcesses?.map((one) => one.ProcessName),
    ['Launch'],
  );
  await cloud.resume();
  settle();
  t.is((await live()).size, 2);
});

test('a group that shrinks before it has noticed the end of machines may take others, which is why they are protected', async (t) => {
  const cloud = await openWeb(t, 4);
  await cloud.suspend('Launch', 'AZRebalance');
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: cloud.before.slice(2) }));
  await cloud.resize(2);
  cloud.settle();
  t.true((await cloud.live()).size < 2);
});

for (const process of ['HealthCheck', 'ReplaceUnhealthy', 'Terminate']) {
  test(`with ${process} suspended nothing is replaced until it is resumed`, async (t) => {
    const cloud = await openWeb(t, 2);
    await cloud.suspend(process);
    await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: cloud.before.slice(0, 1) }));
    cloud.settle();
    t.is((await cloud.live()).size, 1);
    const shown = (await cloud.members('web')).find((one) => one.InstanceId === cloud.before[0]);
    t.is(shown?.HealthStatus, process === 'HealthCheck' ? 'Healthy' : 'Unhealthy');
    await cloud.resume(process);
    cloud.settle();
    t.is((await cloud.live()).size, 2);
    t.is((await cloud.ids('web')).length, 2);
  });
}

test('a suspension without processes concerns all processes', async (t) => {
  const cloud = await openWeb(t, 2);
  await cloud.suspend();
  t.is((await cloud.show('web'))?.SuspendedProcesses?.length, 9);
  await cloud.resize(5);
  cloud.settle();
  t.is((await cloud.live()).size, 2);
  await cloud.resume();
  t.deepEqual((await cloud.show('web'))?.SuspendedProcesses, []);
  cloud.settle();
  t.is((await cloud.live()).size, 5);
  t.is(await codeOf(cloud.suspend('Sleep')), 'ValidationError');
});

test('a machine that fails while it boots is replaced, and its launch is told as cancelled', async (t) => {
  const { activities, create, live, members, settle, simulator } = await openGroups(t, {
    knobs: { late_failures: [{ code: 'Server.InternalError', message: 'Server.InternalError: disk' }] },
  });
  await create('web', { DesiredCapacity: 1 });
  simulator.advance(5000);
  t.like((await members('web'))[0], { LifecycleState: 'Pending', HealthStatus: 'Healthy' });
  t.is((await activities('web'))[0]?.StatusCode, 'InProgress');
  settle();
  t.is((await live()).size, 1);
  const cancelled = (await activities('web')).filter((one) => one.StatusCode === 'Cancelled');
  t.is(cancelled.length, 1);
  t.regex(cancelled[0]?.StatusMessage ?? '', /Server\.InternalError: disk/);
});

test('a group whose machines all fail while they boot tries ever less often', async (t) => {
  const { activities, create, simulator } = await openGroups(t, { knobs: { late_failures: [{ times: null }] } });
  await create('web', { DesiredCapacity: 1 });
  simulator.advance(3_600_000);
  const launches = (await activities('web')).filter((one) => one.StatusCode === 'Cancelled').length;
  t.true(launches > 20 && launches < 60, `${launches} launches`);
});

test('zones are evened out when the smaller one can deliver again, the new machine first', async (t) => {
  const cloud = await openGroups(t, { knobs: { capacity: [{ zone: 'us-east-1c', count: 0 }] } });
  const { create, members, settle, simulator } = cloud;
  await create('web', { DesiredCapacity: 6 });
  settle();
  const spread = async () => tally((await members('web')).map((one) => one.AvailabilityZone));
  t.deepEqual(await spread(), { 'us-east-1a': 3, 'us-east-1b': 3 });
  simulator.setKnobs({ capacity: [] });
  let most = 0;
  for (let step = 0; step < 200; step++) {
    simulator.advance(1000);
    const now = (await members('web')).length;
    most = Math.max(most, now);
    t.true(now >= 6);
  }
  t.is(most, 7);
  t.deepEqual(await spread(), { 'us-east-1a': 2, 'us-east-1b': 2, 'us-east-1c': 2 });
});

test('protection is set for at most fifty machines in service', async (t) => {
  const cloud = await openWeb(t, 1);
  t.is(await codeOf(cloud.protect(Array.from({ length: 51 }, (_, index) => `i-${index}`))), 'ValidationError');
  t.is(await codeOf(cloud.protect(['i-0123456789abcdef0'])), 'ValidationError');
  await cloud.protect(cloud.before);
  await cloud.resize(2);
  cloud.simulator.advance(1000);
  const pending = (await cloud.ids('web')).filter((id) => !cloud.before.includes(id));
  t.is(await codeOf(cloud.protect(pending)), 'ValidationError');
});

test('machines leave a zone that their group has left', async (t) => {
  const cloud = await openWeb(t, 4);
  const AvailabilityZones = ['us-east-1a', 'us-east-1b'];
  await cloud.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'web', AvailabilityZones }));
  cloud.simulator.advance(600_000);
  t.deepEqual(tally((await cloud.members('web')).map((one) => one.AvailabilityZone)), {
    'us-east-1a': 2,
    'us-east-1b': 2,
  });
});

for (const ends_pending of [true, false]) {
  test(`a suspended Terminate and protection keep machines in service; pending ones end by the knob: ${ends_pending}`, async (t) => {
    const groups = { ends_pending } as KnobChange['groups'];
    const cloud = await openWeb(t, 2, { NewInstancesProtectedFromScaleIn: true }, { knobs: { groups } as KnobChange });
    await cloud.suspend('Terminate', 'ReplaceUnhealthy', 'AZRebalance');
    cloud.simulator.setKnobs({ stuck: [{ times: null }] });
    await cloud.resize(4);
    cloud.settle();
    t.is((await cloud.live()).size, 4);
    // The group counts the ended machine, so that it has one machine too many at three.
    await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: cloud.before.slice(0, 1) }));
    await cloud.suspend('Launch');
    await cloud.resize(3);
    cloud.settle();
    const live = await cloud.live();
    t.is(live.size, ends_pending ? 2 : 3);
    t.true(live.has(cloud.before[1] ?? ''));
    await cloud.resize(0);
    cloud.settle();
    t.is((await cloud.live()).size, ends_pending ? 1 : 3);
  });
}
