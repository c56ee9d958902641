import {
  CreateTagsCommand,
  DeleteTagsCommand,
  DescribeAddressesCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeTagsCommand,
  DescribeVolumesCommand,
  type Tag,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

const text = (tags: readonly Tag[] | undefined) => tags?.map(({ Key, Value }) => `${Key}=${Value}`);

async function withMachine(t: ExecutionContext, input: Parameters<typeof launch>[0] = {}) {
  const cloud = await openCloud(t);
  const { ec2, simulator } = cloud;
  const id = (await ec2.send(launch(input))).Instances?.[0]?.InstanceId ?? '';
  simulator.advance(2000);
  const machine = async () =>
    (await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }))).Reservations?.[0]?.Instances?.[0];
  return { ...cloud, id, machine };
}

test('the volumes of a machine are resources with size, kind, snapshot and tags', async (t) => {
  const { ec2, id, machine, simulator } = await withMachine(t, {
    BlockDeviceMappings: [
      { DeviceName: '/dev/xvda', Ebs: { VolumeSize: 20 } },
      {
        DeviceName: '/dev/sdf',
        Ebs: { VolumeSize: 125, VolumeType: 'st1', Encrypted: true, DeleteOnTermination: false },
      },
    ],
    TagSpecifications: [{ ResourceType: 'volume', Tags: [{ Key: 'a', Value: 'b' }] }],
  });
  const ids = (await machine())?.BlockDeviceMappings?.map((one) => one.Ebs?.VolumeId ?? '') ?? [];
  const list = async (input = {}) => (await ec2.send(new DescribeVolumesCommand(input))).Volumes ?? [];
  const [root, data] = await list({ VolumeIds: ids });
  const [image] = (await ec2.send(new DescribeImagesCommand({ ImageIds: ['ami-1'] }))).Images ?? [];
  t.like(root, {
    VolumeId: ids[0],
    Size: 20,
    VolumeType: 'gp3',
    Iops: 3000,
    Throughput: 125,
    State: 'in-use',
    Encrypted: false,
    SnapshotId: image?.BlockDeviceMappings?.[0]?.Ebs?.SnapshotId,
  });
  t.regex(root?.SnapshotId ?? '', /^snap-[0-9a-f]{17}$/);
  t.like(data, { VolumeId: ids[1], Size: 125, VolumeType: 'st1', Encrypted: true });
  t.like(data?.Attachments?.[0], { InstanceId: id, Device: '/dev/sdf', DeleteOnTermination: false });
  t.deepEqual(text(data?.Tags), ['a=b']);
  const filtered = await list({
    Filters: [
      { Name: 'volume-type', Values: ['st1'] },
      { Name: 'tag:a', Values: ['b'] },
    ],
  });
  t.deepEqual(
    filtered.map((one) => one.VolumeId),
    [ids[1]],
  );
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  simulator.advance(1000);
  t.deepEqual(
    (await list()).map((one) => [one.VolumeId, one.State]),
    [[ids[1], 'available']],
  );
  t.is(await codeOf(list({ VolumeIds: [ids[0]] })), 'InvalidVolume.NotFound');
  t.is(await codeOf(list({ VolumeIds: ['disk'] })), 'InvalidParameterValue');
});

test('the interface of a machine has a MAC address, an attachment and a public address', async (t) => {
  const { ec2, id, machine, simulator } = await withMachine(t, {
    NetworkInterfaces: [
      { DeviceIndex: 0, AssociatePublicIpAddress: true, SubnetId: 'subnet-1', SecondaryPrivateIpAddressCount: 2 },
    ],
    TagSpecifications: [{ ResourceType: 'network-interface', Tags: [{ Key: 'a', Value: 'b' }] }],
  });
  const one = await machine();
  const [at] = one?.NetworkInterfaces ?? [];
  t.regex(at?.MacAddress ?? '', /^02(:[0-9a-f]{2}){5}$/);
  t.deepEqual(at?.Attachment?.AttachTime, one?.LaunchTime);
  t.like(at?.Association, { PublicIp: one?.PublicIpAddress, PublicDnsName: one?.PublicDnsName, IpOwnerId: 'amazon' });
  t.is(at?.PrivateIpAddresses?.length, 3);
  t.deepEqual(
    at?.PrivateIpAddresses?.map((address) => address.Primary),
    [true, false, false],
  );
  const list = async (input = {}) =>
    (await ec2.send(new DescribeNetworkInterfacesCommand(input))).NetworkInterfaces ?? [];
  const [shown] = await list({ NetworkInterfaceIds: [at?.NetworkInterfaceId ?? ''] });
  t.like(shown, {
    MacAddress: at?.MacAddress,
    AvailabilityZone: one?.Placement?.AvailabilityZone,
    Attachment: { InstanceId: id, Status: 'attached' },
    Association: { PublicIp: one?.PublicIpAddress },
  });
  t.deepEqual(text(shown?.TagSet), ['a=b']);
  const by = (Name: string, value: string | undefined) => list({ Filters: [{ Name, Values: [value ?? ''] }] });
  t.is((await by('addresses.private-ip-address', at?.PrivateIpAddresses?.[2]?.PrivateIpAddress)).length, 1);
  t.is((await by('attachment.instance-id', id)).length, 1);
  t.is((await by('tag:a', 'b')).length, 1);
  t.is((await by('tag:a', 'c')).length, 0);
  t.is(await codeOf(list({ NetworkInterfaceIds: ['eni-0123456789abcdef0'] })), 'InvalidNetworkInterfaceID.NotFound');
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  simulator.advance(1000);
  t.deepEqual(await list(), []);
});

