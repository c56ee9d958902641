import { DescribeInstancesCommand, type EC2Client, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud, refusal } from './support.ts';

test('RunInstances answers with pending machines that have a name and an address', async (t) => {
  const { ec2 } = await openCloud(t);
  const result = await ec2.send(
    launch({
      MaxCount: 2,
      SubnetId: 'subnet-1',
      KeyName: 'k',
      SecurityGroupIds: ['sg-1'],
      IamInstanceProfile: { Name: 'worker' },
    }),
  );
  t.is(result.Instances?.length, 2);
  const [first, second] = result.Instances ?? [];
  t.regex(first?.InstanceId ?? '', /^i-0[0-9a-f]{16}$/);
  t.is(first?.State?.Name, 'pending');
  t.is(first?.SubnetId, 'subnet-1');
  t.regex(first?.PrivateDnsName ?? '', /^ip-10-[\d-]+\.ec2\.internal$/);
  t.not(first?.PrivateIpAddress, second?.PrivateIpAddress);
  t.deepEqual(
    first?.SecurityGroups?.map((group) => group.GroupId),
    ['sg-1'],
  );
  t.regex(first?.IamInstanceProfile?.Arn ?? '', /:instance-profile\/worker$/);
  t.is(first?.InstanceLifecycle, undefined);
  t.is(second?.AmiLaunchIndex, 1);
});

test('a machine goes from pending over running and shutting-down to terminated, and is forgotten an hour later', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { boot_ms: 5000, shutdown_ms: 3000 } });
  const id = (await ec2.send(launch())).Instances?.[0]?.InstanceId ?? '';
  const state = async () => (await describe(ec2, id))[0]?.State?.Name;
  t.is(await state(), 'pending');
  simulator.advance(5000);
  t.is(await state(), 'running');
  const ended = await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  t.is(ended.TerminatingInstances?.[0]?.PreviousState?.Name, 'running');
  t.is(ended.TerminatingInstances?.[0]?.CurrentState?.Name, 'shutting-down');
  simulator.advance(3000);
  const [gone] = await describe(ec2, id);
  t.is(gone?.State?.Name, 'terminated');
  t.is(gone?.StateReason?.Code, 'Client.UserInitiatedShutdown');
  t.is(gone?.PrivateIpAddress, undefined);
  simulator.advance(3_600_000);
  t.is(await codeOf(describe(ec2, id)), 'InvalidInstanceID.NotFound');
});

test('a launch between MinCount and MaxCount is a partial success without an error', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { capacity: [{ instance_type: 't3.micro', count: 3 }] } });
  const result = await ec2.send(launch({ MinCount: 2, MaxCount: 10, SubnetId: 'subnet-1' }));
  t.is(result.Instances?.length, 3);
});

test('a launch that cannot reach MinCount starts nothing and is a 500', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ instance_type: 't3.micro', count: 3 }] } });
  const { code, status } = await refusal(ec2.send(launch({ MinCount: 4, MaxCount: 10, SubnetId: 'subnet-1' })));
  t.is(code, 'InsufficientInstanceCapacity');
  t.is(status, 500);
  t.is(simulator.ledger().untagged.length, 0);
});

test('a machine gives its place in the pool back when it is terminated', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ count: 1 }] } });
  const id = (await ec2.send(launch({ SubnetId: 'subnet-1' }))).Instances?.[0]?.InstanceId ?? '';
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  t.is(await codeOf(ec2.send(launch({ SubnetId: 'subnet-1' }))), 'InsufficientInstanceCapacity');
  simulator.advance(1000);
  t.is((await ec2.send(launch({ SubnetId: 'subnet-1' }))).Instances?.length, 1);
});

test('a launch without subnet and zone goes where there is room', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { capacity: [{ count: 0 }, { zone: 'us-east-1c', count: 5 }] } });
  const result = await ec2.send(launch({ MaxCount: 5 }));
  t.is(result.Instances?.length, 5);
  t.is(result.Instances?.[0]?.Placement?.AvailabilityZone, 'us-east-1c');
});

test('a zone that lacks a family answers Unsupported', async (t) => {
  const { ec2 } = await openCloud(t);
  t.is(
    await codeOf(ec2.send(launch({ InstanceType: 'p5.48xlarge', Placement: { AvailabilityZone: 'us-east-1a' } }))),
    'Unsupported',
  );
});

