import {
  CreateLaunchTemplateCommand,
  DescribeFleetHistoryCommand,
  DescribeSpotFleetRequestHistoryCommand,
  type EC2Client,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { turnKnobs } from '../../../plugins/cloud-simulator/knobs/turn-knobs.ts';
import { defaultKnobs, type KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { liveIds, openFleet } from './fleet-support.ts';
import { openGroups } from './groups-support.ts';
import { createFleet } from './instant-fleet-support.ts';
import { requestSpotFleet } from './spot-fleet-support.ts';
import { codeOf, launch, openCloud, refusal } from './support.ts';

const tagging = (...types: readonly string[]): RequestLaunchTemplateData => ({
  ImageId: 'ami-1',
  InstanceType: 't3.micro',
  TagSpecifications: types.map((ResourceType) => ({
    ResourceType: ResourceType as 'instance',
    Tags: [{ Key: 'team', Value: 'render' }],
  })),
});

async function template(
  ec2: EC2Client,
  LaunchTemplateData: RequestLaunchTemplateData,
  name = 'tagged',
): Promise<string> {
  const made = await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: name, LaunchTemplateData }));
  return made.LaunchTemplate?.LaunchTemplateId ?? '';
}

async function historyOf(ec2: EC2Client, id: string): Promise<string> {
  const StartTime = new Date(0);
  const { HistoryRecords } = id.startsWith('sfr-')
    ? await ec2.send(new DescribeSpotFleetRequestHistoryCommand({ SpotFleetRequestId: id, StartTime }))
    : await ec2.send(new DescribeFleetHistoryCommand({ FleetId: id, StartTime }));
  return (HistoryRecords ?? [])
    .map(({ EventInformation: it }) => `${it?.EventSubType} ${it?.EventDescription}`)
    .join('\n');
}

const specification = (id: string) => [{ LaunchTemplateSpecification: { LaunchTemplateId: id, Version: '1' } }];

for (const [kind, open] of [
  ['an EC2 fleet of type request', (ec2, id) => openFleet(ec2, { template: id, more: { Type: 'request' } })],
  ['an EC2 fleet of type maintain', (ec2, id) => openFleet(ec2, { template: id })],
  ['a Spot fleet', (ec2, id) => requestSpotFleet(ec2, { LaunchTemplateConfigs: specification(id) })],
] as readonly (readonly [string, (ec2: EC2Client, id: string) => Promise<string>])[]) {
  test(`${kind} may not tag network interfaces: no machine starts, and its history says why`, async (t) => {
    const { ec2, simulator } = await openCloud(t);
    const allowed = await open(ec2, await template(ec2, tagging('instance', 'volume'), 'allowed'));
    const refused = await open(ec2, await template(ec2, tagging('instance', 'network-interface')));
    simulator.advance(120_000);
    t.not((await liveIds(ec2, allowed)).length, 0);
    t.deepEqual(await liveIds(ec2, refused), []);
    const history = await historyOf(ec2, refused);
    t.regex(history, /iamFleetRoleInvalid .*ec2:CreateTags on resource: network-interface.*UnauthorizedOperation/);
  });
}

test('the knob service_roles lets fleets tag more, or leaves Spot unchecked', async (t) => {
  const knobs: KnobChange[] = [
    { auth: { service_roles: { ec2_fleet_tags: null } as any } },
    { auth: { service_roles: { spot_market: false } as any } },
  ];
  for (const [index, change] of knobs.entries()) {
    const { ec2, simulator } = await openCloud(t, { knobs: change });
    const id = await template(ec2, tagging('network-interface'));
    const DefaultTargetCapacityType = index === 0 ? ('on-demand' as const) : ('spot' as const);
    const fleet = await openFleet(ec2, {
      template: id,
      target: { TotalTargetCapacity: 2, DefaultTargetCapacityType },
    });
    simulator.advance(10_000);
    t.is((await liveIds(ec2, fleet)).length, 2);
  }
});

test('launches as the caller, and those of groups, may tag network interfaces', async (t) => {
  const cloud = await openGroups(t);
  const id = await cloud.template('tags', tagging('instance', 'network-interface'));
  t.is((await createFleet(cloud.ec2, { units: 1, template: id })).Errors?.length, 0);
  await cloud.ec2.send(launch({ LaunchTemplate: { LaunchTemplateId: id } }));
  await cloud.create('group', { LaunchTemplate: { LaunchTemplateId: id }, MaxSize: 2, DesiredCapacity: 2 });
  cloud.settle();
  t.is((await cloud.members('group')).length, 2);
});

