import {
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  SetDesiredCapacityCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { CreateLaunchTemplateVersionCommand, DeleteLaunchTemplateCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { openGroups, tally, zones } from './groups-support.ts';
import { codeOf, refusal } from './support.ts';

test('an empty group is shown with all its settings and starts nothing', async (t) => {
  const { create, show, settle, simulator, templateId } = await openGroups(t);
  await create('empty', {
    MaxSize: 0,
    DefaultCooldown: 7,
    HealthCheckGracePeriod: 30,
    CapacityRebalance: true,
    TerminationPolicies: ['OldestInstance'],
    NewInstancesProtectedFromScaleIn: true,
    Tags: [{ Key: 'a', Value: 'b', PropagateAtLaunch: true }],
  });
  settle();
  t.like(await show('empty'), {
    AutoScalingGroupName: 'empty',
    MinSize: 0,
    MaxSize: 0,
    DesiredCapacity: 0,
    DefaultCooldown: 7,
    AvailabilityZones: zones,
    HealthCheckType: 'EC2',
    HealthCheckGracePeriod: 30,
    CapacityRebalance: true,
    Instances: [],
    SuspendedProcesses: [],
    NewInstancesProtectedFromScaleIn: true,
    TerminationPolicies: ['OldestInstance'],
    LaunchTemplate: { LaunchTemplateId: templateId, LaunchTemplateName: 'pool', Version: '1' },
    Tags: [{ ResourceId: 'empty', ResourceType: 'auto-scaling-group', Key: 'a', Value: 'b', PropagateAtLaunch: true }],
    Status: undefined,
  });
  t.true((await show('empty'))?.CreatedTime instanceof Date);
  t.deepEqual(simulator.ledger().groups, ['empty']);
  t.deepEqual(simulator.ledger().untagged, []);
});

test('machines of a group come after its reaction, pending at first, spread over the zones', async (t) => {
  const { create, members, simulator, autoScaling } = await openGroups(t);
  await create('web', { DesiredCapacity: 7 });
  simulator.advance(999);
  t.deepEqual(await members('web'), []);
  simulator.advance(1);
  const young = await members('web');
  t.deepEqual(tally(young.map((one) => one.LifecycleState)), { Pending: 7 });
  t.deepEqual(tally(young.map((one) => one.AvailabilityZone)), { 'us-east-1a': 3, 'us-east-1b': 2, 'us-east-1c': 2 });
  simulator.advance(2000);
  t.like((await members('web'))[0], {
    LifecycleState: 'InService',
    HealthStatus: 'Healthy',
    InstanceType: 't3.micro',
  });
  const { AutoScalingInstances } = await autoScaling.send(new DescribeAutoScalingInstancesCommand({}));
  t.is(AutoScalingInstances?.length, 7);
  t.like(AutoScalingInstances?.[0], {
    AutoScalingGroupName: 'web',
    LifecycleState: 'InService',
    HealthStatus: 'HEALTHY',
  });
});

test('desired capacity is the minimum unless it is given', async (t) => {
  const { create, ids, settle } = await openGroups(t);
  await create('web', { MinSize: 2 });
  settle();
  t.is((await ids('web')).length, 2);
});

test('subnets decide the zones, and machines are put into them', async (t) => {
  const { create, show, live, settle } = await openGroups(t);
  await create('web', {
    AvailabilityZones: undefined,
    VPCZoneIdentifier: 'subnet-one, subnet-two',
    DesiredCapacity: 2,
  });
  settle();
  const subnets = [...(await live()).values()].map((machine) => machine.SubnetId);
  t.true(subnets.every((id) => id === 'subnet-one' || id === 'subnet-two'));
  t.is((await show('web'))?.VPCZoneIdentifier, 'subnet-one,subnet-two');
});

test('a name is taken while a group of that name is there, also one that is being deleted', async (t) => {
  const { autoScaling, create, show, settle, simulator } = await openGroups(t);
  await create('web', { DesiredCapacity: 1 });
  settle();
  const again = await refusal(create('web'));
  t.like(again, { code: 'AlreadyExistsFault', status: 400 });
  await autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'web', ForceDelete: true }));
  t.is(await codeOf(create('web')), 'AlreadyExistsFault');
  simulator.advance(1000);
  t.is((await show('web'))?.Status, 'Delete in progress');
  t.is(await codeOf(create('web')), 'AlreadyExistsFault');
  simulator.advance(1000);
  t.is(await show('web'), undefined);
  await create('web');
  t.is((await show('web'))?.DesiredCapacity, 0);
});