test('Spot machines carry their lifecycle and a request id, and a price that is too low is refused', async (t) => {
  const { ec2 } = await openCloud(t);
  const spot = await ec2.send(launch({ InstanceMarketOptions: { MarketType: 'spot' } }));
  t.is(spot.Instances?.[0]?.InstanceLifecycle, 'spot');
  t.regex(spot.Instances?.[0]?.SpotInstanceRequestId ?? '', /^sir-/);
  const cheap = launch({ InstanceMarketOptions: { MarketType: 'spot', SpotOptions: { MaxPrice: '0.0001' } } });
  t.is(await codeOf(ec2.send(cheap)), 'SpotMaxPriceTooLow');
});

const invalid: readonly [what: string, input: Parameters<typeof launch>[0], code: string][] = [
  ['an image id of another form', { ImageId: 'image-1' }, 'InvalidAMIID.Malformed'],
  ['no image', { ImageId: undefined }, 'MissingParameter'],
  ['an image id that is not hexadecimal', { ImageId: 'ami-zzz' }, 'InvalidAMIID.Malformed'],
  ['an unknown instance type', { InstanceType: 'm9.huge' as 'm5.large' }, 'InvalidParameterValue'],
  ['MinCount 0', { MinCount: 0 }, 'InvalidParameterValue'],
  ['MinCount above MaxCount', { MinCount: 3, MaxCount: 2 }, 'InvalidParameterCombination'],
  ['a subnet id of another form', { SubnetId: 'net-1' }, 'InvalidSubnetID.NotFound'],
  ['a group id of another form', { SecurityGroupIds: ['group'] }, 'InvalidGroupId.Malformed'],
  ['an unknown zone', { Placement: { AvailabilityZone: 'us-east-1z' } }, 'InvalidParameterValue'],
  [
    'an interface beside a subnet',
    { SubnetId: 'subnet-1', NetworkInterfaces: [{ DeviceIndex: 0 }] },
    'InvalidParameterCombination',
  ],
  [
    'an interface beside groups',
    { SecurityGroupIds: ['sg-1'], NetworkInterfaces: [{ DeviceIndex: 0 }] },
    'InvalidParameterCombination',
  ],
  ['user data of more than 16 KB', { UserData: Buffer.alloc(16_385).toString('base64') }, 'InvalidParameterValue'],
  ['user data that is not base64', { UserData: '#!/bin/sh' }, 'InvalidUserData.Malformed'],
  [
    'an aws: tag',
    { TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'aws:x', Value: '1' }] }] },
    'InvalidParameterValue',
  ],
  [
    '51 tags',
    {
      TagSpecifications: [
        { ResourceType: 'instance', Tags: Array.from({ length: 51 }, (_, n) => ({ Key: `k${n}`, Value: '' })) },
      ],
    },
    'TagLimitExceeded',
  ],
  [
    'tags of a type that no launch makes',
    { TagSpecifications: [{ ResourceType: 'vpc', Tags: [{ Key: 'a', Value: 'b' }] }] },
    'InvalidParameterValue',
  ],
  ['a client token of 65 characters', { ClientToken: 'x'.repeat(65) }, 'InvalidParameterValue'],
  [
    'an unknown launch template',
    { LaunchTemplate: { LaunchTemplateId: 'lt-0123456789abcdef0' } },
    'InvalidLaunchTemplateId.NotFound',
  ],
  ['a dry run', { DryRun: true }, 'DryRunOperation'],
];
for (const [what, input, code] of invalid) {
  test(`RunInstances with ${what} is refused with ${code}`, async (t) => {
    const { ec2, simulator } = await openCloud(t);
    t.is(await codeOf(ec2.send(launch(input))), code);
    t.deepEqual(simulator.audit()[0]?.ids, []);
    t.false(simulator.audit()[0]?.executed);
  });
}

test('an image of another architecture than the type is refused', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await ec2.send(new DescribeInstancesCommand({}));
  const arm = [...simulator.state.regions()][0]?.network.catalogue.images.find(
    (image) => image.arch === 'arm64',
  )?.image_id;
  t.is(await codeOf(ec2.send(launch({ ImageId: arm }))), 'InvalidParameterValue');
  t.is((await ec2.send(launch({ ImageId: arm, InstanceType: 't4g.micro' }))).Instances?.length, 1);
});

