import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  CreateLaunchTemplateCommand,
  DeleteFleetsCommand,
  DescribeFleetHistoryCommand,
  DescribeFleetInstancesCommand,
  DescribeFleetsCommand,
  DescribeInstancesCommand,
  type EC2Client,
  type FleetData,
  type FleetLaunchTemplateOverridesRequest,
  type Instance,
  ModifyFleetCommand,
  type ModifyFleetCommandInput,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';

export interface FleetAsk {
  readonly units?: number;
  readonly target?: CreateFleetCommandInput['TargetCapacitySpecification'];
  readonly overrides?: FleetLaunchTemplateOverridesRequest[];
  readonly token?: string;
  readonly template?: string;
  readonly more?: Partial<CreateFleetCommandInput>;
}

/** Makes a fleet that goes on after its call, of type maintain unless said otherwise, and gives its id. */
export async function openFleet(ec2: EC2Client, ask: FleetAsk = {}): Promise<string> {
  const template = ask.template ?? (await fleetTemplate(ec2));
  const made = await ec2.send(
    new CreateFleetCommand({
      ...(ask.token === undefined ? {} : { ClientToken: ask.token }),
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: { LaunchTemplateId: template, Version: '1' },
          ...(ask.overrides === undefined ? {} : { Overrides: ask.overrides }),
        },
      ],
      TargetCapacitySpecification: ask.target ?? {
        TotalTargetCapacity: ask.units ?? 3,
        DefaultTargetCapacityType: 'on-demand',
      },
      ...ask.more,
    }),
  );
  return made.FleetId ?? '';
}

/** A template whose machines carry a request tag; the same one each time. */
export async function fleetTemplate(ec2: EC2Client): Promise<string> {
  const made = await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'fleet',
      ClientToken: 'fleet-template',
      LaunchTemplateData: {
        ImageId: 'ami-1',
        InstanceType: 't3.micro',
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'muster:request-id', Value: 'req-1' }] }],
      },
    }),
  );
  return made.LaunchTemplate?.LaunchTemplateId ?? '';
}

export async function fleetOf(ec2: EC2Client, id: string): Promise<FleetData> {
  const { Fleets } = await ec2.send(new DescribeFleetsCommand({ FleetIds: [id] }));
  return Fleets?.[0] ?? {};
}

/** Pending and running machines of a fleet of either kind, in order of launch. */
export async function liveMachines(ec2: EC2Client, id: string): Promise<Instance[]> {
  const tag = id.startsWith('sfr-') ? 'aws:ec2spot:fleet-request-id' : 'aws:ec2:fleet-id';
  const { Reservations } = await ec2.send(
    new DescribeInstancesCommand({
      Filters: [
        { Name: `tag:${tag}`, Values: [id] },
        { Name: 'instance-state-name', Values: ['pending', 'running'] },
      ],
    }),
  );
  return Reservations?.flatMap((reservation) => reservation.Instances ?? []) ?? [];
}

export async function liveIds(ec2: EC2Client, id: string): Promise<string[]> {
  return (await liveMachines(ec2, id)).map((machine) => machine.InstanceId ?? '');
}

export async function terminate(ec2: EC2Client, ids: readonly (string | undefined)[]): Promise<void> {
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: ids.map((id) => id ?? '') }));
}

export async function modify(
  ec2: EC2Client,
  id: string,
  total: number | undefined,
  more: Partial<ModifyFleetCommandInput> = {},
): Promise<void> {
  const target =
    total === undefined
      ? {}
      : { TargetCapacitySpecification: { TotalTargetCapacity: total, OnDemandTargetCapacity: total } };
  await ec2.send(new ModifyFleetCommand({ FleetId: id, ...target, ...more }));
}

export async function deleteFleet(ec2: EC2Client, id: string, withMachines: boolean) {
  return ec2.send(new DeleteFleetsCommand({ FleetIds: [id], TerminateInstances: withMachines }));
}

/** What DescribeFleetInstances lists. */
export async function listedIds(ec2: EC2Client, id: string): Promise<string[]> {
  const { ActiveInstances } = await ec2.send(new DescribeFleetInstancesCommand({ FleetId: id }));
  return ActiveInstances?.map((one) => one.InstanceId ?? '') ?? [];
}

/** Sub-types of the records that can be read, in order. */
export async function eventsOf(ec2: EC2Client, id: string): Promise<string[]> {
  const { HistoryRecords } = await ec2.send(new DescribeFleetHistoryCommand({ FleetId: id, StartTime: new Date(0) }));
  return HistoryRecords?.map((record) => record.EventInformation?.EventSubType ?? '') ?? [];
}
