import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import type { LaunchOrder, ProviderApi } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';
import { machineParameters } from '../../../plugins/cloud/template/machine-parameters.ts';
import { templateStage, type TemplateStage } from './launch-template-support.ts';

const ways: readonly (readonly [string, ProviderApi, object])[] = [
  ['RunInstances', runInstances, {}],
  ['EC2Fleet instant', ec2Fleet, {}],
  ['EC2Fleet request', ec2Fleet, { fleet_type: 'request' }],
  ['SpotFleet maintain', spotFleet, { fleet_type: 'maintain', price_type: 'spot' }],
  ['ASG', asg, {}],
];

/** Launches an order from a launch template with these contents; the machines that run a minute later. */
async function machinesFrom(
  t: ExecutionContext,
  api: ProviderApi,
  contents: RequestLaunchTemplateData,
  template: object,
) {
  const cloud = await templateStage(t, {}, { boot_ms: 1_000 });
  const launch_template_id = await namedTemplate(cloud, contents);
  const fields = { image_id: undefined, machine_type: undefined, launch_template_id, ...template };
  const order = await cloud.order(api, { machine_count: 2, template: fields as any });
  await api.launch(cloud.session, order, cloud.call);
  cloud.simulator.advance(60_000);
  return { cloud, order, machines: await cloud.machines(order) };
}

async function namedTemplate({ session, call }: TemplateStage, contents: RequestLaunchTemplateData): Promise<string> {
  const data = { ImageId: 'ami-1', InstanceType: 'm5.large' as const, ...contents };
  const made = await session.write(
    (ec2) => new ec2.CreateLaunchTemplateCommand({ LaunchTemplateName: 'base', LaunchTemplateData: data }),
    call,
  );
  return made.LaunchTemplate?.LaunchTemplateId ?? '';
}

const dataVolume = { DeviceName: '/dev/sdf', Ebs: { VolumeSize: 500, VolumeType: 'st1' as const } };
const encryptedRoot = { DeviceName: '/dev/xvda', Ebs: { Encrypted: true, VolumeSize: 10 } };

for (const [name, api, more] of ways) {
  test(`${name}: a root size keeps the other volumes of the named launch template`, async (t) => {
    const { machines } = await machinesFrom(
      t,
      api,
      { BlockDeviceMappings: [encryptedRoot, dataVolume] },
      { ...more, image_id: 'ami-1', root_volume_size: 40 },
    );
    t.is(machines.length, 2);
    for (const { BlockDeviceMappings } of machines)
      t.deepEqual(
        BlockDeviceMappings?.map(({ DeviceName }) => DeviceName),
        ['/dev/xvda', '/dev/sdf'],
      );
  });

  test(`${name}: subnet and groups go into the network interface of the named launch template`, async (t) => {
    const NetworkInterfaces = [
      { DeviceIndex: 0, AssociatePublicIpAddress: true, Groups: ['sg-9'], SubnetId: 'subnet-9' },
    ];
    const { machines } = await machinesFrom(
      t,
      api,
      { NetworkInterfaces },
      { ...more, subnet_ids: ['subnet-1'], security_group_ids: ['sg-1'] },
    );
    t.is(machines.length, 2);
    for (const machine of machines) {
      t.is(machine.SubnetId, 'subnet-1');
      t.deepEqual(
        machine.SecurityGroups?.map(({ GroupId }) => GroupId),
        ['sg-1'],
      );
      t.truthy(machine.PublicIpAddress);
    }
  });

  test(`${name}: an interface of the named launch template keeps its own groups and subnet where the template has none`, async (t) => {
    const NetworkInterfaces = [{ DeviceIndex: 0, Groups: ['sg-9'], SubnetId: 'subnet-9' }];
    const subnets = name === 'ASG' ? { subnet_ids: ['subnet-9'] } : { subnet_ids: undefined };
    const { machines } = await machinesFrom(t, api, { NetworkInterfaces }, { ...more, ...subnets });
    t.is(machines.length, 2);
    for (const machine of machines) {
      t.is(machine.SubnetId, 'subnet-9');
      t.deepEqual(
        machine.SecurityGroups?.map(({ GroupId }) => GroupId),
        ['sg-9'],
      );
    }
  });
}

