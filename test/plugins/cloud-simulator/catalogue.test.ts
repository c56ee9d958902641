import {
  DescribeAvailabilityZonesCommand,
  DescribeImagesCommand,
  type DescribeImagesCommandInput,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeKeyPairsCommand,
  DescribeRegionsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSpotPriceHistoryCommand,
  type DescribeSpotPriceHistoryCommandInput,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  type InstanceTypeInfo,
  paginateDescribeInstanceTypes,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { instanceTypes, regions } from '../../../plugins/cloud/catalogue/index.ts';
import { codeOf, openCloud } from './support.ts';

test('the catalogue is coherent: types have sensible numbers, subnets and groups belong to their region', (t) => {
  t.true(instanceTypes.size > 300);
  for (const type of instanceTypes.values()) {
    t.true(type.vcpus >= type.cores && type.cores >= 1 && type.memory_mib > 0, type.instance_type);
    t.true(type.spot_price < type.on_demand_price, type.instance_type);
  }
  t.deepEqual([...regions.keys()], ['us-east-1', 'us-west-2', 'eu-west-1']);
  for (const region of regions.values()) {
    t.deepEqual(
      region.subnets.map((subnet) => subnet.zone),
      region.zones.map((zone) => zone.zone),
    );
  }
});

test('regions, zones, subnets, groups, images and keys can be described', async (t) => {
  const { ec2 } = await openCloud(t);
  const shown = await ec2.send(new DescribeRegionsCommand({}));
  t.deepEqual(
    shown.Regions?.map((region) => region.RegionName),
    ['us-east-1', 'us-west-2', 'eu-west-1'],
  );
  const zones = await ec2.send(new DescribeAvailabilityZonesCommand({ ZoneNames: ['us-east-1b'] }));
  t.like(zones.AvailabilityZones?.[0], {
    ZoneName: 'us-east-1b',
    ZoneId: 'use1-az2',
    State: 'available',
    RegionName: 'us-east-1',
  });
  const subnets = await ec2.send(
    new DescribeSubnetsCommand({ Filters: [{ Name: 'availability-zone', Values: ['us-east-1a'] }] }),
  );
  t.like(subnets.Subnets?.[0], {
    AvailabilityZone: 'us-east-1a',
    CidrBlock: '10.0.0.0/16',
    AvailableIpAddressCount: 65531,
  });
  const groups = await ec2.send(new DescribeSecurityGroupsCommand({ GroupNames: ['default'] }));
  t.is(groups.SecurityGroups?.[0]?.GroupName, 'default');
  const images = await ec2.send(new DescribeImagesCommand({ Filters: [{ Name: 'architecture', Values: ['arm64'] }] }));
  t.is(images.Images?.length, 3);
  const keys = await ec2.send(new DescribeKeyPairsCommand({}));
  t.is(keys.KeyPairs?.[0]?.KeyName, 'default');
});

test('instance types come in pages and by name, with processors and memory', async (t) => {
  const { ec2 } = await openCloud(t);
  const types: InstanceTypeInfo[] = [];
  for await (const page of paginateDescribeInstanceTypes({ client: ec2, pageSize: 100 }, {}))
    types.push(...(page.InstanceTypes ?? []));
  t.is(types.length, instanceTypes.size);
  const one = await ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: ['g5.12xlarge'] }));
  t.is(one.InstanceTypes?.[0]?.VCpuInfo?.DefaultVCpus, 48);
  t.is(one.InstanceTypes?.[0]?.MemoryInfo?.SizeInMiB, 196_608);
  t.is(one.InstanceTypes?.[0]?.GpuInfo?.Gpus?.[0]?.Count, 4);
  t.is(
    await codeOf(ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: ['x9.huge' as 'm5.large'] }))),
    'InvalidInstanceType',
  );
});

