import { CreateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypesCommand,
  RequestSpotFleetCommand,
  type CreateFleetCommandInput,
  type RequestLaunchTemplateData,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud, refusal, type Cloud } from './support.ts';

const efa = (count: number, SubnetId = 'subnet-0355328ca6a7aa803') =>
  Array.from({ length: count }, (_, card) => ({
    DeviceIndex: card === 0 ? 0 : 1,
    NetworkCardIndex: card,
    InterfaceType: 'efa',
    ...(SubnetId === '' ? {} : { SubnetId }),
  }));
const root = (Ebs: object) => ({ BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs }] });
const target = (id: string) => ({
  CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: id } },
});
const block = {
  InstanceMarketOptions: { MarketType: 'capacity-block' as const },
  InstanceType: 'p5.48xlarge' as const,
};

const refused: readonly (readonly [string, Partial<RunInstancesCommandInput>, string])[] = [
  [
    'more throughput than the I/O operations of the volume allow',
    root({ VolumeType: 'gp3', Throughput: 1_000 }),
    'InvalidParameterValue',
  ],
  ['throughput of another type', root({ VolumeType: 'gp2', Throughput: 250 }), 'InvalidParameterCombination'],
  [
    'more I/O operations than the size allows',
    root({ VolumeType: 'io1', VolumeSize: 10, Iops: 1_000 }),
    'InvalidParameterValue',
  ],
  ['a KMS key without encryption', root({ KmsKeyId: 'alias/k' }), 'InvalidParameterDependency'],
  ['a KMS key with encryption off', root({ KmsKeyId: 'alias/k', Encrypted: false }), 'InvalidParameterDependency'],
  ['EFA on a type without it', { NetworkInterfaces: efa(1) }, 'InvalidParameterCombination'],
  [
    'more EFA interfaces than the type has network cards',
    { NetworkInterfaces: efa(5), InstanceType: 'p4d.24xlarge' },
    'InvalidParameterValue',
  ],
  [
    'interfaces of which one names no subnet',
    {
      NetworkInterfaces: [
        { DeviceIndex: 0, SubnetId: 'subnet-1' },
        { DeviceIndex: 1, Groups: ['sg-1'] },
      ],
      InstanceType: 'm5.large',
    },
    'InvalidParameterCombination',
  ],
  ['a capacity block that is not named', block, 'InvalidParameterCombination'],
  [
    'a capacity block for a type that has none',
    { ...block, ...target('cr-1'), InstanceType: 'm5.large' },
    'UnsupportedOperation',
  ],
];
for (const [what, more, code] of refused) {
  test(`a launch is refused: ${what}`, async (t) => {
    const { ec2 } = await openCloud(t);
    t.is(await codeOf(ec2.send(launch(more))), code);
  });
}

test('what the fields of a machine say is shown with it', async (t) => {
  const { ec2 } = await openCloud(t);
  const { Instances } = await ec2.send(
    launch({
      InstanceType: 'p4d.24xlarge',
      Monitoring: { Enabled: true },
      MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 2 },
      Placement: { GroupName: 'mpi', Tenancy: 'dedicated', AvailabilityZone: 'us-east-1d' },
      NetworkInterfaces: efa(4),
    }),
  );
  const { Reservations } = await ec2.send(
    new DescribeInstancesCommand({ InstanceIds: [Instances?.[0]?.InstanceId ?? ''] }),
  );
  const [machine] = Reservations?.[0]?.Instances ?? [];
  t.like(machine, {
    Monitoring: { State: 'enabled' },
    MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 2 },
    Placement: { GroupName: 'mpi', Tenancy: 'dedicated' },
  });
  t.deepEqual(
    machine?.NetworkInterfaces?.map(({ InterfaceType, Attachment }) => [
      InterfaceType,
      Attachment?.DeviceIndex,
      Attachment?.NetworkCardIndex,
    ]),
    [
      ['efa', 0, 0],
      ['efa', 1, 1],
      ['efa', 1, 2],
      ['efa', 1, 3],
    ],
  );
  t.is(new Set(machine?.NetworkInterfaces?.map(({ NetworkInterfaceId }) => NetworkInterfaceId)).size, 4);
});

