import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  EC2Client,
  type FleetLaunchTemplateOverridesRequest,
  RequestSpotFleetCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { type Cloud, openCloud } from '../support.ts';

export const role = 'arn:aws:iam::123456789012:role/aws-ec2-spot-fleet-tagging-role';
export const named = { LaunchTemplateName: 'one', Version: '1' };
export const cheap: FleetLaunchTemplateOverridesRequest = {
  InstanceType: 't3.micro',
  SubnetId: 'subnet-1',
  AvailabilityZone: 'us-east-1a',
};
export const dear: FleetLaunchTemplateOverridesRequest = {
  InstanceType: 'm5.large',
  SubnetId: 'subnet-2',
  AvailabilityZone: 'us-east-1b',
};

export async function cloudWithTemplate(...args: Parameters<typeof openCloud>): Promise<Cloud> {
  const cloud = await openCloud(...args);
  const LaunchTemplateData = { ImageId: 'ami-1', InstanceType: 't3.micro' } as const;
  await cloud.ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'one', LaunchTemplateData }));
  return cloud;
}

export function fleet(
  type: 'instant' | 'request' | 'maintain',
  target: number,
  overrides = [cheap],
  more: Partial<CreateFleetCommandInput> = {},
): CreateFleetCommand {
  return new CreateFleetCommand({
    Type: type,
    LaunchTemplateConfigs: [{ LaunchTemplateSpecification: named, Overrides: overrides }],
    TargetCapacitySpecification: { TotalTargetCapacity: target, DefaultTargetCapacityType: 'on-demand' },
    ...more,
  });
}

export const spotFleet = (target: number, more: object = {}) =>
  new RequestSpotFleetCommand({
    SpotFleetRequestConfig: {
      IamFleetRole: role,
      TargetCapacity: target,
      LaunchTemplateConfigs: [
        { LaunchTemplateSpecification: named, Overrides: [{ InstanceType: 't3.micro', SubnetId: 'subnet-1' }] },
      ],
      ...more,
    },
  });

/** Ids of the machines that live under a tag that AWS sets. */
export async function living(ec2: EC2Client, tag: string, value: string): Promise<string[]> {
  const Filters = [
    { Name: `tag:${tag}`, Values: [value] },
    { Name: 'instance-state-name', Values: ['pending', 'running'] },
  ];
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ Filters }));
  return Reservations.flatMap((one) => one.Instances ?? []).map((one) => one.InstanceId ?? '');
}

export const end = (ec2: EC2Client, InstanceIds: string[]) => ec2.send(new TerminateInstancesCommand({ InstanceIds }));
