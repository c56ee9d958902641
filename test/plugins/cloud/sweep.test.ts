import { CreateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  RequestSpotFleetCommand,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import type { OwnedResource } from '../../../core/index.ts';
import { cloud } from '../../../plugins/cloud/index.ts';
import asgPlugin from '../../../plugins/cloud-asg/index.ts';
import ec2FleetPlugin from '../../../plugins/cloud-ec2fleet/index.ts';
import spotFleetPlugin from '../../../plugins/cloud-spotfleet/index.ts';
import { stage, type Stage } from './support.ts';

const tagsOf = (installation: string) =>
  Object.entries({ 'muster:installation': installation, 'muster:request-id': 'req-1', 'muster:attempt': '2' }).map(
    ([Key, Value]) => ({
      Key,
      Value,
    }),
  );

/** A machine and a launch template of an installation. */
async function leave({ session, call }: Stage, installation: string): Promise<void> {
  const Tags = tagsOf(installation);
  await session.write(
    () =>
      new RunInstancesCommand({
        ImageId: 'ami-1',
        InstanceType: 't3.micro',
        MinCount: 1,
        MaxCount: 1,
        TagSpecifications: [{ ResourceType: 'instance', Tags }],
      }),
    call,
  );
  const TagSpecifications = [{ ResourceType: 'launch-template', Tags } as const];
  const LaunchTemplateData = { ImageId: 'ami-1' };
  await session.write(
    () =>
      new CreateLaunchTemplateCommand({
        LaunchTemplateName: `left-by-${installation}`,
        LaunchTemplateData,
        TagSpecifications,
      }),
    call,
  );
}

async function listed({ session, call }: Stage): Promise<OwnedResource[]> {
  return Array.fromAsync(cloud.owned?.(session, 'inst-1', call) ?? []);
}

test('resources with the tag of this installation are listed with request, attempt and age, and no others', async (t) => {
  const stand = await stage();
  t.teardown(() => stand.close());
  await leave(stand, 'inst-1');
  await leave(stand, 'inst-2');
  const found = await listed(stand);
  t.deepEqual(
    found.map(({ kind, request_id, attempt }) => ({ kind, request_id, attempt })),
    [
      { kind: 'machine', request_id: 'req-1', attempt: 2 },
      { kind: 'launch_template', request_id: 'req-1', attempt: 2 },
    ],
  );
  t.true(found.every(({ created_at }) => created_at !== undefined));
});

test('orphans are removed, also when they are already gone, and no resource of another installation is', async (t) => {
  const stand = await stage();
  t.teardown(() => stand.close());
  await leave(stand, 'inst-1');
  await leave(stand, 'inst-2');
  const orphans = await listed(stand);
  for (let time = 0; time < 2; time++) await cloud.remove?.(stand.session, orphans, stand.call);
  const { untagged, live, templates } = stand.simulator.ledger();
  t.deepEqual([untagged.length, live['req-1']?.length, templates.length], [0, 1, 1]);
});

const apis = [ec2FleetPlugin, spotFleetPlugin, asgPlugin].map((plugin) => plugin.providerApis?.[0]);

/** A fleet, a Spot fleet and a group of an installation. */
async function leaveContainers({ session, call }: Stage, installation: string): Promise<void> {
  const Tags = tagsOf(installation);
  const LaunchTemplateData = { ImageId: 'ami-1', InstanceType: 't3.micro' } as const;
  const LaunchTemplateName = `of-${installation}`;
  await session.write(() => new CreateLaunchTemplateCommand({ LaunchTemplateName, LaunchTemplateData }), call);
  const LaunchTemplateConfigs = [{ LaunchTemplateSpecification: { LaunchTemplateName, Version: '1' } }];
  const target = { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' } as const;
  const TagSpecifications = [{ ResourceType: 'fleet', Tags } as const];
  await session.write(
    () =>
      new CreateFleetCommand({
        Type: 'maintain',
        LaunchTemplateConfigs,
        TargetCapacitySpecification: target,
        TagSpecifications,
      }),
    call,
  );
  const SpotFleetRequestConfig = {
    IamFleetRole: 'arn:aws:iam::123456789012:role/fleet',
    TargetCapacity: 1,
    LaunchTemplateConfigs,
    TagSpecifications: [{ ResourceType: 'spot-fleet-request', Tags } as const],
  };
  await session.write(() => new RequestSpotFleetCommand({ SpotFleetRequestConfig }), call);
  const group = {
    AutoScalingGroupName: `group-of-${installation}`,
    MinSize: 0,
    MaxSize: 1,
    AvailabilityZones: ['us-east-1a'],
  };
  await session.groups.write(
    () => new CreateAutoScalingGroupCommand({ ...group, LaunchTemplate: { LaunchTemplateName, Version: '1' }, Tags }),
    call,
  );
}

test('fleets and groups of this installation are listed by their APIs and removed, and those of others stay', async (t) => {
  const stand = await stage();
  t.teardown(() => stand.close());
  await leaveContainers(stand, 'inst-1');
  await leaveContainers(stand, 'inst-2');
  for (const api of apis) {
    const list = async () => Array.fromAsync<OwnedResource>(api?.owned?.(stand.session, 'inst-1', stand.call) ?? []);
    const found = await list();
    t.like(found, [{ kind: 'container', request_id: 'req-1', attempt: 2 }], api?.name);
    t.is(found.length, 1);
    t.not(found[0]?.created_at, undefined);
    for (let time = 0; time < 2; time++) await api?.remove?.(stand.session, found, stand.call);
    t.deepEqual(await list(), []);
  }
  const { fleets, spot_fleets, groups } = stand.simulator.ledger();
  t.deepEqual([fleets.length, spot_fleets.length, groups], [1, 1, ['group-of-inst-2']]);
});
