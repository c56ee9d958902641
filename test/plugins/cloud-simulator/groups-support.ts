import {
  type Activity,
  type AutoScalingGroup,
  CreateAutoScalingGroupCommand,
  type CreateAutoScalingGroupCommandInput,
  DescribeAutoScalingGroupsCommand,
  type Instance,
  paginateDescribeScalingActivities,
  ResumeProcessesCommand,
  SetDesiredCapacityCommand,
  SetInstanceProtectionCommand,
  SuspendProcessesCommand,
} from '@aws-sdk/client-auto-scaling';
import {
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  type Instance as Machine,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import type { ExecutionContext } from 'ava';
import type { SimulatorOptions } from '../../../plugins/cloud-simulator/server/server.ts';
import { type Cloud, openCloud } from './support.ts';

export const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/** A simulated cloud with the launch template `pool` and a few ways to look at groups. */
export interface GroupCloud extends Cloud {
  readonly templateId: string;
  /** Makes a group of `pool` over three zones, of no machines unless said otherwise. */
  create(name: string, input?: Partial<CreateAutoScalingGroupCommandInput>): Promise<void>;
  template(name: string, data: RequestLaunchTemplateData): Promise<string>;
  /** Undefined when there is none of that name. */
  show(name: string): Promise<AutoScalingGroup | undefined>;
  members(name: string): Promise<readonly Instance[]>;
  /** Ids of the machines that a group shows. */
  ids(name: string): Promise<string[]>;
  /** Newest first. */
  activities(name: string): Promise<readonly Activity[]>;
  /** Pending and running machines by id. */
  live(): Promise<ReadonlyMap<string, Machine>>;
  /** A minute: more than all that follows from one change takes with the default knobs. */
  settle(): void;
}

export async function openGroups(t: ExecutionContext, options: SimulatorOptions = {}): Promise<GroupCloud> {
  const cloud = await openCloud(t, options);
  const { ec2, autoScaling, simulator } = cloud;
  const template: GroupCloud['template'] = async (LaunchTemplateName, LaunchTemplateData) => {
    const made = await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName, LaunchTemplateData }));
    return made.LaunchTemplate?.LaunchTemplateId ?? '';
  };
  const templateId = await template('pool', { ImageId: 'ami-1', InstanceType: 't3.micro' });
  const show: GroupCloud['show'] = async (name) => {
    const shown = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] }));
    return shown.AutoScalingGroups?.[0];
  };
  const members: GroupCloud['members'] = async (name) => (await show(name))?.Instances ?? [];
  return {
    ...cloud,
    templateId,
    template,
    show,
    members,
    async create(name, input = {}) {
      const plain = { LaunchTemplate: { LaunchTemplateId: templateId, Version: '1' } };
      const source = input.MixedInstancesPolicy === undefined ? plain : {};
      const usual = { MinSize: 0, MaxSize: 20, AvailabilityZones: zones, ...source };
      await autoScaling.send(new CreateAutoScalingGroupCommand({ AutoScalingGroupName: name, ...usual, ...input }));
    },
    ids: async (name) => (await members(name)).map((member) => member.InstanceId ?? ''),
    async activities(AutoScalingGroupName) {
      const all: Activity[] = [];
      for await (const page of paginateDescribeScalingActivities({ client: autoScaling }, { AutoScalingGroupName }))
        all.push(...(page.Activities ?? []));
      return all;
    },
    async live() {
      const { Reservations } = await ec2.send(
        new DescribeInstancesCommand({ Filters: [{ Name: 'instance-state-name', Values: ['pending', 'running'] }] }),
      );
      return new Map(Reservations?.flatMap((one) => one.Instances ?? []).map((one) => [one.InstanceId ?? '', one]));
    },
    settle: () => void simulator.advance(60_000),
  };
}

/** How many of a list there are of each kind, in the order of their names. */
export function tally(list: Iterable<string | undefined>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of [...list].toSorted()) counts[one ?? ''] = (counts[one ?? ''] ?? 0) + 1;
  return counts;
}

/** A group `web` whose machines are in service, and what can be done to it. */
export interface Web extends GroupCloud {
  /** Ids of the machines that it began with. */
  readonly before: string[];
  resize(desired: number): Promise<unknown>;
  suspend(...processes: string[]): Promise<unknown>;
  resume(...processes: string[]): Promise<unknown>;
  protect(ids: readonly string[], guarded?: boolean): Promise<unknown>;
}

export async function openWeb(
  t: ExecutionContext,
  size: number,
  input: Partial<CreateAutoScalingGroupCommandInput> = {},
  options: SimulatorOptions = {},
): Promise<Web> {
  const cloud = await openGroups(t, options);
  const { autoScaling, create, ids, settle } = cloud;
  await create('web', { DesiredCapacity: size, ...input });
  settle();
  const before = await ids('web');
  t.is(before.length, size);
  const AutoScalingGroupName = 'web';
  return {
    ...cloud,
    before,
    resize: (DesiredCapacity) =>
      autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName, DesiredCapacity })),
    suspend: (...ScalingProcesses) =>
      autoScaling.send(new SuspendProcessesCommand({ AutoScalingGroupName, ScalingProcesses })),
    resume: (...ScalingProcesses) =>
      autoScaling.send(new ResumeProcessesCommand({ AutoScalingGroupName, ScalingProcesses })),
    protect: (InstanceIds, ProtectedFromScaleIn = true) =>
      autoScaling.send(
        new SetInstanceProtectionCommand({
          AutoScalingGroupName,
          InstanceIds: [...InstanceIds],
          ProtectedFromScaleIn,
        }),
      ),
  };
}
