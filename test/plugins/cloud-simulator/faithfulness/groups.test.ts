// What other emulators of Auto Scaling are known to get wrong, right here.
import {
  AutoScalingClient,
  CreateAutoScalingGroupCommand,
  type CreateAutoScalingGroupCommandInput,
  DeleteAutoScalingGroupCommand,
  DescribeAccountLimitsCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeScalingActivitiesCommand,
  DetachInstancesCommand,
  SetDesiredCapacityCommand,
  SetInstanceProtectionCommand,
  SuspendProcessesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { CreateLaunchTemplateCommand, DescribeInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import type { SimulatorOptions } from '../../../../plugins/cloud-simulator/server/server.ts';
import { checkAnswers } from '../model-check.ts';
import { type Cloud, codeOf, openCloud } from '../support.ts';

const AutoScalingGroupName = 'one';

interface Groups extends Cloud {
  readonly groups: AutoScalingClient;
}

async function openGroups(t: ExecutionContext, options: SimulatorOptions = {}): Promise<Groups> {
  const cloud = await openCloud(t, options);
  const LaunchTemplateData = { ImageId: 'ami-1', InstanceType: 't3.micro' } as const;
  await cloud.ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'one', LaunchTemplateData }));
  const credentials = { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' };
  const groups = new AutoScalingClient({
    endpoint: cloud.simulator.url,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials,
  });
  checkAnswers(groups);
  t.teardown(() => groups.destroy());
  return { ...cloud, groups };
}

const group = (desired: number, more: Partial<CreateAutoScalingGroupCommandInput> = {}) =>
  new CreateAutoScalingGroupCommand({
    AutoScalingGroupName,
    MinSize: 0,
    MaxSize: 10,
    DesiredCapacity: desired,
    AvailabilityZones: ['us-east-1a'],
    LaunchTemplate: { LaunchTemplateName: 'one', Version: '1' },
    ...more,
  });

async function described({ groups }: Groups) {
  return (await groups.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [AutoScalingGroupName] })))
    .AutoScalingGroups?.[0];
}

const ids = async (cloud: Groups) => (await described(cloud))?.Instances?.map((one) => one.InstanceId ?? '') ?? [];
const stateOf = async ({ ec2 }: Groups, id: string) =>
  (await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }))).Reservations?.[0]?.Instances?.[0]?.State?.Name;

/** A group of `count` machines in service. */
async function settled(
  t: ExecutionContext,
  count: number,
  more: Partial<CreateAutoScalingGroupCommandInput> = {},
): Promise<Groups> {
  const cloud = await openGroups(t);
  await cloud.groups.send(group(count, more));
  cloud.simulator.advance(60_000);
  return cloud;
}

test('a name is taken as long as its group exists, also while that is being deleted', async (t) => {
  const { groups, simulator } = await settled(t, 2);
  const error = (await t.throwsAsync(groups.send(group(1)))) as Error & { Code?: string };
  t.deepEqual([error.name, error.Code], ['AlreadyExistsFault', 'AlreadyExists']);
  await groups.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true }));
  t.is(await codeOf(groups.send(group(1))), 'AlreadyExistsFault');
  simulator.advance(60_000);
  await t.notThrowsAsync(groups.send(group(1)));
});

test('sizes that contradict each other are refused, an empty group is none', async (t) => {
  const cloud = await openGroups(t);
  t.is(await codeOf(cloud.groups.send(group(11))), 'ValidationError');
  t.is(await codeOf(cloud.groups.send(group(1, { MinSize: 2 }))), 'ValidationError');
  t.is(await codeOf(cloud.groups.send(group(1, { MinSize: 2, MaxSize: 1 }))), 'ValidationError');
  await cloud.groups.send(group(0, { MaxSize: 0 }));
  cloud.simulator.advance(60_000);
  t.like(await described(cloud), { MinSize: 0, MaxSize: 0, DesiredCapacity: 0, Instances: [] });
});

test('a missing launch template is an error of the creation', async (t) => {
  const { groups } = await openGroups(t);
  const missing = group(1, { LaunchTemplate: { LaunchTemplateName: 'none', Version: '1' } });
  await t.throwsAsync(groups.send(missing), {
    name: 'ValidationError',
    message: /valid fully-formed launch template/,
  });
});

test('unknown groups are missing from the answer', async (t) => {
  const cloud = await openGroups(t);
  t.is(await described(cloud), undefined);
});

test('machines come with the tag of the group, and go into service when they run', async (t) => {
  const cloud = await openGroups(t, { knobs: { boot_ms: 5000 } });
  await cloud.groups.send(group(2));
  cloud.simulator.advance(2000);
  const states = async () => (await described(cloud))?.Instances?.map((one) => one.LifecycleState);
  t.deepEqual(await states(), ['Pending', 'Pending']);
  cloud.simulator.advance(60_000);
  t.deepEqual(await states(), ['InService', 'InService']);
  const Filters = [{ Name: 'tag:aws:autoscaling:groupName', Values: [AutoScalingGroupName] }];
  const { Reservations = [] } = await cloud.ec2.send(new DescribeInstancesCommand({ Filters }));
  t.is(Reservations.flatMap((one) => one.Instances ?? []).length, 2);
});

