import {
  DescribeAvailabilityZonesCommand,
  DescribeImagesCommand,
  DescribeInstanceTypesCommand,
  DescribeKeyPairsCommand,
  DescribeRegionsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
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
  t.like(zones.AvailabilityZones?.[0], { ZoneName: 'us-east-1b', ZoneId: 'use1-az2', State: 'available', RegionName: 'us-east-1' });
  const subnets = await ec2.send(new DescribeSubnetsCommand({ Filters: [{ Name: 'availability-zone', Values: ['us-east-1a'] }] }));
  t.like(subnets.Subnets?.[0], { AvailabilityZone: 'us-east-1a', CidrBlock: '10.0.0.0/16', AvailableIpAddressCount: 65531 });
  const groups = await ec2.send(new DescribeSecurityGroupsCommand({ GroupNames: ['default'] }));
  t.is(groups.SecurityGroups?.[0]?.GroupName, 'default');
  const images = await ec2.send(new DescribeImagesCommand({ Filters: [{ Name: 'architecture', Values: ['arm64'] }] }));
  t.is(images.Images?.length, 2);
  const keys = await ec2.send(new DescribeKeyPairsCommand({}));
  t.is(keys.KeyPairs?.[0]?.KeyName, 'default');
});

test('instance types come in pages and by name, with processors and memory', async (t) => {
  const { ec2 } = await openCloud(t);
  const types: InstanceTypeInfo[] = [];
  for await (const page of paginateDescribeInstanceTypes({ client: ec2, pageSize: 100 }, {})) types.push(...(page.InstanceTypes ?? []));
  t.is(types.length, instanceTypes.size);
  const one = await ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: ['g5.12xlarge'] }));
  t.is(one.InstanceTypes?.[0]?.VCpuInfo?.DefaultVCpus, 48);
  t.is(one.InstanceTypes?.[0]?.MemoryInfo?.SizeInMiB, 196_608);
  t.is(one.InstanceTypes?.[0]?.GpuInfo?.Gpus?.[0]?.Count, 4);
  t.is(await codeOf(ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: ['x9.huge' as 'm5.large'] }))), 'InvalidInstanceType');
});

test('what nobody created exists when it is named, unless ids are strict', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const subnet = async () => (await ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-1'] }))).Subnets?.[0];
  t.is((await subnet())?.AvailabilityZone, (await subnet())?.AvailabilityZone);
  t.is((await ec2.send(new DescribeImagesCommand({ ImageIds: ['ami-1'] }))).Images?.[0]?.ImageId, 'ami-1');
  t.is((await ec2.send(new DescribeSecurityGroupsCommand({ GroupIds: ['sg-1'] }))).SecurityGroups?.[0]?.GroupId, 'sg-1');
  t.is((await ec2.send(new DescribeKeyPairsCommand({ KeyNames: ['mine'] }))).KeyPairs?.[0]?.KeyName, 'mine');
  t.is(await codeOf(ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['net'] }))), 'InvalidSubnetID.NotFound');
  simulator.setKnobs({ strict_ids: true });
  t.is(await codeOf(subnet()), 'InvalidSubnetID.NotFound');
  t.is(await codeOf(ec2.send(new DescribeImagesCommand({ ImageIds: ['ami-1'] }))), 'InvalidAMIID.NotFound');
  t.is(await codeOf(ec2.send(new DescribeSecurityGroupsCommand({ GroupIds: ['sg-1'] }))), 'InvalidGroup.NotFound');
  t.is(await codeOf(ec2.send(new DescribeKeyPairsCommand({ KeyNames: ['mine'] }))), 'InvalidKeyPair.NotFound');
});