test('types say whether they have EFA, and how many interfaces', async (t) => {
  const { ec2 } = await openCloud(t);
  const { InstanceTypes } = await ec2.send(
    new DescribeInstanceTypesCommand({ InstanceTypes: ['m5.large', 'c5n.18xlarge', 'p4d.24xlarge', 'p5.48xlarge'] }),
  );
  const efaOf = new Map(
    InstanceTypes?.map(({ InstanceType, NetworkInfo }) => [
      InstanceType,
      NetworkInfo?.EfaSupported ? NetworkInfo.EfaInfo?.MaximumEfaInterfaces : 0,
    ]),
  );
  t.deepEqual(Object.fromEntries(efaOf), { 'm5.large': 0, 'c5n.18xlarge': 1, 'p4d.24xlarge': 4, 'p5.48xlarge': 32 });
});

test('a placement group exists when the knob names it', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { placement_groups: ['mpi'] } });
  const inGroup = (GroupName: string) => ec2.send(launch({ InstanceType: 'm5.large', Placement: { GroupName } }));
  await inGroup('mpi');
  t.like(await refusal(inGroup('mip')), { code: 'InvalidPlacementGroup.Unknown' });
  simulator.setKnobs({ placement_groups: null });
  await inGroup('mip');
  simulator.setKnobs({ strict_ids: true });
  t.is(await codeOf(inGroup('mip')), 'InvalidAMIID.NotFound');
});

const blocks = [{ id: 'cr-0b1', instance_type: 'p5.48xlarge', zone: 'us-east-1d', count: 3 }];
const inZone = { Placement: { AvailabilityZone: 'us-east-1d' } };

test('a capacity block has its machines, its type, its zone and its market', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { capacity_blocks: blocks } });
  const start = (more: Partial<RunInstancesCommandInput> = {}) =>
    ec2.send(launch({ ...block, ...inZone, ...target('cr-0b1'), ...more }));
  const { Instances } = await start({ MaxCount: 2 });
  t.like(Instances?.[0], { InstanceLifecycle: 'capacity-block', CapacityReservationId: 'cr-0b1' });
  t.is((await start({ MaxCount: 2 })).Instances?.length, 1);
  t.is(await codeOf(start()), 'ReservationCapacityExceeded');
  t.is(await codeOf(start({ InstanceType: 'p4d.24xlarge' })), 'InvalidParameterValue');
  t.is(await codeOf(start({ Placement: { AvailabilityZone: 'us-east-1f' } })), 'InvalidParameterValue');
  t.is(await codeOf(start(target('cr-0b2'))), 'InvalidCapacityReservationId.NotFound');
  const { InstanceMarketOptions: _, ...onDemand } = block;
  t.is(await codeOf(ec2.send(launch({ ...onDemand, ...inZone, ...target('cr-0b1') }))), 'InvalidParameterCombination');
});

test('a machine of a capacity block that ended leaves its place in the block', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity_blocks: [{ ...blocks[0], count: 1 }] as any } });
  const start = () => ec2.send(launch({ ...block, ...inZone, ...target('cr-0b1') }));
  const { Instances } = await start();
  t.is(await codeOf(start()), 'ReservationCapacityExceeded');
  const { TerminateInstancesCommand } = await import('@aws-sdk/client-ec2');
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [Instances?.[0]?.InstanceId ?? ''] }));
  simulator.advance(60_000);
  t.is((await start()).Instances?.length, 1);
});

async function template({ ec2 }: Cloud, data: RequestLaunchTemplateData): Promise<string> {
  const { LaunchTemplate } = await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: `made-${JSON.stringify(data).length}`,
      LaunchTemplateData: { ImageId: 'ami-1', ...data },
    }),
  );
  return LaunchTemplate?.LaunchTemplateId ?? '';
}

const fleetOf = (
  id: string,
  more: Partial<CreateFleetCommandInput> = {},
  override: object = { AvailabilityZone: 'us-east-1d' },
) =>
  new CreateFleetCommand({
    Type: 'instant',
    LaunchTemplateConfigs: [
      { LaunchTemplateSpecification: { LaunchTemplateId: id, Version: '1' }, Overrides: [override] },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: 2, DefaultTargetCapacityType: 'capacity-block' },
    ...more,
  });