test('with strict_ids what nobody created does not exist', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await ec2.send(new DescribeInstancesCommand({}));
  const { images, subnets } = [...simulator.state.regions()][0]?.network.catalogue ?? { images: [], subnets: [] };
  simulator.setKnobs({ strict_ids: true });
  const ImageId = images[0]?.image_id;
  t.is(await codeOf(ec2.send(launch())), 'InvalidAMIID.NotFound');
  t.is(await codeOf(ec2.send(launch({ ImageId, SubnetId: 'subnet-1' }))), 'InvalidSubnetID.NotFound');
  t.is(await codeOf(ec2.send(launch({ ImageId, SecurityGroupIds: ['sg-1'] }))), 'InvalidGroup.NotFound');
  t.is(await codeOf(ec2.send(launch({ ImageId, KeyName: 'mine' }))), 'InvalidKeyPair.NotFound');
  t.is(await codeOf(ec2.send(launch({ ImageId, IamInstanceProfile: { Name: 'p' } }))), 'InvalidParameterValue');
  t.is(
    (await ec2.send(launch({ ImageId, SubnetId: subnets[0]?.subnet_id, KeyName: 'default' }))).Instances?.length,
    1,
  );
});

test('one unknown id among many ends no machine', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const ids = (await ec2.send(launch({ MaxCount: 2 }))).Instances?.map((one) => one.InstanceId ?? '') ?? [];
  t.is(
    await codeOf(ec2.send(new TerminateInstancesCommand({ InstanceIds: [...ids, 'i-00000000000000000'] }))),
    'InvalidInstanceID.NotFound',
  );
  t.is(
    await codeOf(ec2.send(new TerminateInstancesCommand({ InstanceIds: [...ids, 'zzz'] }))),
    'InvalidInstanceID.Malformed',
  );
  t.is(simulator.ledger().untagged.length, 2);
});

test('ending a machine twice is a success', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const ids = (await ec2.send(launch())).Instances?.map((one) => one.InstanceId ?? '') ?? [];
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }));
  simulator.advance(60_000);
  const again = await ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }));
  t.is(again.TerminatingInstances?.[0]?.PreviousState?.Name, 'terminated');
  t.is(again.TerminatingInstances?.[0]?.CurrentState?.Name, 'terminated');
});

test('a protected machine keeps its zone alive, other zones end', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const start = async (AvailabilityZone: string, DisableApiTermination: boolean) =>
    (await ec2.send(launch({ Placement: { AvailabilityZone }, DisableApiTermination }))).Instances?.[0]?.InstanceId ??
    '';
  const guarded = await start('us-east-1a', true);
  const neighbour = await start('us-east-1a', false);
  const distant = await start('us-east-1b', false);
  t.is(
    await codeOf(ec2.send(new TerminateInstancesCommand({ InstanceIds: [guarded, neighbour, distant] }))),
    'OperationNotPermitted',
  );
  t.deepEqual(new Set(simulator.ledger().untagged), new Set([guarded, neighbour]));
});

test('accounts and regions do not see each other', async (t) => {
  const { ec2, client } = await openCloud(t);
  const id = (await ec2.send(launch())).Instances?.[0]?.InstanceId ?? '';
  t.is((await describe(client(), id)).length, 1);
  t.is(await codeOf(describe(client({ key: 'AKIATEST0002' }), id)), 'InvalidInstanceID.NotFound');
  t.is(await codeOf(describe(client({ region: 'eu-west-1' }), id)), 'InvalidInstanceID.NotFound');
  const elsewhere = await client({ region: 'ap-south-1' }).send(launch());
  t.regex(elsewhere.Instances?.[0]?.PrivateDnsName ?? '', /\.ap-south-1\.compute\.internal$/);
});

test('a late failure lets a machine that was accepted end with a reason', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { late_failures: [{ code: 'Client.VolumeLimitExceeded' }] },
  });
  const ids = (await ec2.send(launch({ MaxCount: 2 }))).Instances?.map((one) => one.InstanceId ?? '') ?? [];
  simulator.advance(2000);
  const [failed] = await describe(ec2, ids[0] ?? '');
  t.is(failed?.State?.Name, 'terminated');
  t.is(failed?.StateReason?.Code, 'Client.VolumeLimitExceeded');
  t.is((await describe(ec2, ids[1] ?? ''))[0]?.State?.Name, 'running');
});

async function describe(ec2: EC2Client, id: string) {
  const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
  return Reservations?.flatMap((reservation) => reservation.Instances ?? []) ?? [];
}
