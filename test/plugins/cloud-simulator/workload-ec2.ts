import {
  type _InstanceType,
  CancelSpotFleetRequestsCommand,
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  CreateTagsCommand,
  DeleteFleetsCommand,
  DescribeFleetHistoryCommand,
  DescribeFleetInstancesCommand,
  DescribeFleetsCommand,
  DescribeInstancesCommand,
  DescribeInstanceStatusCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeSpotFleetInstancesCommand,
  DescribeSpotFleetRequestHistoryCommand,
  DescribeSpotFleetRequestsCommand,
  DescribeSpotInstanceRequestsCommand,
  DescribeTagsCommand,
  ModifyFleetCommand,
  ModifySpotFleetRequestCommand,
  RequestSpotFleetCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Choice, NewActivity } from './workload-support.ts';

const types: readonly _InstanceType[] = ['t3.micro', 'm5.large', 'c5.large', 'r5.xlarge'];
const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const StartTime = new Date(0);

export const base = ({ pick }: Choice) => ({
  LaunchTemplateName: 'base',
  Version: pick(['1', '$Latest', '$Default']),
});

function configs(choice: Choice) {
  const { int, pick, some, n } = choice;
  const override = (_: unknown, index: number) => ({
    InstanceType: types[(n + index) % types.length] as _InstanceType,
    AvailabilityZone: pick(zones),
    ...(some(0.3) ? { WeightedCapacity: 1 + int(4) } : {}),
  });
  return [{ LaunchTemplateSpecification: base(choice), Overrides: Array.from({ length: 1 + int(3) }, override) }];
}

function target({ int, pick }: Choice) {
  const total = int(10);
  const onDemand = int(total + 1);
  const DefaultTargetCapacityType = pick(['spot', 'on-demand'] as const);
  return {
    TotalTargetCapacity: total,
    OnDemandTargetCapacity: onDemand,
    SpotTargetCapacity: total - onDemand,
    DefaultTargetCapacityType,
  };
}

function fleet({ pick, state }: Choice, kind: 'ec2' | 'spot'): string {
  const ids = [...state.fleets.values()]
    .filter((one) => (one.kind === 'spot') === (kind === 'spot'))
    .map((one) => one.id);
  return pick(ids) ?? (kind === 'spot' ? 'sfr-none' : 'fleet-none');
}

const machines = ({ state }: Choice) => [...state.instances].map((instance) => instance.id);