test('named resources exist without their creation unless ids are strict', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const subnet = async () => (await ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-1'] }))).Subnets?.[0];
  t.is((await subnet())?.AvailabilityZone, (await subnet())?.AvailabilityZone);
  t.is((await ec2.send(new DescribeImagesCommand({ ImageIds: ['ami-1'] }))).Images?.[0]?.ImageId, 'ami-1');
  t.is(
    (await ec2.send(new DescribeSecurityGroupsCommand({ GroupIds: ['sg-1'] }))).SecurityGroups?.[0]?.GroupId,
    'sg-1',
  );
  t.is((await ec2.send(new DescribeKeyPairsCommand({ KeyNames: ['mine'] }))).KeyPairs?.[0]?.KeyName, 'mine');
  t.is(await codeOf(ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['net'] }))), 'InvalidSubnetID.NotFound');
  simulator.setKnobs({ strict_ids: true });
  t.is(await codeOf(subnet()), 'InvalidSubnetID.NotFound');
  t.is(await codeOf(ec2.send(new DescribeImagesCommand({ ImageIds: ['ami-1'] }))), 'InvalidAMIID.NotFound');
  t.is(await codeOf(ec2.send(new DescribeSecurityGroupsCommand({ GroupIds: ['sg-1'] }))), 'InvalidGroup.NotFound');
  t.is(await codeOf(ec2.send(new DescribeKeyPairsCommand({ KeyNames: ['mine'] }))), 'InvalidKeyPair.NotFound');
});

test('the latest image of a name is found by owner, pattern and date', async (t) => {
  const { ec2 } = await openCloud(t);
  const name = { Name: 'name', Values: ['al2023-ami-2023.*-x86_64'] };
  const found = (await ec2.send(new DescribeImagesCommand({ Owners: ['amazon'], Filters: [name] }))).Images ?? [];

  const latest = found.toSorted((a, b) => (b.CreationDate ?? '').localeCompare(a.CreationDate ?? ''))[0];
  t.is(found.length, 2);
  t.is(latest?.Name, 'al2023-ami-2023.6.20250107.0-kernel-6.1-x86_64');
  t.is(latest?.CreationDate, '2025-01-07T00:00:00.000Z');
});

test('images belong to their makers, and those that nobody made to the caller', async (t) => {
  const { ec2 } = await openCloud(t);
  const count = async (input: DescribeImagesCommandInput) =>
    (await ec2.send(new DescribeImagesCommand(input))).Images?.length;

  t.is(await count({ Owners: ['amazon'] }), 4);
  t.is(await count({ Owners: ['099720109477'] }), 2);
  t.is(await count({ Owners: ['self'] }), 0);
  t.is(await count({ Owners: ['self'], ImageIds: ['ami-1'] }), 1);
  t.is(await count({ Filters: [{ Name: 'owner-alias', Values: ['amazon'] }] }), 4);
  t.is(await codeOf(ec2.send(new DescribeImagesCommand({ Owners: ['somebody'] }))), 'InvalidParameterValue');
});

test('a type is described with everything that a broker chooses by', async (t) => {
  const { ec2 } = await openCloud(t);
  const answer = await ec2.send(
    new DescribeInstanceTypesCommand({ InstanceTypes: ['g5.12xlarge', 't3.micro', 'hpc7g.16xlarge', 'm4.large'] }),
  );
  const [gpu, small, hpc, old] = answer.InstanceTypes ?? [];

  t.like(gpu, {
    CurrentGeneration: true,
    InstanceStorageSupported: true,
    BurstablePerformanceSupported: false,
    Hypervisor: 'nitro',
  });
  t.deepEqual(gpu?.ProcessorInfo, { SupportedArchitectures: ['x86_64'], Manufacturer: 'AMD' });
  t.deepEqual(gpu?.VCpuInfo, { DefaultVCpus: 48, DefaultCores: 24, DefaultThreadsPerCore: 2 });
  t.deepEqual(gpu?.GpuInfo?.Gpus, [
    { Name: 'A10G', Manufacturer: 'NVIDIA', Count: 4, MemoryInfo: { SizeInMiB: 24_576 } },
  ]);
  t.is(gpu?.GpuInfo?.TotalGpuMemoryInMiB, 98_304);
  t.is(gpu?.EbsInfo?.EbsOptimizedSupport, 'default');
  t.truthy(gpu?.NetworkInfo?.NetworkPerformance);
  t.like(small, { FreeTierEligible: true, BurstablePerformanceSupported: true, InstanceStorageSupported: false });
  t.is(small?.GpuInfo, undefined);
  t.deepEqual(hpc?.SupportedUsageClasses, ['on-demand']);
  t.deepEqual(hpc?.ProcessorInfo?.SupportedArchitectures, ['arm64']);
  t.like(old, { CurrentGeneration: false, Hypervisor: 'xen' });
});

