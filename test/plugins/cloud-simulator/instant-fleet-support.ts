import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  type CreateFleetCommandOutput,
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  type EC2Client,
  type FleetLaunchTemplateOverridesRequest,
} from '@aws-sdk/client-ec2';

export interface Ask {
  units?: number;
  target?: CreateFleetCommandInput['TargetCapacitySpecification'];
  overrides?: FleetLaunchTemplateOverridesRequest[];
  tags?: CreateFleetCommandInput['TagSpecifications'];
  token?: string;
  template?: string | undefined;
  version?: string | undefined;
  more?: Partial<CreateFleetCommandInput>;
}

/** Makes an instant fleet of `units` On-Demand machines unless said otherwise. */
export async function createFleet(ec2: EC2Client, ask: Ask): Promise<CreateFleetCommandOutput> {
  const template = ask.template ?? (await makeTemplate(ec2));
  return ec2.send(
    new CreateFleetCommand({
      Type: 'instant',
      ClientToken: ask.token,
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: { LaunchTemplateId: template, Version: 'version' in ask ? ask.version : '1' },
          Overrides: ask.overrides,
        },
      ],
      TargetCapacitySpecification: ask.target ?? {
        TotalTargetCapacity: ask.units,
        DefaultTargetCapacityType: 'on-demand',
      },
      TagSpecifications: ask.tags,
      ...ask.more,
    }),
  );
}

export async function makeTemplate(ec2: EC2Client): Promise<string | undefined> {
  const made = await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'pool',
      ClientToken: 'template',
      LaunchTemplateData: {
        ImageId: 'ami-1',
        InstanceType: 't3.micro',
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'from', Value: 'template' }] }],
      },
    }),
  );
  return made.LaunchTemplate?.LaunchTemplateId;
}

/** What a fleet brought, by pool. */
export function groups(fleet: CreateFleetCommandOutput): [type: string, lifecycle: string, count: number][] {
  return (
    fleet.Instances?.map((group) => [
      group.InstanceType ?? '',
      group.Lifecycle ?? '',
      group.InstanceIds?.length ?? 0,
    ]) ?? []
  );
}

/** The machines of a fleet, found by their tag. */
export async function machines(ec2: EC2Client, fleet: CreateFleetCommandOutput) {
  const { Reservations } = await ec2.send(
    new DescribeInstancesCommand({ Filters: [{ Name: 'tag:aws:ec2:fleet-id', Values: [fleet.FleetId ?? ''] }] }),
  );
  return Reservations?.flatMap((reservation) => reservation.Instances ?? []) ?? [];
}
