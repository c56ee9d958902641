import { DescribeInstancesCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

test('a machine in a subnet without IPv4 has an IPv6 address and a name by its id, and never a private address', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { ipv6_only: ['subnet-1'] } });
  await ec2.send(launch({ SubnetId: 'subnet-1', MaxCount: 2 }));
  await ec2.send(launch({ SubnetId: 'subnet-2' }));
  simulator.advance(5_000);
  const look = async (Name: string, ...Values: string[]) => {
    const { Reservations } = await ec2.send(new DescribeInstancesCommand({ Filters: [{ Name, Values }] }));
    return Reservations?.flatMap(({ Instances }) => Instances ?? []) ?? [];
  };
  const machines = await look('subnet-id', 'subnet-1');
  t.is(new Set(machines.map((each) => each.Ipv6Address)).size, 2);
  for (const machine of machines) {
    t.is(machine.PrivateIpAddress, undefined);
    t.is(machine.PrivateDnsName, `${machine.InstanceId}.ec2.internal`);
    t.regex(machine.Ipv6Address ?? '', /^2001:db8:[0-9a-f:]+$/);
    const [network] = machine.NetworkInterfaces ?? [];
    t.is(network?.PrivateIpAddress, undefined);
    t.is(network?.Ipv6Addresses?.[0]?.Ipv6Address, machine.Ipv6Address);
    t.deepEqual(
      (await look('ipv6-address', machine.Ipv6Address ?? '')).map(({ InstanceId }) => InstanceId),
      [machine.InstanceId],
    );
    t.is((await look('private-dns-name', machine.PrivateDnsName ?? '')).length, 1);
  }
  const [other] = await look('subnet-id', 'subnet-2');
  t.truthy(other?.PrivateIpAddress);
  t.is(other?.Ipv6Address, undefined);
});

test('a subnet without IPv4 has no free IPv4 addresses, lacks none, and gives none', async (t) => {
  const knobs = { ipv6_only: ['subnet-1'], addresses: [{ subnet_id: 'subnet-1', count: 1 }] };
  const { ec2 } = await openCloud(t, { knobs });
  const { Subnets } = await ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-1', 'subnet-2'] }));
  t.deepEqual(
    Subnets?.map(({ Ipv6Native, AvailableIpAddressCount: count, CidrBlock, Ipv6CidrBlockAssociationSet: blocks }) => [
      Ipv6Native,
      (count ?? 0) > 0,
      CidrBlock === undefined,
      blocks?.length,
    ]),
    [
      [true, false, true, 1],
      [false, true, false, undefined],
    ],
  );
  t.is((await ec2.send(launch({ SubnetId: 'subnet-1', MaxCount: 3 }))).Instances?.length, 3);
  const PrivateIpAddress = '10.64.0.9';
  t.is(await codeOf(ec2.send(launch({ SubnetId: 'subnet-1', PrivateIpAddress }))), 'InvalidParameterCombination');
});