test('types are found by what they have', async (t) => {
  const { ec2 } = await openCloud(t);
  const count = async (Name: string, ...Values: string[]) =>
    (await ec2.send(new DescribeInstanceTypesCommand({ Filters: [{ Name, Values }], MaxResults: 100 }))).InstanceTypes
      ?.length ?? 0;

  t.is(await count('instance-type', 'g5g.*'), 5);
  t.is(await count('burstable-performance-supported', 'true'), 28);
  t.is(await count('bare-metal', 'true'), 0);
  t.is(await count('free-tier-eligible', 'true'), 5);
});

test('families t, m, c, r, g, p and hpc are in every region, for both architectures, the rare ones in some zones only', async (t) => {
  const { client } = await openCloud(t);
  for (const region of regions.keys()) {
    const ec2 = client({ region });
    for (const family of [
      't3',
      't4g',
      'm7i',
      'm7g',
      'c7i',
      'c7g',
      'r7i',
      'r7g',
      'g5',
      'g5g',
      'p4d',
      'p5',
      'hpc6a',
      'hpc7g',
    ]) {
      const offered = async (LocationType: 'region' | 'availability-zone') =>
        (
          await ec2.send(
            new DescribeInstanceTypeOfferingsCommand({
              LocationType,
              Filters: [{ Name: 'instance-type', Values: [`${family}.*xlarge`] }],
            }),
          )
        ).InstanceTypeOfferings ?? [];
      const here = await offered('region');
      const zones = new Set((await offered('availability-zone')).map((one) => one.Location));
      t.true(here.length > 0 && here.every((one) => one.Location === region), `${region} ${family}`);
      t.true(zones.size > 0, `${region} ${family}`);
    }
  }
  for (const [name, region] of regions) {
    for (const pattern of [/^p\d/, /^hpc/])
      t.true(
        region.zones.some((zone) => zone.lacks.some((family) => pattern.test(family))),
        `${name} ${pattern}`,
      );
  }
});

test('offerings tell the zone by its id too, page by page', async (t) => {
  const { ec2 } = await openCloud(t);
  const Filters = [{ Name: 'location', Values: ['use1-az4'] }];
  const first = await ec2.send(
    new DescribeInstanceTypeOfferingsCommand({ LocationType: 'availability-zone-id', Filters, MaxResults: 5 }),
  );

  t.is(first.InstanceTypeOfferings?.length, 5);
  t.like(first.InstanceTypeOfferings?.[0], { Location: 'use1-az4', LocationType: 'availability-zone-id' });
  t.truthy(first.NextToken);
});

test('the Spot prices are those by which machines are launched', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { prices: [{ instance_type: 'm5.large', zone: 'us-east-1b', market: 'spot', price: 0.5 }] },
  });
  const prices = async (input: DescribeSpotPriceHistoryCommandInput) =>
    (await ec2.send(new DescribeSpotPriceHistoryCommand(input))).SpotPriceHistory ?? [];
  const InstanceTypes: ['m5.large'] = ['m5.large'];

  const all = await prices({ InstanceTypes });
  t.is(all.length, 6);
  t.is(Number(all.find((one) => one.AvailabilityZone === 'us-east-1b')?.SpotPrice), 0.5);
  t.is(
    Number(all.find((one) => one.AvailabilityZone === 'us-east-1a')?.SpotPrice),
    instanceTypes.get('m5.large')?.spot_price ?? 0,
  );
  t.true(all.every((one) => (one.Timestamp?.getTime() ?? Number.POSITIVE_INFINITY) <= simulator.clock.now()));
  t.is(
    (await prices({ InstanceTypes, AvailabilityZone: 'us-east-1b', ProductDescriptions: ['Linux/UNIX'] })).length,
    1,
  );
  t.is((await prices({ InstanceTypes, ProductDescriptions: ['Windows'] })).length, 0);
  t.is((await prices({ InstanceTypes: ['hpc6a.48xlarge'] })).length, 0);
});

test('a region has one network, the default one', async (t) => {
  const { ec2 } = await openCloud(t);
  const found = await ec2.send(new DescribeVpcsCommand({ Filters: [{ Name: 'is-default', Values: ['true'] }] }));

  t.deepEqual(
    found.Vpcs?.map((one) => one.VpcId),
    [regions.get('us-east-1')?.vpc_id],
  );
  t.is(await codeOf(ec2.send(new DescribeVpcsCommand({ VpcIds: ['vpc-1'] }))), 'InvalidVpcID.NotFound');
});
