import {
  CreateAutoScalingGroupCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeScalingActivitiesCommand,
  DescribeTagsCommand,
  DetachInstancesCommand,
  LaunchInstancesCommand,
  ResumeProcessesCommand,
  SetDesiredCapacityCommand,
  SetInstanceProtectionCommand,
  SuspendProcessesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { base } from './workload-ec2.ts';
import type { Choice, NewActivity } from './workload-support.ts';

const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

function source(choice: Choice) {
  const { int, pick, some } = choice;
  if (some(0.6)) return { LaunchTemplate: base(choice) };
  const Overrides = [
    { InstanceType: 't3.micro', WeightedCapacity: '1' },
    { InstanceType: 'm5.large', WeightedCapacity: '3' },
  ];
  const InstancesDistribution = {
    OnDemandBaseCapacity: int(3),
    OnDemandPercentageAboveBaseCapacity: pick([0, 50, 100]),
  };
  return {
    MixedInstancesPolicy: {
      LaunchTemplate: { LaunchTemplateSpecification: base(choice), Overrides },
      InstancesDistribution,
    },
  };
}

/** A group by its name, and a machine of it. */
function choose({ pick, state }: Choice): { readonly AutoScalingGroupName: string; readonly member: string } {
  const group = pick([...state.groups.byName.values()]);
  return {
    AutoScalingGroupName: group?.name ?? 'none',
    member: pick([...(group?.members.keys() ?? [])]) ?? 'i-00000000000000000',
  };
}

const named = (choice: Choice) => ({ AutoScalingGroupName: choose(choice).AutoScalingGroupName });

/** Calls of Auto Scaling. */
export const groupDeeds: readonly NewActivity[] = [
  (choice) => {
    const { autoScaling, int, n, some } = choice;
    const sizes = { MinSize: 0, MaxSize: 8, DesiredCapacity: int(6) };
    const input = { AutoScalingGroupName: `group-${n}`, ...sizes, AvailabilityZones: zones.slice(0, 1 + int(3)) };
    const Tags = [{ Key: 'a', Value: 'b', PropagateAtLaunch: true }];
    const NewInstancesProtectedFromScaleIn = some(0.5);
    return autoScaling.send(
      new CreateAutoScalingGroupCommand({ ...input, ...source(choice), Tags, NewInstancesProtectedFromScaleIn }),
    );
  },
  (choice) => {
    const { autoScaling, int, some } = choice;
    const where = some(0.3) ? { AvailabilityZones: ['us-east-1b'] } : {};
    const input = { ...named(choice), MinSize: 0, MaxSize: 10, DesiredCapacity: int(8), ...where };
    return autoScaling.send(new UpdateAutoScalingGroupCommand(input));
  },
  (choice) =>
    choice.autoScaling.send(new SetDesiredCapacityCommand({ ...named(choice), DesiredCapacity: choice.int(8) })),
  (choice) => {
    const { AutoScalingGroupName, member } = choose(choice);
    const input = { AutoScalingGroupName, InstanceIds: [member], ShouldDecrementDesiredCapacity: choice.some(0.5) };
    return choice.autoScaling.send(new DetachInstancesCommand(input));
  },
  (choice) => {
    const input = { InstanceId: choose(choice).member, ShouldDecrementDesiredCapacity: choice.some(0.5) };
    return choice.autoScaling.send(new TerminateInstanceInAutoScalingGroupCommand(input));
  },
  (choice) => {
    const { autoScaling, int, pick, token } = choice;
    const RetryStrategy = pick(['none', 'retry-with-group-configuration'] as const);
    const input = { ...named(choice), RequestedCapacity: 1 + int(3), ClientToken: token(), RetryStrategy };
    return autoScaling.send(new LaunchInstancesCommand({ ...input, AvailabilityZones: [pick(zones)] }));
  },
  (choice) => {
    const process = choice.pick(['Launch', 'Terminate', 'HealthCheck', 'AZRebalance', 'ReplaceUnhealthy']);
    return choice.autoScaling.send(new SuspendProcessesCommand({ ...named(choice), ScalingProcesses: [process] }));
  },
  (choice) => choice.autoScaling.send(new ResumeProcessesCommand(named(choice))),
  (choice) => {
    const { AutoScalingGroupName, member } = choose(choice);
    const input = { AutoScalingGroupName, InstanceIds: [member], ProtectedFromScaleIn: choice.some(0.5) };
    return choice.autoScaling.send(new SetInstanceProtectionCommand(input));
  },
  (choice) =>
    choice.autoScaling.send(new DeleteAutoScalingGroupCommand({ ...named(choice), ForceDelete: choice.some(0.6) })),
  ({ autoScaling, int }) => autoScaling.send(new DescribeAutoScalingGroupsCommand({ MaxRecords: 1 + int(3) })),
  ({ autoScaling }) => autoScaling.send(new DescribeAutoScalingInstancesCommand({})),
  ({ autoScaling, some }) =>
    autoScaling.send(new DescribeScalingActivitiesCommand({ IncludeDeletedGroups: some(0.5) })),
  ({ autoScaling }) => autoScaling.send(new DescribeTagsCommand({})),
];
