import {
  type BlockDeviceMapping,
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  type EbsBlockDevice,
  type RequestLaunchTemplateData,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

type Input = NonNullable<Parameters<typeof launch>[0]>;

const disk = (ebs: EbsBlockDevice, more: Partial<BlockDeviceMapping> = {}): Input => ({
  BlockDeviceMappings: [{ DeviceName: '/dev/sdf', Ebs: ebs, ...more }],
});
const spot = (SpotOptions: NonNullable<Input['InstanceMarketOptions']>['SpotOptions']): Input => ({
  InstanceMarketOptions: { MarketType: 'spot', SpotOptions },
});

const wrong: readonly [what: string, input: Input, code: string][] = [
  // Devices
  ['a device without a name', { BlockDeviceMappings: [{ Ebs: { VolumeSize: 10 } }] }, 'MissingParameter'],
  ['a device that says nothing', { BlockDeviceMappings: [{ DeviceName: '/dev/sdf' }] }, 'InvalidBlockDeviceMapping'],
  ['a device that is there and not', disk({ VolumeSize: 10 }, { NoDevice: '' }), 'InvalidBlockDeviceMapping'],
  [
    'a device named twice',
    { BlockDeviceMappings: [1, 2].map((VolumeSize) => ({ DeviceName: '/dev/sdf', Ebs: { VolumeSize } })) },
    'InvalidBlockDeviceMapping',
  ],
  ['a volume of no size', disk({ VolumeSize: 0 }), 'InvalidBlockDeviceMapping'],
  ['a volume beyond the largest', disk({ VolumeSize: 65_537, VolumeType: 'gp3' }), 'InvalidBlockDeviceMapping'],
  ['a volume too small for its type', disk({ VolumeSize: 100, VolumeType: 'st1' }), 'InvalidBlockDeviceMapping'],
  ['neither size nor snapshot', disk({ VolumeType: 'gp3' }), 'MissingParameter'],
  [
    'a system volume smaller than the image',
    { BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 4 } }] },
    'InvalidBlockDeviceMapping',
  ],
  ['an unknown volume type', disk({ VolumeSize: 10, VolumeType: 'gp9' as 'gp3' }), 'InvalidParameterValue'],
  ['io2 without iops', disk({ VolumeSize: 10, VolumeType: 'io2' }), 'InvalidParameterCombination'],
  ['iops for gp2', disk({ VolumeSize: 10, VolumeType: 'gp2', Iops: 3000 }), 'InvalidParameterCombination'],
  ['too few iops', disk({ VolumeSize: 10, VolumeType: 'gp3', Iops: 2999 }), 'InvalidParameterValue'],
  ['too many iops', disk({ VolumeSize: 10, VolumeType: 'io1', Iops: 64_001 }), 'InvalidParameterValue'],
  [
    'throughput for io1',
    disk({ VolumeSize: 10, VolumeType: 'io1', Iops: 100, Throughput: 125 }),
    'InvalidParameterCombination',
  ],
  ['too much throughput', disk({ VolumeSize: 10, VolumeType: 'gp3', Throughput: 2001 }), 'InvalidParameterValue'],
  ['a key for what is not encrypted', disk({ VolumeSize: 10, KmsKeyId: 'alias/mine' }), 'InvalidParameterDependency'],
  ['a snapshot id of another form', disk({ SnapshotId: 'image-1' }), 'InvalidSnapshotID.Malformed'],
  // Placement
  ['an unknown tenancy', { Placement: { Tenancy: 'shared' as 'default' } }, 'InvalidParameterValue'],
  ['an unknown zone id', { Placement: { AvailabilityZoneId: 'use1-az9' } }, 'InvalidParameterValue'],
  [
    'a zone and a zone id',
    { Placement: { AvailabilityZone: 'us-east-1a', AvailabilityZoneId: 'use1-az1' } },
    'InvalidParameterCombination',
  ],
  [
    'a placement group by id and name',
    { Placement: { GroupId: 'pg-1', GroupName: 'near' } },
    'InvalidParameterCombination',
  ],
  ['a placement group id of another form', { Placement: { GroupId: 'near' } }, 'InvalidPlacementGroupId.Malformed'],
  ['a partition without a group', { Placement: { PartitionNumber: 1 } }, 'InvalidParameterCombination'],
  // The machine
  [
    'an unknown shutdown behaviour',
    { InstanceInitiatedShutdownBehavior: 'reboot' as 'stop' },
    'InvalidParameterValue',
  ],
  [
    'credits for a type without',
    { InstanceType: 'm5.large', CreditSpecification: { CpuCredits: 'standard' } },
    'InstanceCreditSpecification.NotSupported',
  ],
  ['unknown credits', { CreditSpecification: { CpuCredits: 'endless' } }, 'InvalidParameterValue'],
  ['cores without threads', { InstanceType: 'm5.large', CpuOptions: { CoreCount: 1 } }, 'InvalidParameterCombination'],
  [
    'more cores than there are',
    { InstanceType: 'm5.large', CpuOptions: { CoreCount: 2, ThreadsPerCore: 1 } },
    'InvalidParameterValue',
  ],
  [
    'more threads than there are',
    { InstanceType: 'm5.large', CpuOptions: { CoreCount: 1, ThreadsPerCore: 3 } },
    'InvalidParameterValue',
  ],
  [
    'unknown tokens of the metadata',
    { MetadataOptions: { HttpTokens: 'maybe' as 'optional' } },
    'InvalidParameterValue',
  ],
  ['65 hops', { MetadataOptions: { HttpPutResponseHopLimit: 65 } }, 'InvalidParameterValue'],
  [
    'preference and target of a reservation',
    {
      CapacityReservationSpecification: {
        CapacityReservationPreference: 'open',
        CapacityReservationTarget: { CapacityReservationId: 'cr-0123456789abcdef0' },
      },
    },
    'InvalidParameterCombination',
  ],
  [
    'a reservation id of another form',
    { CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: 'mine' } } },
    'InvalidCapacityReservationId.Malformed',
  ],
  ['a profile ARN of another form', { IamInstanceProfile: { Arn: 'arn:aws:s3:::bucket' } }, 'InvalidParameterValue'],
  [
    'a profile by name and ARN',
    { IamInstanceProfile: { Name: 'a', Arn: 'arn:aws:iam::123456789012:instance-profile/a' } },
    'InvalidParameterCombination',
  ],
  // Spot
  ['an unknown market', { InstanceMarketOptions: { MarketType: 'auction' as 'spot' } }, 'InvalidParameterValue'],
  [
    'Spot options without the market',
    { InstanceMarketOptions: { SpotOptions: { MaxPrice: '1' } } },
    'InvalidParameterCombination',
  ],
  ['a price that is none', spot({ MaxPrice: 'cheap' }), 'InvalidParameterValue'],
  ['a price of nothing', spot({ MaxPrice: '0' }), 'InvalidParameterValue'],
  ['a one-time request that stops', spot({ InstanceInterruptionBehavior: 'stop' }), 'InvalidParameterCombination'],
  ['an end of a one-time request', spot({ ValidUntil: new Date('2030-01-01') }), 'InvalidParameterCombination'],
  [
    'an end that is past',
    spot({ SpotInstanceType: 'persistent', ValidUntil: new Date('2020-01-01') }),
    'InvalidParameterValue',
  ],
  ['a Spot request that would start machines again', spot({ SpotInstanceType: 'persistent' }), 'UnsupportedOperation'],
  ['Spot for a type without', { ...spot({}), InstanceType: 'hpc6a.48xlarge' }, 'UnsupportedOperation'],
  // The network
  [
    'groups by name beside a subnet',
    { SubnetId: 'subnet-1', SecurityGroups: ['default'] },
    'InvalidParameterCombination',
  ],
  [
    'six groups',
    { SecurityGroupIds: [1, 2, 3, 4, 5, 6].map((n) => `sg-${n}`) },
    'SecurityGroupsPerInterfaceLimitExceeded',
  ],
  [
    'one address for two machines',
    { SubnetId: 'subnet-1', PrivateIpAddress: '10.64.0.9', MaxCount: 2 },
    'InvalidParameterCombination',
  ],
  [
    'an address outside the subnet',
    { SubnetId: 'subnet-1', PrivateIpAddress: '192.168.0.9' },
    'InvalidParameterValue',
  ],
  ['an address without a subnet', { PrivateIpAddress: '10.0.0.9' }, 'InvalidParameterCombination'],
  ['an interface without an index', { NetworkInterfaces: [{ SubnetId: 'subnet-1' }] }, 'MissingParameter'],
  [
    'two interfaces of one index',
    { NetworkInterfaces: [{ DeviceIndex: 0 }, { DeviceIndex: 0 }] },
    'InvalidParameterValue',
  ],
  [
    'a public address on two interfaces',
    { NetworkInterfaces: [{ DeviceIndex: 0, AssociatePublicIpAddress: true }, { DeviceIndex: 1 }] },
    'InvalidParameterCombination',
  ],
  [
    'an interface id of another form',
    { NetworkInterfaces: [{ DeviceIndex: 0, NetworkInterfaceId: 'card' }] },
    'InvalidNetworkInterfaceId.Malformed',
  ],
  [
    'an interface beside an address',
    { NetworkInterfaces: [{ DeviceIndex: 0 }], PrivateIpAddress: '10.0.0.9' },
    'InvalidParameterCombination',
  ],
  // Templates
  [
    'a template by id and name',
    { LaunchTemplate: { LaunchTemplateId: 'lt-1', LaunchTemplateName: 'one' } },
    'InvalidParameterCombination',
  ],
];
for (const [what, input, code] of wrong) {
  test(`a launch with ${what} is refused with ${code} and leaves its token free`, async (t) => {
    // A profile that is not visible yet may keep the token; see client-tokens.test.ts.
    const { ec2, simulator } = await openCloud(t, { knobs: { tokens: { unseen_replay: 'execute' } } });

    t.is(await codeOf(ec2.send(launch({ ...input, ClientToken: 'one' }))), code);

    t.is(simulator.ledger().untagged.length, 0);
    t.is((await ec2.send(launch({ ClientToken: 'one' }))).Instances?.length, 1);
  });
}