const existing = { NetworkInterfaces: [{ DeviceIndex: 0, NetworkInterfaceId: 'eni-1' }] };
// A group takes no existing network interface.
for (const [name, api, more] of ways.filter(([each]) => each !== 'ASG')) {
  test(`${name}: a launch with an existing network interface tags machine and volumes only`, async (t) => {
    for (const [contents, native] of [
      [existing, {}],
      [{}, { launch_template_spec: existing }],
    ] as const) {
      const template = { ...more, subnet_ids: undefined, ...native };
      const { machines, order } = await machinesFrom(t, api, contents, template);
      t.is(machines.length, 2);
      for (const machine of machines)
        t.is(machine.Tags?.find(({ Key }) => Key === 'muster:request-id')?.Value, order.request_id);
    }
  });
}

for (const [name, api, more] of ways.filter(([each]) => /request|maintain/.test(each))) {
  test(`${name}: tags of network interfaces, which its role may not set, are left out with a warning`, async (t) => {
    const tags = [{ Key: 'team', Value: 'blue' }];
    const TagSpecifications = ['network-interface', 'volume'].map((ResourceType) => ({
      ResourceType: ResourceType as 'volume',
      Tags: tags,
    }));
    const launch_template_spec = { TagSpecifications };
    const { machines } = await machinesFrom(t, api, { TagSpecifications }, { ...more, subnet_ids: ['subnet-1'] });
    t.is(machines.length, 2);
    const natively = await machinesFrom(t, api, {}, { ...more, subnet_ids: ['subnet-1'], launch_template_spec });
    t.is(natively.machines.length, 2);
    const template = { template_id: 't', image_id: 'ami-1', machine_type: 'm5.large', ...more, launch_template_spec };
    t.deepEqual(api.review?.(template as unknown as LaunchOrder['template']), [
      {
        level: 'warning',
        path: '/launch_template_spec/TagSpecifications',
        message: 'of network-interface are left out; a fleet of this type may tag instance and volume only',
      },
    ]);
  });
}

test('volumes are merged by their device; another type of volume leaves the performance of the old one behind', (t) => {
  const merged = (over: object) =>
    machineParameters({
      named: {
        BlockDeviceMappings: [
          { DeviceName: '/dev/xvda', Ebs: { VolumeType: 'io2', Iops: 9000, Encrypted: true } },
          dataVolume,
        ],
      },
      fields: { BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: over }] },
      natives: [],
    })['BlockDeviceMappings'];
  t.deepEqual(merged({ VolumeSize: 40 }), [
    { DeviceName: '/dev/xvda', Ebs: { VolumeType: 'io2', Iops: 9000, Encrypted: true, VolumeSize: 40 } },
    dataVolume,
  ]);
  t.deepEqual(merged({ VolumeType: 'gp3' }), [
    { DeviceName: '/dev/xvda', Ebs: { VolumeType: 'gp3', Encrypted: true } },
    dataVolume,
  ]);
});

test('RunInstances: groups of the named launch template go into an interface of the template, and not beside it', async (t) => {
  const contents = { SecurityGroupIds: ['sg-9'], EbsOptimized: true };
  const { machines, order } = await machinesFrom(t, runInstances, contents, {
    public_ip: true,
    subnet_ids: ['subnet-1'],
  });
  t.is(order.prepared.params.LaunchTemplate, undefined);
  t.is(machines.length, 2);
  for (const machine of machines) {
    t.deepEqual(
      machine.SecurityGroups?.map(({ GroupId }) => GroupId),
      ['sg-9'],
    );
    t.truthy(machine.PublicIpAddress);
    t.true(machine.EbsOptimized);
  }
});
