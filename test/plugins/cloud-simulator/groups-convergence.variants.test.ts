import {
  DeleteAutoScalingGroupCommand,
  DetachInstancesCommand,
  LaunchInstancesCommand,
  type LaunchTemplateOverrides,
  type MixedInstancesPolicy,
  ResumeProcessesCommand,
  SetDesiredCapacityCommand,
  SetInstanceProtectionCommand,
  SuspendProcessesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import fc from 'fast-check';
import { type GroupCloud, openGroups, tally, zones } from './groups-support.ts';
import { tries } from '../../support/variants.ts';

/** Something that happens to a group, or around it. Calls may be refused: that is part of life. */
type Step = (cloud: GroupCloud, AutoScalingGroupName: string) => Promise<unknown>;

const choice = fc.nat(30);
const processes = ['Launch', 'Terminate', 'HealthCheck', 'ReplaceUnhealthy', 'AZRebalance'];

/** One of the machines that the group shows. */
async function one(cloud: GroupCloud, name: string, index: number): Promise<string[]> {
  const ids = await cloud.ids(name);
  return ids.length === 0 ? [] : [ids[index % ids.length] as string];
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.nat(9).map(
    (DesiredCapacity): Step =>
      (cloud, AutoScalingGroupName) =>
        cloud.autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName, DesiredCapacity })),
  ),
  fc.nat(20_000).map(
    (ms): Step =>
      async ({ simulator }) =>
        simulator.advance(ms),
  ),
  choice.map(
    (index): Step =>
      async (cloud, name) =>
        cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: await one(cloud, name, index) })),
  ),
  fc.tuple(choice, fc.boolean()).map(
    ([index, ShouldDecrementDesiredCapacity]): Step =>
      async (cloud, AutoScalingGroupName) =>
        cloud.autoScaling.send(
          new DetachInstancesCommand({
            AutoScalingGroupName,
            InstanceIds: await one(cloud, AutoScalingGroupName, index),
            ShouldDecrementDesiredCapacity,
          }),
        ),
  ),
  fc.tuple(choice, fc.boolean()).map(
    ([index, ShouldDecrementDesiredCapacity]): Step =>
      async (cloud, name) => {
        const [InstanceId] = await one(cloud, name, index);
        return cloud.autoScaling.send(
          new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity }),
        );
      },
  ),
  fc.tuple(fc.subarray(processes, { minLength: 1 }), fc.boolean()).map(
    ([ScalingProcesses, suspend]): Step =>
      (cloud, AutoScalingGroupName) => {
        const input = { AutoScalingGroupName, ScalingProcesses };
        return suspend
          ? cloud.autoScaling.send(new SuspendProcessesCommand(input))
          : cloud.autoScaling.send(new ResumeProcessesCommand(input));
      },
  ),
  fc.subarray(zones, { minLength: 1 }).map(
    (AvailabilityZones): Step =>
      (cloud, AutoScalingGroupName) =>
        cloud.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, AvailabilityZones })),
  ),
  fc.tuple(fc.constantFrom(...zones, '*'), fc.nat(3)).map(
    ([zone, count]): Step =>
      async ({ simulator }) =>
        simulator.setKnobs({ capacity: [{ zone, count }] }),
  ),
  fc.integer({ min: 1, max: 4 }).map(
    (times): Step =>
      async ({ simulator }) =>
        simulator.setKnobs({ late_failures: [{ times }] }),
  ),
  fc.tuple(choice, fc.boolean()).map(
    ([index, ProtectedFromScaleIn]): Step =>
      async (cloud, AutoScalingGroupName) =>
        cloud.autoScaling.send(
          new SetInstanceProtectionCommand({
            AutoScalingGroupName,
            InstanceIds: await one(cloud, AutoScalingGroupName, index),
            ProtectedFromScaleIn,
          }),
        ),
  ),
  fc.tuple(fc.constantFrom(...zones), fc.integer({ min: 1, max: 3 })).map(
    ([zone, RequestedCapacity]): Step =>
      (cloud, AutoScalingGroupName) =>
        cloud.autoScaling.send(
          new LaunchInstancesCommand({ AutoScalingGroupName, RequestedCapacity, AvailabilityZones: [zone] }),
        ),
  ),
);

const mix = (...Overrides: LaunchTemplateOverrides[]): MixedInstancesPolicy => ({
  LaunchTemplate: { LaunchTemplateSpecification: { LaunchTemplateName: 'pool', Version: '$Latest' }, Overrides },
  InstancesDistribution: { OnDemandBaseCapacity: 1, OnDemandPercentageAboveBaseCapacity: 50 },
});
const kinds: readonly [kind: string, policy: MixedInstancesPolicy | undefined][] = [
  ['plain', undefined],
  ['mixed', mix({ InstanceType: 'm5.large' }, { InstanceType: 'c5.large' })],
  [
    'weighted',
    mix({ InstanceType: 'm5.xlarge', WeightedCapacity: '3' }, { InstanceType: 'm5.large', WeightedCapacity: '2' }),
  ],
];

for (const [kind, policy] of kinds) {
  test(`whatever happened, a ${kind} group left alone comes to its desired capacity, evenly over its zones`, async (t) => {
    const cloud = await openGroups(t);
    const { autoScaling, create, ec2, live, members, show, simulator } = cloud;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const name = `web-${run++}`;
        await create(name, { DesiredCapacity: 3, ...(policy && { MixedInstancesPolicy: policy }) });
        for (const take of steps) {
          await take(cloud, name).catch((error: { name: string; $metadata?: object }) => {
            if (error.$metadata === undefined || error.name === 'InternalError') throw error;
          });
        }
        simulator.setKnobs({ capacity: [], late_failures: [] });
        await autoScaling.send(new ResumeProcessesCommand({ AutoScalingGroupName: name }));
        for (const id of await cloud.ids(name)) {
          const input = { AutoScalingGroupName: name, InstanceIds: [id], ProtectedFromScaleIn: false };
          await autoScaling.send(new SetInstanceProtectionCommand(input)).catch(() => undefined);
        }
        simulator.advance(900_000);

        const group = await show(name);
        const there = await members(name);
        const units = there.map((one) => Number(one.WeightedCapacity ?? 1));
        const overshot = units.reduce((sum, weight) => sum + weight, 0) - (group?.DesiredCapacity ?? -1);
        t.true(overshot === 0 || (overshot > 0 && overshot < Math.min(...units)), `overshot by ${overshot}`);
        t.true(there.every((one) => one.LifecycleState === 'InService' && one.HealthStatus === 'Healthy'));
        const spread = tally(there.map((one) => one.AvailabilityZone));
        const counts = (group?.AvailabilityZones ?? []).map((zone) => spread[zone] ?? 0);
        t.is(
          counts.reduce((sum, count) => sum + count, 0),
          there.length,
        );
        t.true(Math.max(...counts) - Math.min(...counts) <= 1);
        const owned = [...(await live())].filter(([, machine]) =>
          machine.Tags?.some((tag) => tag.Key === 'aws:autoscaling:groupName' && tag.Value === name),
        );
        t.deepEqual(owned.map(([id]) => id).toSorted(), there.map((one) => one.InstanceId ?? '').toSorted());

        await autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name, ForceDelete: true }));
        const left = [...(await live()).keys()];
        if (left.length > 0) await ec2.send(new TerminateInstancesCommand({ InstanceIds: left }));
        simulator.advance(60_000);
        t.is(await show(name), undefined);
      }),
      { numRuns: tries(12, 40) },
    );
  });
}