test('mistakes in a launch template are found by the launch, with RunInstances and with a fleet', async (t) => {
  const { ec2 } = await openCloud(t);
  const data: RequestLaunchTemplateData = {
    ImageId: 'ami-1',
    InstanceType: 't3.micro',
    BlockDeviceMappings: [{ DeviceName: '/dev/sdf', Ebs: { VolumeSize: 10, VolumeType: 'gp2', Throughput: 200 } }],
  };
  await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'one', LaunchTemplateData: data }));
  const named = { LaunchTemplateName: 'one' };

  t.is(
    await codeOf(ec2.send(new RunInstancesCommand({ MinCount: 1, MaxCount: 1, LaunchTemplate: named }))),
    'InvalidParameterCombination',
  );
  const fleet = await ec2.send(
    new CreateFleetCommand({
      Type: 'instant',
      LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { ...named, Version: '1' } }],
      TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
    }),
  );
  t.deepEqual(fleet.Instances, []);
  t.deepEqual(
    fleet.Errors?.map((error) => error.ErrorCode),
    ['InvalidParameterCombination'],
  );
});

test('machines show the volumes and the options that they were launched with', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { boot_ms: 0 } });
  const reservation = 'cr-0123456789abcdef0';
  await ec2.send(
    launch({
      InstanceType: 'm5.xlarge',
      BlockDeviceMappings: [
        { DeviceName: '/dev/xvda', Ebs: { VolumeSize: 20, DeleteOnTermination: false } },
        { DeviceName: '/dev/sdf', Ebs: { VolumeSize: 100, VolumeType: 'io2', Iops: 5000 } },
        { DeviceName: '/dev/sdg', NoDevice: '' },
        { DeviceName: '/dev/sdh', VirtualName: 'ephemeral0' },
      ],
      Monitoring: { Enabled: true },
      EbsOptimized: true,
      Placement: { Tenancy: 'dedicated', GroupName: 'near', AvailabilityZoneId: 'use1-az3' },
      CpuOptions: { CoreCount: 2, ThreadsPerCore: 1 },
      CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: reservation } },
      MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 2, InstanceMetadataTags: 'enabled' },
    }),
  );
  simulator.advance(1);

  const [machine] = (await ec2.send(new DescribeInstancesCommand({}))).Reservations?.[0]?.Instances ?? [];
  t.deepEqual(
    machine?.BlockDeviceMappings?.map((one) => [one.DeviceName, one.Ebs?.DeleteOnTermination]),
    [
      ['/dev/xvda', false],
      ['/dev/sdf', true],
    ],
  );
  t.is(new Set(machine?.BlockDeviceMappings?.map((one) => one.Ebs?.VolumeId)).size, 2);
  t.is(machine?.RootDeviceName, '/dev/xvda');
  t.is(machine?.Monitoring?.State, 'enabled');
  t.true(machine?.EbsOptimized);
  t.like(machine?.Placement, {
    Tenancy: 'dedicated',
    GroupName: 'near',
    AvailabilityZone: 'us-east-1c',
    AvailabilityZoneId: 'use1-az3',
  });
  t.deepEqual(machine?.CpuOptions, { CoreCount: 2, ThreadsPerCore: 1 });
  t.is(machine?.CapacityReservationId, reservation);
  t.is(machine?.CapacityReservationSpecification?.CapacityReservationTarget?.CapacityReservationId, reservation);
  t.like(machine?.MetadataOptions, {
    HttpTokens: 'required',
    HttpPutResponseHopLimit: 2,
    InstanceMetadataTags: 'enabled',
  });
});