test('a machine that is ended behind the group is replaced, unless that is suspended', async (t) => {
  for (const suspended of [false, true]) {
    const cloud = await settled(t, 2);
    if (suspended)
      await cloud.groups.send(new SuspendProcessesCommand({ AutoScalingGroupName, ScalingProcesses: ['Launch'] }));
    const [victim = ''] = await ids(cloud);
    await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [victim] }));
    cloud.simulator.advance(60_000);
    const after = await ids(cloud);
    t.deepEqual([after.length, after.includes(victim)], [suspended ? 1 : 2, false]);
  }
});

test('a machine that is ended through the group with a lower desire is not replaced', async (t) => {
  const cloud = await settled(t, 3);
  const [victim = ''] = await ids(cloud);
  const input = { InstanceId: victim, ShouldDecrementDesiredCapacity: true };
  const { Activity } = await cloud.groups.send(new TerminateInstanceInAutoScalingGroupCommand(input));
  t.truthy(Activity?.ActivityId);
  cloud.simulator.advance(60_000);
  t.like(await described(cloud), { DesiredCapacity: 2 });
  t.is((await ids(cloud)).length, 2);
  t.is(await stateOf(cloud, victim), 'terminated');
});

test('a machine that is not in the group is an error', async (t) => {
  const { groups } = await settled(t, 1);
  const input = { InstanceId: 'i-0123456789abcdef0', ShouldDecrementDesiredCapacity: true };
  t.is(await codeOf(groups.send(new TerminateInstanceInAutoScalingGroupCommand(input))), 'ValidationError');
});

test('a detached machine lives on without the tag of the group; at most 20 go at once, and none below the minimum', async (t) => {
  const cloud = await settled(t, 3);
  const [gone = '', other = ''] = await ids(cloud);
  const detach = (InstanceIds: string[]) =>
    cloud.groups.send(
      new DetachInstancesCommand({ AutoScalingGroupName, InstanceIds, ShouldDecrementDesiredCapacity: true }),
    );
  await detach([gone]);
  cloud.simulator.advance(60_000);
  t.is((await ids(cloud)).length, 2);
  const { Reservations } = await cloud.ec2.send(new DescribeInstancesCommand({ InstanceIds: [gone] }));
  const machine = Reservations?.[0]?.Instances?.[0];
  t.is(machine?.State?.Name, 'running');
  t.false(machine?.Tags?.some((tag) => tag.Key === 'aws:autoscaling:groupName'));
  t.is(
    await codeOf(
      detach(Array.from({ length: 21 }, (_, index) => `i-0123456789abcde${index.toString(16).padStart(2, '0')}`)),
    ),
    'ValidationError',
  );
  await cloud.groups.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, MinSize: 2 }));
  t.is(await codeOf(detach([other])), 'ValidationError');
});

test('a lower desired capacity ends no protected machine', async (t) => {
  const cloud = await settled(t, 3);
  const InstanceIds = await ids(cloud);
  await cloud.groups.send(
    new SetInstanceProtectionCommand({ AutoScalingGroupName, InstanceIds, ProtectedFromScaleIn: true }),
  );
  await cloud.groups.send(new SetDesiredCapacityCommand({ AutoScalingGroupName, DesiredCapacity: 1 }));
  cloud.simulator.advance(60_000);
  t.is((await ids(cloud)).length, 3);
  const some = InstanceIds.slice(0, 2);
  await cloud.groups.send(
    new SetInstanceProtectionCommand({ AutoScalingGroupName, InstanceIds: some, ProtectedFromScaleIn: false }),
  );
  cloud.simulator.advance(60_000);
  t.deepEqual(await ids(cloud), InstanceIds.slice(2));
});

test('a group with machines is deleted only by force, which ends protected ones too', async (t) => {
  const cloud = await settled(t, 2, { NewInstancesProtectedFromScaleIn: true });
  const members = await ids(cloud);
  await t.throwsAsync(cloud.groups.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName })));
  await cloud.groups.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true }));
  t.like(await described(cloud), { Status: 'Delete in progress' });
  cloud.simulator.advance(60_000);
  t.is(await described(cloud), undefined);
  for (const id of members) t.is(await stateOf(cloud, id), 'terminated');
});

test('a want of capacity shows in the activities, and is tried again until there is some', async (t) => {
  const cloud = await openGroups(t, { knobs: { capacity: [{ count: 0 }] } });
  await cloud.groups.send(group(1));
  cloud.simulator.advance(60_000);
  const { Activities = [] } = await cloud.groups.send(new DescribeScalingActivitiesCommand({ AutoScalingGroupName }));
  t.is(Activities[0]?.StatusCode, 'Failed');
  t.regex(Activities[0]?.StatusMessage ?? '', /capacity/);
  cloud.simulator.setKnobs({ capacity: [] });
  cloud.simulator.advance(120_000);
  t.is((await ids(cloud)).length, 1);
});

test('the limits of the account can be read', async (t) => {
  const { groups } = await settled(t, 0);
  t.like(await groups.send(new DescribeAccountLimitsCommand({})), {
    MaxNumberOfAutoScalingGroups: 500,
    NumberOfAutoScalingGroups: 1,
  });
});