test('deleting a group that is not empty needs force, which ends protected machines too', async (t) => {
  const { autoScaling, create, show, live, members, settle, simulator } = await openGroups(t);
  const remove = (ForceDelete?: boolean) =>
    autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'web', ForceDelete }));
  await create('web', { DesiredCapacity: 2, NewInstancesProtectedFromScaleIn: true });
  simulator.advance(600);
  t.like(await refusal(remove()), { code: 'ScalingActivityInProgressFault', status: 400 });
  settle();
  t.like(await refusal(remove(false)), { code: 'ResourceInUseFault', status: 400 });
  await remove(true);
  t.is((await live()).size, 0);
  t.deepEqual(simulator.ledger().groups, []);
  t.like(await show('web'), { Status: 'Delete in progress', DesiredCapacity: 0, MaxSize: 0 });
  t.deepEqual(tally((await members('web')).map((one) => one.LifecycleState)), { Terminating: 2 });
  t.is(
    await codeOf(autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'web', DesiredCapacity: 0 }))),
    'ScalingActivityInProgressFault',
  );
  await remove(true);
  settle();
  t.is(await show('web'), undefined);
  t.regex((await refusal(remove())).message, /not found/);
});

test('machines that start after the deletion of their group are terminated', async (t) => {
  const { autoScaling, create, show, live, settle, simulator } = await openGroups(t);
  await create('web', { DesiredCapacity: 2 });
  simulator.advance(600);
  await autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'web', ForceDelete: true }));
  simulator.advance(300);
  t.is((await show('web'))?.Status, 'Delete in progress');
  settle();
  t.is((await live()).size, 0);
  t.is(await show('web'), undefined);
  t.is(simulator.ledger().machine_seconds, 0);
});

test('an empty group is deleted without force', async (t) => {
  const { autoScaling, create, show, settle } = await openGroups(t);
  await create('web');
  await autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'web' }));
  t.is((await show('web'))?.Status, 'Delete in progress');
  settle();
  t.is(await show('web'), undefined);
});

test('unknown names of groups are missing from the answer', async (t) => {
  const { autoScaling, create } = await openGroups(t);
  const describe = (names?: string[]) =>
    autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: names }));
  t.deepEqual((await describe(['none'])).AutoScalingGroups, []);
  t.deepEqual((await describe()).AutoScalingGroups, []);
  await create('web');
  t.deepEqual(
    (await describe(['none', 'web'])).AutoScalingGroups?.map((group) => group.AutoScalingGroupName),
    ['web'],
  );
});

test('an update changes what it names, and new bounds pull the desired capacity', async (t) => {
  const { autoScaling, create, show, members, settle } = await openGroups(t);
  const update = (change: object) =>
    autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'web', ...change }));
  await create('web', { DesiredCapacity: 4 });
  settle();
  await update({ MaxSize: 3 });
  t.like(await show('web'), { MinSize: 0, MaxSize: 3, DesiredCapacity: 3 });
  settle();
  t.is((await members('web')).length, 3);
  await update({ MinSize: 5, MaxSize: 6, DefaultCooldown: 1 });
  t.like(await show('web'), {
    MinSize: 5,
    MaxSize: 6,
    DesiredCapacity: 5,
    DefaultCooldown: 1,
    AvailabilityZones: zones,
  });
  t.is(await codeOf(update({ MaxSize: 4 })), 'ValidationError');
  t.is(await codeOf(update({ DesiredCapacity: 7 })), 'ValidationError');
  t.like(await show('web'), { MinSize: 5, MaxSize: 6, DesiredCapacity: 5 });
  await update({ MinSize: 0, MaxSize: 0, DesiredCapacity: 0 });
  settle();
  t.deepEqual(await members('web'), []);
  t.is(
    await codeOf(autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'none' }))),
    'ValidationError',
  );
});

test('the desired capacity is set within the bounds only, and a cooldown holds up those who honour it', async (t) => {
  const { autoScaling, create, settle } = await openGroups(t);
  const set = (DesiredCapacity: number, HonorCooldown?: boolean) =>
    autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'web', DesiredCapacity, HonorCooldown }));
  await create('web', { MinSize: 1, MaxSize: 3 });
  t.regex((await refusal(set(4))).message, /above max value 3/);
  t.regex((await refusal(set(0))).message, /below min value 1/);
  settle();
  t.is(await codeOf(set(2, true)), 'ScalingActivityInProgressFault');
  await set(2);
});

test('the version of a template is looked up at each launch', async (t) => {
  const { autoScaling, create, ec2, members, settle, templateId } = await openGroups(t);
  await create('web', { DesiredCapacity: 1, LaunchTemplate: { LaunchTemplateName: 'pool', Version: '$Latest' } });
  settle();
  await ec2.send(
    new CreateLaunchTemplateVersionCommand({
      LaunchTemplateId: templateId,
      LaunchTemplateData: { ImageId: 'ami-1', InstanceType: 'm5.large' },
    }),
  );
  await autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'web', DesiredCapacity: 2 }));
  settle();
  t.deepEqual(
    (await members('web')).map((one) => [one.InstanceType, one.LaunchTemplate?.Version]),
    [
      ['t3.micro', '1'],
      ['m5.large', '2'],
    ],
  );
  await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId: templateId }));
  await autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'web', DesiredCapacity: 3 }));
  settle();
  t.is((await members('web')).length, 2);
});