test('secondary addresses count against the subnet, and are free again with the machine', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { addresses: [{ subnet_id: 'subnet-1', count: 4 }] } });
  const more = () =>
    ec2.send(
      launch({ NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: 'subnet-1', SecondaryPrivateIpAddressCount: 2 }] }),
    );
  const id = (await more()).Instances?.[0]?.InstanceId ?? '';
  t.is(await codeOf(more()), 'InsufficientFreeAddressesInSubnet');
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  simulator.advance(1000);
  await t.notThrowsAsync(more());
});

test('volumes, interfaces and Spot requests are tagged and untagged by their ids', async (t) => {
  const { ec2, id, machine } = await withMachine(t, { InstanceMarketOptions: { MarketType: 'spot' } });
  const one = await machine();
  const parts = [
    one?.BlockDeviceMappings?.[0]?.Ebs?.VolumeId ?? '',
    one?.NetworkInterfaces?.[0]?.NetworkInterfaceId ?? '',
    one?.SpotInstanceRequestId ?? '',
  ];
  const Tags = [
    { Key: 'a', Value: '1' },
    { Key: 'b', Value: '2' },
    { Key: 'c', Value: '3' },
  ];
  await ec2.send(new CreateTagsCommand({ Resources: [id, ...parts], Tags }));
  const all = async () =>
    (await ec2.send(new DescribeTagsCommand({}))).Tags?.map((tag) => `${tag.ResourceType} ${tag.Key}=${tag.Value}`);
  const kinds = ['instance', 'volume', 'network-interface', 'spot-instances-request'];
  t.deepEqual(
    (await all())?.toSorted(),
    kinds.flatMap((kind) => ['a=1', 'b=2', 'c=3'].map((tag) => `${kind} ${tag}`)).toSorted(),
  );
  // A key with another value keeps the tag; a key alone takes it.
  const untag = (Resources: string[], tags?: Tag[]) => ec2.send(new DeleteTagsCommand({ Resources, Tags: tags }));
  await untag([id, ...parts], [{ Key: 'a', Value: 'other' }, { Key: 'b', Value: '2' }, { Key: 'c' }, { Key: 'none' }]);
  t.deepEqual((await all())?.toSorted(), kinds.map((kind) => `${kind} a=1`).toSorted());
  await untag([id, ...parts]);
  t.deepEqual(await all(), []);
  const refused = (resource: string) => codeOf(ec2.send(new CreateTagsCommand({ Resources: [resource], Tags })));
  t.is(await refused('vol-0123456789abcdef0'), 'InvalidVolume.NotFound');
  t.is(await refused('eni-0123456789abcdef0'), 'InvalidNetworkInterfaceID.NotFound');
  t.is(await refused('sir-01234567'), 'InvalidSpotInstanceRequestID.NotFound');
  t.is(await codeOf(untag([id, 'vol-0123456789abcdef0'])), 'InvalidVolume.NotFound');
  t.is(await codeOf(untag([id], [{ Key: 'aws:ec2:fleet-id' }])), 'InvalidParameterValue');
});

test('an account has no Elastic IP addresses', async (t) => {
  const { ec2 } = await openCloud(t);
  const list = (input = {}) => ec2.send(new DescribeAddressesCommand(input));
  t.deepEqual((await list({ Filters: [{ Name: 'domain', Values: ['vpc'] }] })).Addresses, []);
  t.is(await codeOf(list({ PublicIps: ['54.0.0.1'] })), 'InvalidAddress.NotFound');
  t.is(await codeOf(list({ AllocationIds: ['eipalloc-1'] })), 'InvalidAllocationID.NotFound');
});

test('a launch without a type is one of m1.small', async (t) => {
  const { machine } = await withMachine(t, { InstanceType: undefined });
  t.like(await machine(), { InstanceType: 'm1.small', CpuOptions: { CoreCount: 1 } });
});
