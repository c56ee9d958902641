import { DetachInstancesCommand, TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { type GroupCloud, openGroups, openWeb } from './groups-support.ts';
import { codeOf, refusal } from './support.ts';

const detach = (cloud: GroupCloud, InstanceIds: string[], ShouldDecrementDesiredCapacity: boolean) =>
  cloud.autoScaling.send(
    new DetachInstancesCommand({ AutoScalingGroupName: 'web', InstanceIds, ShouldDecrementDesiredCapacity }),
  );
const terminate = (cloud: GroupCloud, InstanceId: string, ShouldDecrementDesiredCapacity: boolean) =>
  cloud.autoScaling.send(
    new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity }),
  );

test('a detached machine lives on without its group, which gets another or wants one less', async (t) => {
  const cloud = await openWeb(t, 3);
  const { before, ids, live, settle, show } = cloud;
  const [first, second] = before as [string, string];
  const { Activities } = await detach(cloud, [first], false);
  t.like(Activities?.[0], { Description: `Detaching EC2 instance: ${first}`, AutoScalingGroupName: 'web' });
  t.false((await ids('web')).includes(first));
  settle();
  t.is((await ids('web')).length, 3);
  t.is((await live()).size, 4);
  t.deepEqual(
    (await live()).get(first)?.Tags?.map((tag) => tag.Key),
    ['aws:ec2launchtemplate:id', 'aws:ec2launchtemplate:version', 'aws:ec2:fleet-id'],
  );
  await detach(cloud, [second], true);
  settle();
  t.is((await show('web'))?.DesiredCapacity, 2);
  t.is((await ids('web')).length, 2);
  t.is((await live()).size, 4);
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [first, second] }));
  settle();
  t.is((await live()).size, 2);
});

test('detaching is refused for machines that are not in service or not of the group, for too many, and below the minimum', async (t) => {
  const cloud = await openWeb(t, 2, { MinSize: 2, MaxSize: 30 });
  t.like(await refusal(detach(cloud, cloud.before, true)), { code: 'ValidationError', status: 400 });
  t.is(await codeOf(detach(cloud, ['i-0123456789abcdef0'], true)), 'ValidationError');
  await cloud.resize(25);
  cloud.simulator.advance(1000);
  const pending = (await cloud.members('web')).find((one) => one.LifecycleState === 'Pending')?.InstanceId ?? '';
  t.regex((await refusal(detach(cloud, [pending], true))).message, /InService/);
  cloud.settle();
  const all = await cloud.ids('web');
  t.is(await codeOf(detach(cloud, all.slice(0, 21), true)), 'ValidationError');
  t.is((await detach(cloud, all.slice(0, 20), true)).Activities?.length, 20);
  t.is((await cloud.show('web'))?.DesiredCapacity, 5);
});

test('a detachment that leaves the zones uneven costs other machines, unless AZRebalance is suspended', async (t) => {
  for (const suspended of [false, true]) {
    const cloud = await openWeb(t, 6);
    const { before, live, members, settle } = cloud;
    if (suspended) await cloud.suspend('AZRebalance');
    const inA = (await members('web'))
      .filter((one) => one.AvailabilityZone === 'us-east-1a')
      .map((one) => one.InstanceId ?? '');
    await detach(cloud, inA, true);
    settle();
    const rest = before.filter((id) => !inA.includes(id));
    const alive = await live();
    t.is(rest.filter((id) => alive.has(id)).length, suspended ? 4 : 3);
    t.is((await members('web')).length, 4);
    t.true(inA.every((id) => alive.has(id)));
  }
});

test('a machine terminated through its group takes its place with it, or is replaced', async (t) => {
  const cloud = await openWeb(t, 3);
  const { before, ids, live, settle, show } = cloud;
  const [first, second] = before as [string, string];
  const { Activity } = await terminate(cloud, first, true);
  t.like(Activity, { Description: `Terminating EC2 instance: ${first}`, StatusCode: 'InProgress' });
  t.is((await show('web'))?.DesiredCapacity, 2);
  t.is(await codeOf(terminate(cloud, first, true)), 'ScalingActivityInProgressFault');
  settle();
  t.deepEqual((await ids('web')).toSorted(), before.slice(1).toSorted());
  t.regex(
    (await refusal(terminate(cloud, first, true))).message,
    /Instance Id not found - No managed instance found for instance ID/,
  );
  await terminate(cloud, second, false);
  settle();
  t.is((await show('web'))?.DesiredCapacity, 2);
  t.is((await live()).size, 2);
  t.false((await live()).has(second));
});

test('a pending and protected machine can be terminated through its group too, but not below the minimum', async (t) => {
  const { autoScaling, create, ids, live, settle, show, simulator } = await openGroups(t);
  await create('web', { MinSize: 1, DesiredCapacity: 2, NewInstancesProtectedFromScaleIn: true });
  simulator.advance(1000);
  const [first, second] = (await ids('web')) as [string, string];
  const end = (InstanceId: string) =>
    autoScaling.send(
      new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity: true }),
    );
  await end(first);
  t.is(await codeOf(end(second)), 'ValidationError');
  settle();
  t.is((await live()).size, 1);
  t.is((await show('web'))?.DesiredCapacity, 1);
});

test('several machines of one group are terminated together or not at all', async (t) => {
  const { autoScaling, before, live, show } = await openWeb(t, 3);
  const end = (InstanceIds: string[]) =>
    autoScaling.send(
      new TerminateInstanceInAutoScalingGroupCommand({
        AutoScalingGroupName: 'web',
        InstanceIds,
        ShouldDecrementDesiredCapacity: true,
      }),
    );
  t.is(await codeOf(end([...before, 'i-0123456789abcdef0'])), 'ValidationError');
  t.is((await live()).size, 3);
  t.is((await end(before.slice(1))).Activities?.length, 2);
  t.is((await live()).size, 1);
  t.is((await show('web'))?.DesiredCapacity, 1);
});
