import {
  DescribeSpotFleetRequestsCommand,
  type EC2Client,
  ModifySpotFleetRequestCommand,
  type ModifySpotFleetRequestCommandInput,
  RequestSpotFleetCommand,
  type SpotFleetRequestConfig,
  type SpotFleetRequestConfigData,
} from '@aws-sdk/client-ec2';
import { fleetTemplate } from './fleet-support.ts';

/** The least that a launch specification says. */
export const specification: SpotFleetRequestConfigData['LaunchSpecifications'] = [
  { ImageId: 'ami-1', InstanceType: 't3.micro' },
];

/** The template of `fleetTemplate`. */
export const template: SpotFleetRequestConfigData['LaunchTemplateConfigs'] = [
  { LaunchTemplateSpecification: { LaunchTemplateName: 'fleet', Version: '1' } },
];

/** Requests a Spot fleet of one machine unless said otherwise, and gives its id. */
export async function requestSpotFleet(
  ec2: EC2Client,
  config: Partial<SpotFleetRequestConfigData> = {},
): Promise<string> {
  await fleetTemplate(ec2);
  const made = await ec2.send(
    new RequestSpotFleetCommand({
      SpotFleetRequestConfig: {
        IamFleetRole: 'arn:aws:iam::123456789012:role/aws-ec2-spot-fleet-tagging-role',
        TargetCapacity: 1,
        LaunchTemplateConfigs: template,
        ...config,
      },
    }),
  );
  return made.SpotFleetRequestId ?? '';
}

export async function modifySpotFleet(
  ec2: EC2Client,
  id: string,
  what: Partial<ModifySpotFleetRequestCommandInput>,
): Promise<void> {
  await ec2.send(new ModifySpotFleetRequestCommand({ SpotFleetRequestId: id, ...what }));
}

export async function spotFleetOf(ec2: EC2Client, id: string): Promise<Partial<SpotFleetRequestConfig>> {
  const { SpotFleetRequestConfigs } = await ec2.send(
    new DescribeSpotFleetRequestsCommand({ SpotFleetRequestIds: [id] }),
  );
  return SpotFleetRequestConfigs?.[0] ?? {};
}