/** Calls of EC2 that change the cloud, and all that read machines and fleets. */
export const ec2Deeds: readonly NewActivity[] = [
  (choice) => {
    const { ec2, int, pick, some, token } = choice;
    const market = some(0.4) ? { InstanceMarketOptions: { MarketType: 'spot' as const } } : {};
    const zone = some(0.4) ? { Placement: { AvailabilityZone: pick(zones) } } : {};
    const what = some(0.3) ? { LaunchTemplate: base(choice) } : { ImageId: 'ami-1', InstanceType: pick(types) };
    return ec2.send(
      new RunInstancesCommand({
        MinCount: 1,
        MaxCount: 1 + int(4),
        ClientToken: token(),
        ...what,
        ...market,
        ...zone,
      }),
    );
  },
  (choice) => {
    const { ec2, pick, some, token, now } = choice;
    const end = some(0.2) ? { ValidUntil: new Date(now + 60_000), TerminateInstancesWithExpiration: some(0.5) } : {};
    const Type = pick(['instant', 'request', 'maintain', 'maintain'] as const);
    const SpotOptions = {
      AllocationStrategy: pick(['lowest-price', 'diversified', 'price-capacity-optimized'] as const),
    };
    const input = { Type, ClientToken: token(), LaunchTemplateConfigs: configs(choice), SpotOptions, ...end };
    return ec2.send(new CreateFleetCommand({ ...input, TargetCapacitySpecification: target(choice) }));
  },
  (choice) => {
    const ExcessCapacityTerminationPolicy = choice.pick(['no-termination', 'termination'] as const);
    const input = {
      FleetId: fleet(choice, 'ec2'),
      ExcessCapacityTerminationPolicy,
      TargetCapacitySpecification: target(choice),
    };
    return choice.ec2.send(new ModifyFleetCommand(input));
  },
  (choice) =>
    choice.ec2.send(
      new DeleteFleetsCommand({ FleetIds: [fleet(choice, 'ec2')], TerminateInstances: choice.some(0.6) }),
    ),
  (choice) => {
    const { ec2, int, pick, token } = choice;
    const SpotFleetRequestConfig = {
      IamFleetRole: 'arn:aws:iam::123456789012:role/fleet',
      ClientToken: token(),
      Type: pick(['request', 'maintain'] as const),
      TargetCapacity: 1 + int(8),
      OnDemandTargetCapacity: int(2),
      LaunchTemplateConfigs: configs(choice),
      AllocationStrategy: pick(['lowestPrice', 'diversified', 'priceCapacityOptimized'] as const),
    };
    return ec2.send(new RequestSpotFleetCommand({ SpotFleetRequestConfig }));
  },
  (choice) => {
    const ExcessCapacityTerminationPolicy = choice.pick(['noTermination', 'default'] as const);
    const input = {
      SpotFleetRequestId: fleet(choice, 'spot'),
      TargetCapacity: choice.int(10),
      ExcessCapacityTerminationPolicy,
    };
    return choice.ec2.send(new ModifySpotFleetRequestCommand(input));
  },
  (choice) => {
    const input = { SpotFleetRequestIds: [fleet(choice, 'spot')], TerminateInstances: choice.some(0.6) };
    return choice.ec2.send(new CancelSpotFleetRequestsCommand(input));
  },
  (choice) =>
    choice.ec2.send(
      new TerminateInstancesCommand({ InstanceIds: [choice.pick(machines(choice)) ?? 'i-00000000000000000'] }),
    ),
  (choice) =>
    choice.ec2.send(
      new CreateTagsCommand({ Resources: machines(choice).slice(-2), Tags: [{ Key: 'x', Value: `${choice.n}` }] }),
    ),
  ({ ec2, n, token }) =>
    ec2.send(
      new CreateLaunchTemplateCommand({ LaunchTemplateName: `t-${n}`, ClientToken: token(), LaunchTemplateData: {} }),
    ),
  ({ ec2, pick, token }) => {
    const input = { LaunchTemplateName: 'base', SourceVersion: '1', ClientToken: token() };
    return ec2.send(
      new CreateLaunchTemplateVersionCommand({ ...input, LaunchTemplateData: { InstanceType: pick(types) } }),
    );
  },
  ({ ec2, int }) => ec2.send(new DescribeInstancesCommand({ MaxResults: 5 + int(10) })),
  (choice) => choice.ec2.send(new DescribeInstancesCommand({ InstanceIds: machines(choice).slice(-3) })),
  ({ ec2, some }) => ec2.send(new DescribeInstanceStatusCommand({ IncludeAllInstances: some(0.5) })),
  ({ ec2 }) => ec2.send(new DescribeSpotInstanceRequestsCommand({})),
  ({ ec2 }) => ec2.send(new DescribeTagsCommand({})),
  ({ ec2 }) => ec2.send(new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName: 'base' })),
  (choice) => choice.ec2.send(new DescribeFleetsCommand({ FleetIds: [fleet(choice, 'ec2')] })),
  (choice) => choice.ec2.send(new DescribeFleetInstancesCommand({ FleetId: fleet(choice, 'ec2') })),
  (choice) => choice.ec2.send(new DescribeFleetHistoryCommand({ FleetId: fleet(choice, 'ec2'), StartTime })),
  ({ ec2 }) => ec2.send(new DescribeSpotFleetRequestsCommand({})),
  (choice) => choice.ec2.send(new DescribeSpotFleetInstancesCommand({ SpotFleetRequestId: fleet(choice, 'spot') })),
  (choice) =>
    choice.ec2.send(
      new DescribeSpotFleetRequestHistoryCommand({ SpotFleetRequestId: fleet(choice, 'spot'), StartTime }),
    ),
];