test('a machine gets the address that was named, once', async (t) => {
  const { ec2 } = await openCloud(t);
  const input = { SubnetId: 'subnet-1', PrivateIpAddress: '10.64.0.99' };

  t.is((await ec2.send(launch(input))).Instances?.[0]?.PrivateIpAddress, '10.64.0.99');
  t.is(await codeOf(ec2.send(launch(input))), 'InvalidIPAddress.InUse');
});

test('a zone of a fleet’s override can be named by its id, and the template’s placement group stays', async (t) => {
  const { ec2 } = await openCloud(t);
  const LaunchTemplateData: RequestLaunchTemplateData = {
    ImageId: 'ami-1',
    InstanceType: 't3.micro',
    Placement: { AvailabilityZone: 'us-east-1a', GroupName: 'near' },
  };
  await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'one', LaunchTemplateData }));

  for (const override of [{ AvailabilityZoneId: 'use1-az2' }, { Placement: { AvailabilityZoneId: 'use1-az2' } }]) {
    await ec2.send(
      new CreateFleetCommand({
        Type: 'instant',
        LaunchTemplateConfigs: [
          { LaunchTemplateSpecification: { LaunchTemplateName: 'one', Version: '1' }, Overrides: [override] },
        ],
        TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
      }),
    );
  }

  const machines = (await ec2.send(new DescribeInstancesCommand({}))).Reservations?.flatMap(
    (one) => one.Instances ?? [],
  );
  t.deepEqual(
    machines?.map((one) => [one.Placement?.AvailabilityZone, one.Placement?.GroupName]),
    [
      ['us-east-1b', 'near'],
      ['us-east-1b', 'near'],
    ],
  );
});