test('a launch with an existing network interface may not tag network interfaces', async (t) => {
  const { ec2 } = await openCloud(t);
  const NetworkInterfaces = [{ DeviceIndex: 0, NetworkInterfaceId: 'eni-1' }];
  const { TagSpecifications } = tagging('instance', 'network-interface');
  const call = ec2.send(launch({ NetworkInterfaces, TagSpecifications }));
  t.like(await refusal(call), { code: 'InvalidParameterValue', status: 400 });
  const tagged = await template(ec2, { ...tagging('instance', 'network-interface'), NetworkInterfaces });
  const fleet = await createFleet(ec2, { units: 1, template: tagged });
  t.deepEqual(
    fleet.Errors?.map((error) => error.ErrorCode),
    ['InvalidParameterValue'],
  );
  await t.notThrowsAsync(
    ec2.send(launch({ NetworkInterfaces, TagSpecifications: tagging('instance').TagSpecifications })),
  );
});

const profile = { IamInstanceProfile: { Name: 'workers' } };
const denials: readonly (readonly [what: string, rule: object])[] = [
  ['a template', { template: 'used' }],
  ['an image', { image: 'ami-1' }],
  ['a subnet', { subnet: 'subnet-1' }],
  ['a role', { role: 'work*' }],
  ['all of them', { image: 'ami-*', subnet: 'subnet-1', role: '*instance-profile/workers' }],
];
for (const [what, rule] of denials) {
  test(`${what} can be denied: the call, the pool or the history says so, and other launches pass`, async (t) => {
    const cloud = await openGroups(t, { knobs: { auth: { denied: [{ action: '*', ...rule }] } } });
    const { ec2, simulator } = cloud;
    const SubnetId = 'subnet-1';
    const used = await cloud.template('used', { ...tagging('instance'), ...profile });
    const other = { ImageId: 'ami-2', SubnetId: 'subnet-2' };
    const LaunchTemplate = { LaunchTemplateId: used };
    const denied = { ImageId: undefined, InstanceType: undefined, LaunchTemplate, SubnetId };
    t.like(await refusal(ec2.send(launch(denied))), { code: 'UnauthorizedOperation', status: 403 });
    await t.notThrowsAsync(ec2.send(launch(other)));

    const overrides = [{ SubnetId }];
    const instant = await createFleet(ec2, { units: 1, template: used, overrides });
    t.deepEqual(
      instant.Errors?.map((error) => error.ErrorCode),
      ['UnauthorizedOperation'],
    );
    const fleet = await openFleet(ec2, { template: used, overrides });
    const input = { LaunchTemplate, AvailabilityZones: undefined, VPCZoneIdentifier: SubnetId, MaxSize: 1 };
    t.is(await codeOf(cloud.create('group', input)), 'ValidationError');
    simulator.advance(60_000);
    t.deepEqual(await liveIds(ec2, fleet), []);
    t.regex(await historyOf(ec2, fleet), /UnauthorizedOperation/);
  });
}

test('a denial names the action of a fleet or of a call, and leaves the other alone', async (t) => {
  const denied = [{ action: 'RunInstances', image: 'ami-1' }];
  const { ec2 } = await openCloud(t, { knobs: { auth: { denied } } });
  t.is(await codeOf(ec2.send(launch())), 'UnauthorizedOperation');
  t.is((await createFleet(ec2, { units: 1 })).Errors?.length, 0);
});

test('a role that may not be passed on refuses the request of a Spot fleet', async (t) => {
  const { ec2 } = await openCloud(t, {
    knobs: { auth: { denied: [{ action: 'RequestSpotFleet', role: 'secret-*' }] } },
  });
  const IamFleetRole = 'arn:aws:iam::123456789012:role/secret-fleet';
  const { code, message } = await refusal(requestSpotFleet(ec2, { IamFleetRole }));
  t.is(code, 'UnauthorizedOperation');
  t.regex(message, /iam:PassRole on resource: arn:aws:iam::123456789012:role\/secret-fleet/);
  t.truthy(await requestSpotFleet(ec2));
});

test('only actions that launch can be denied by what they use', (t) => {
  for (const action of ['DescribeInstances', 'LaunchInstances'])
    t.throws(() => turnKnobs(defaultKnobs, { auth: { denied: [{ action, subnet: 'subnet-1' }] } }), {
      message: /\/auth\/denied\/0\/action: expected an action whose launches can be told apart/,
    });
});