test('an instant fleet starts machines of a capacity block that its launch template names', async (t) => {
  const cloud = await openCloud(t, { knobs: { capacity_blocks: blocks } });
  const { ec2 } = cloud;
  const id = await template(cloud, { ...block, ...target('cr-0b1') });
  const started = await ec2.send(fleetOf(id));
  t.is(started.Instances?.[0]?.Lifecycle, 'capacity-block');
  t.is(started.Instances?.[0]?.InstanceIds?.length, 2);
  const short = await ec2.send(fleetOf(id));
  t.is(short.Instances?.[0]?.InstanceIds?.length, 1);
  t.is(short.Errors?.[0]?.ErrorCode, 'ReservationCapacityExceeded');
  t.is(await codeOf(ec2.send(fleetOf(id, { Type: 'request' }))), 'InvalidParameterCombination');
  const onDemand = { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' as const };
  const other = await ec2.send(fleetOf(id, { TargetCapacitySpecification: onDemand }));
  t.is(other.Errors?.[0]?.ErrorCode, 'InvalidParameterCombination');
  const parts = {
    TotalTargetCapacity: 2,
    OnDemandTargetCapacity: 1,
    DefaultTargetCapacityType: 'capacity-block' as const,
  };
  t.is(await codeOf(ec2.send(fleetOf(id, { TargetCapacitySpecification: parts }))), 'InvalidParameterCombination');
});

test('the subnet of an override is that of all interfaces', async (t) => {
  const cloud = await openCloud(t);
  const data = { NetworkInterfaces: efa(4, '') };
  const id = await template(cloud, data);
  const { Instances } = await cloud.ec2.send(
    fleetOf(
      id,
      { TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' } },
      { InstanceType: 'p4d.24xlarge', SubnetId: 'subnet-0355328ca6a7aa803' },
    ),
  );
  t.is(Instances?.[0]?.InstanceIds?.length, 1);
});

test('a number of Spot pools goes with the strategy lowest-price alone', async (t) => {
  const cloud = await openCloud(t);
  const { ec2 } = cloud;
  const id = await template(cloud, { InstanceType: 'm5.large' });
  const spot = (SpotOptions: object) =>
    ec2.send(
      fleetOf(
        id,
        {
          TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'spot' },
          SpotOptions,
        },
        {},
      ),
    );
  t.is((await spot({ AllocationStrategy: 'lowest-price', InstancePoolsToUseCount: 2 })).Errors?.length, 0);
  t.is(
    await codeOf(spot({ AllocationStrategy: 'price-capacity-optimized', InstancePoolsToUseCount: 2 })),
    'InvalidParameterCombination',
  );
  t.is(await codeOf(spot({ InstancePoolsToUseCount: 0 })), 'InvalidParameterValue');
  const spotFleet = (AllocationStrategy: 'lowestPrice' | 'diversified') =>
    ec2.send(
      new RequestSpotFleetCommand({
        SpotFleetRequestConfig: {
          IamFleetRole: 'arn:aws:iam::123456789012:role/fleet',
          TargetCapacity: 1,
          AllocationStrategy,
          InstancePoolsToUseCount: 2,
          LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateId: id, Version: '1' } }],
        },
      }),
    );
  t.truthy((await spotFleet('lowestPrice')).SpotFleetRequestId);
  t.is(await codeOf(spotFleet('diversified')), 'InvalidSpotFleetRequestConfig');
});

test('a group starts machines of a capacity block from its launch template, not from a policy', async (t) => {
  const cloud = await openCloud(t, { knobs: { capacity_blocks: blocks } });
  const LaunchTemplateId = await template(cloud, { ...block, ...target('cr-0b1') });
  const named = { LaunchTemplateId, Version: '1' };
  const group = (AutoScalingGroupName: string, source: object) =>
    cloud.autoScaling.send(
      new CreateAutoScalingGroupCommand({
        AutoScalingGroupName,
        MinSize: 0,
        MaxSize: 2,
        DesiredCapacity: 2,
        AvailabilityZones: ['us-east-1d'],
        ...source,
      }),
    );
  await group('plain', { LaunchTemplate: named });
  cloud.simulator.advance(60_000);
  const { Reservations } = await cloud.ec2.send(new DescribeInstancesCommand({}));
  t.deepEqual(
    Reservations?.flatMap(({ Instances = [] }) => Instances.map(({ InstanceLifecycle }) => InstanceLifecycle)),
    ['capacity-block', 'capacity-block'],
  );
  const policy = { MixedInstancesPolicy: { LaunchTemplate: { LaunchTemplateSpecification: named } } };
  t.is(await codeOf(group('mixed', policy)), 'ValidationError');
});
