import {
  type LaunchInstancesCommandInput,
  LaunchInstancesCommand,
  SuspendProcessesCommand,
} from '@aws-sdk/client-auto-scaling';
import test from 'ava';
import { type GroupCloud, openGroups } from './groups-support.ts';
import { codeOf, refusal } from './support.ts';

const launch = (cloud: GroupCloud, input: Partial<LaunchInstancesCommandInput> = {}) =>
  cloud.autoScaling.send(
    new LaunchInstancesCommand({
      AutoScalingGroupName: 'web',
      RequestedCapacity: 3,
      ClientToken: 'one',
      AvailabilityZones: ['us-east-1b'],
      ...input,
    }),
  );

test('machines are started at once in the zone that is named, and the group wants as many more', async (t) => {
  const cloud = await openGroups(t);
  await cloud.create('web');
  const answer = await launch(cloud);
  t.like(answer, { AutoScalingGroupName: 'web', ClientToken: 'one', Errors: [] });
  t.is(answer.Instances?.length, 1);
  t.like(answer.Instances?.[0], { InstanceType: 't3.micro', MarketType: 'OnDemand', AvailabilityZone: 'us-east-1b' });
  t.deepEqual(answer.Instances?.[0]?.InstanceIds, await cloud.ids('web'));
  t.is((await cloud.show('web'))?.DesiredCapacity, 3);
  cloud.settle();
  t.is((await cloud.live()).size, 3);
  t.is(cloud.simulator.ledger().launches['one'], 3);
});

test('a replayed token starts nothing and gives the first answer again', async (t) => {
  const cloud = await openGroups(t);
  await cloud.create('web');
  const first = await launch(cloud);
  const again = await launch(cloud);
  t.deepEqual(again.Instances, first.Instances);
  t.is((await cloud.live()).size, 3);
  t.like(await refusal(launch(cloud, { RequestedCapacity: 4 })), {
    code: 'IdempotentParameterMismatchError',
    status: 400,
  });
  cloud.settle();
  t.is((await cloud.live()).size, 3);
  cloud.simulator.setKnobs({ tokens: { in_progress_ms: 1000 } });
  await launch(cloud, { ClientToken: 'two' });
  t.like(await refusal(launch(cloud, { ClientToken: 'two' })), { code: 'IdempotentCallInProgressFault', status: 500 });
});

test('a LaunchInstances call that was refused for its parameters does not pin its token', async (t) => {
  const cloud = await openGroups(t);
  t.is(await codeOf(launch(cloud)), 'ValidationError');
  await cloud.create('web');
  t.is((await launch(cloud)).Instances?.length, 1);
});

test('missing machines are errors in the answer, and the group retries them only if the call says so', async (t) => {
  const cloud = await openGroups(t, { knobs: { capacity: [{ zone: 'us-east-1b', count: 2 }] } });
  await cloud.create('web');
  const answer = await launch(cloud);
  t.is(answer.Instances?.[0]?.InstanceIds?.length, 2);
  t.like(answer.Errors?.[0], {
    ErrorCode: 'InsufficientInstanceCapacity',
    AvailabilityZone: 'us-east-1b',
    InstanceType: 't3.micro',
  });
  t.is((await cloud.show('web'))?.DesiredCapacity, 2);
  const none = await launch(cloud, { ClientToken: 'two', RetryStrategy: 'retry-with-group-configuration' });
  t.deepEqual(none.Instances, []);
  t.is(none.Errors?.length, 1);
  t.is((await cloud.show('web'))?.DesiredCapacity, 5);
  cloud.settle();
  t.is((await cloud.live()).size, 5);
});

test('the knob partial limits LaunchInstances', async (t) => {
  const cloud = await openGroups(t, { knobs: { partial: [{ action: 'LaunchInstances', deliver: 1 }] } });
  await cloud.create('web');
  const answer = await launch(cloud);
  t.is(answer.Instances?.[0]?.InstanceIds?.length, 1);
  t.is(answer.Errors?.length, 1);
});

test('a subnet can be named too, and a group in one zone needs neither', async (t) => {
  const cloud = await openGroups(t);
  await cloud.create('web', { AvailabilityZones: undefined, VPCZoneIdentifier: 'subnet-one' });
  const named = await launch(cloud, { AvailabilityZones: undefined, SubnetIds: ['subnet-one'] });
  t.is(named.Instances?.[0]?.SubnetId, 'subnet-one');
  t.is((await launch(cloud, { AvailabilityZones: undefined, ClientToken: 'two' })).Instances?.length, 1);
});

const invalid: readonly [what: string, input: Partial<LaunchInstancesCommandInput>][] = [
  ['more than a hundred machines', { RequestedCapacity: 101 }],
  ['no machine', { RequestedCapacity: 0 }],
  ['more than the maximum', { RequestedCapacity: 21 }],
  ['no zone of several', { AvailabilityZones: undefined }],
  ["a zone that is not the group's", { AvailabilityZones: ['us-east-1f'] }],
  ['two zones', { AvailabilityZones: ['us-east-1a', 'us-east-1b'] }],
  ['an odd token', { ClientToken: 'a b' }],
  ['an unknown group', { AutoScalingGroupName: 'none' }],
];
for (const [what, input] of invalid) {
  test(`a launch of ${what} is refused`, async (t) => {
    const cloud = await openGroups(t);
    await cloud.create('web');
    t.like(await refusal(launch(cloud, input)), { code: 'ValidationError', status: 400 });
    t.is((await cloud.live()).size, 0);
  });
}

test('a launch is refused where On-Demand and Spot are mixed, and while Launch is suspended', async (t) => {
  const cloud = await openGroups(t);
  const { autoScaling, create } = cloud;
  const LaunchTemplate = { LaunchTemplateSpecification: { LaunchTemplateName: 'pool', Version: '1' } };
  await create('web', {
    MixedInstancesPolicy: { LaunchTemplate, InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 50 } },
  });
  t.is(await codeOf(launch(cloud)), 'ValidationError');
  await create('other');
  await autoScaling.send(new SuspendProcessesCommand({ AutoScalingGroupName: 'other', ScalingProcesses: ['Launch'] }));
  t.is(await codeOf(launch(cloud, { AutoScalingGroupName: 'other', ClientToken: 'two' })), 'ValidationError');
});
