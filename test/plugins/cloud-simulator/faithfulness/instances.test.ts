// What other emulators of EC2 are known to get wrong about machines, right here. Every answer is compared with the
// SDK's own model on its way in.
import {
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  EC2Client,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud, refusal } from '../support.ts';

const hour = 3_600_000;
const template = (name: string, data: object) =>
  new CreateLaunchTemplateCommand({ LaunchTemplateName: name, LaunchTemplateData: data });

test('MaxCount machines start when there is room for them, not MinCount', async (t) => {
  const { ec2 } = await openCloud(t);
  const { Instances } = await ec2.send(launch({ MinCount: 1, MaxCount: 5 }));
  t.is(Instances?.length, 5);
});

test('between MinCount and MaxCount as many start as find room, and nothing says that some are missing', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { capacity: [{ count: 3 }] } });
  const answer = await ec2.send(launch({ MinCount: 2, MaxCount: 5, SubnetId: 'subnet-1' }));
  t.is(answer.Instances?.length, 3);
});

test('below MinCount nothing starts', async (t) => {
  const { simulator, ec2 } = await openCloud(t, { knobs: { capacity: [{ count: 3 }] } });
  t.like(await refusal(ec2.send(launch({ MinCount: 4, MaxCount: 5, SubnetId: 'subnet-1' }))), {
    code: 'InsufficientInstanceCapacity',
    status: 500,
  });
  t.deepEqual(simulator.ledger().untagged, []);
});

test('a MinCount above MaxCount is refused', async (t) => {
  const { ec2 } = await openCloud(t);
  t.is(await codeOf(ec2.send(launch({ MinCount: 3, MaxCount: 2 }))), 'InvalidParameterCombination');
});

test('a token starts its machines once; other parameters under it are a mismatch; it can be filtered by', async (t) => {
  const { simulator, ec2 } = await openCloud(t);
  const first = await ec2.send(launch({ ClientToken: 'token-1', MaxCount: 2 }));
  const again = await ec2.send(launch({ ClientToken: 'token-1', MaxCount: 2 }));
  const ids = (answer: typeof first) => answer.Instances?.map((one) => one.InstanceId);
  t.deepEqual(ids(again), ids(first));
  t.is(first.Instances?.[0]?.ClientToken, 'token-1');
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'token-1', MaxCount: 3 }))), 'IdempotentParameterMismatch');
  const found = await ec2.send(
    new DescribeInstancesCommand({ Filters: [{ Name: 'client-token', Values: ['token-1'] }] }),
  );
  t.is(found.Reservations?.[0]?.Instances?.length, 2);
  t.is(simulator.ledger().launches['token-1'], 2);
});

test('a token whose machines are terminated is told as such, and starts nothing', async (t) => {
  const { simulator, ec2 } = await openCloud(t);
  const { Instances = [] } = await ec2.send(launch({ ClientToken: 'token-1' }));
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: Instances.map((one) => one.InstanceId ?? '') }));
  simulator.advance(60_000);
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'token-1' }))), 'IdempotentInstanceTerminated');
  simulator.setKnobs({ tokens: { terminated_replay: 'old' } });
  t.is((await ec2.send(launch({ ClientToken: 'token-1' }))).Instances?.[0]?.State?.Name, 'terminated');
});

test('the same token in another zone starts again', async (t) => {
  const { simulator, ec2 } = await openCloud(t);
  for (const AvailabilityZone of ['us-east-1a', 'us-east-1b'])
    await ec2.send(launch({ ClientToken: 'zonal', Placement: { AvailabilityZone } }));
  t.is(simulator.ledger().untagged.length, 2);
});

test('a token that met a want of capacity stays with its parameters', async (t) => {
  const { simulator, ec2 } = await openCloud(t, { knobs: { capacity: [{ instance_type: 'm5.large', count: 0 }] } });
  t.is(
    await codeOf(ec2.send(launch({ ClientToken: 'pinned', InstanceType: 'm5.large' }))),
    'InsufficientInstanceCapacity',
  );
  t.is(
    await codeOf(ec2.send(launch({ ClientToken: 'pinned', InstanceType: 'm5a.large' }))),
    'IdempotentParameterMismatch',
  );
  t.deepEqual(simulator.ledger().untagged, []);
});

test('image, type, key, user data, subnet and groups are checked', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { strict_ids: true } });
  const { simulator, ec2: mild } = await openCloud(t);
  const subnet = simulator.state.region('x', 'us-east-1').network.catalogue.subnets[0]?.subnet_id;
  const image = simulator.state
    .region('x', 'us-east-1')
    .network.catalogue.images.find((one) => one.arch === 'x86_64')?.image_id;
  const codes = {
    image: await codeOf(ec2.send(launch())),
    malformed: await codeOf(mild.send(launch({ ImageId: 'zzz' }))),
    type: await codeOf(mild.send(launch({ InstanceType: 't9.huge' as 't3.micro' }))),
    key: await codeOf(ec2.send(launch({ ImageId: image, KeyName: 'nobodys' }))),
    data: await codeOf(mild.send(launch({ UserData: Buffer.alloc(16_385).toString('base64') }))),
    notBase64: await codeOf(mild.send(launch({ UserData: '#!/bin/sh' }))),
    subnet: await codeOf(ec2.send(launch({ ImageId: image, SubnetId: 'subnet-nobodys' }))),
    group: await codeOf(ec2.send(launch({ ImageId: image, SecurityGroupIds: ['sg-nobodys'] }))),
    twice: await codeOf(
      mild.send(launch({ SubnetId: subnet, NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: subnet }] })),
    ),
  };
  t.deepEqual(codes, {
    image: 'InvalidAMIID.NotFound',
    malformed: 'InvalidAMIID.Malformed',
    type: codes.type,
    key: 'InvalidKeyPair.NotFound',
    data: codes.data,
    notBase64: 'InvalidUserData.Malformed',
    subnet: 'InvalidSubnetID.NotFound',
    group: 'InvalidGroup.NotFound',
    twice: 'InvalidParameterCombination',
  });
  t.true(['InvalidInstanceType', 'InvalidParameterValue'].includes(codes.type));
  t.true(['InvalidUserData.Malformed', 'InvalidParameterValue'].includes(codes.data));
});

test('metadata options come from the call, else from the template', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(
    template('imds', { ImageId: 'ami-1', InstanceType: 't3.small', MetadataOptions: { HttpTokens: 'required' } }),
  );
  const run = (input: object) =>
    ec2.send(
      new RunInstancesCommand({
        MinCount: 1,
        MaxCount: 1,
        LaunchTemplate: { LaunchTemplateName: 'imds', Version: '1' },
        ...input,
      }),
    );
  t.is((await run({})).Instances?.[0]?.MetadataOptions?.HttpTokens, 'required');
  t.is(
    (await run({ MetadataOptions: { HttpTokens: 'optional' } })).Instances?.[0]?.MetadataOptions?.HttpTokens,
    'optional',
  );
});

test("a template's type and image are used", async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(template('typed', { ImageId: 'ami-7', InstanceType: 'c5.xlarge' }));
  const { Instances } = await ec2.send(
    new RunInstancesCommand({
      MinCount: 1,
      MaxCount: 1,
      LaunchTemplate: { LaunchTemplateName: 'typed', Version: '$Latest' },
    }),
  );
  t.like(Instances?.[0], { InstanceType: 'c5.xlarge', ImageId: 'ami-7' });
});

test('a machine boots, ends in steps, and is forgotten an hour later', async (t) => {
  const { simulator, ec2 } = await openCloud(t, { knobs: { boot_ms: 1000, shutdown_ms: 1000 } });
  const { Instances = [] } = await ec2.send(launch());
  const InstanceIds = Instances.map((one) => one.InstanceId ?? '');
  const state = async () =>
    (await ec2.send(new DescribeInstancesCommand({ InstanceIds }))).Reservations?.[0]?.Instances?.[0]?.State?.Name;
  const end = async () => {
    const [change] = (await ec2.send(new TerminateInstancesCommand({ InstanceIds }))).TerminatingInstances ?? [];
    return [change?.PreviousState?.Name, change?.CurrentState?.Name];
  };
  t.is(Instances[0]?.State?.Name, 'pending');
  t.is(await state(), 'pending');
  simulator.advance(1000);
  t.is(await state(), 'running');
  t.deepEqual(await end(), ['running', 'shutting-down']);
  t.deepEqual(await end(), ['shutting-down', 'shutting-down']);
  simulator.advance(1000);
  t.deepEqual(await end(), ['terminated', 'terminated']);
  simulator.advance(hour);
  t.is(await codeOf(state()), 'InvalidInstanceID.NotFound');
});

test('ids are malformed or unknown, filters have at most 200 values and known names, pages count machines', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(launch({ MaxCount: 12, MinCount: 12 }));
  const describe = (input: object) => ec2.send(new DescribeInstancesCommand(input));
  t.is(await codeOf(describe({ InstanceIds: ['zzz'] })), 'InvalidInstanceID.Malformed');
  t.is(await codeOf(describe({ InstanceIds: ['i-0123456789abcdef0'] })), 'InvalidInstanceID.NotFound');
  const values = Array.from({ length: 201 }, (_, index) => `i-${index}`);
  t.is(await codeOf(describe({ Filters: [{ Name: 'instance-id', Values: values }] })), 'FilterLimitExceeded');
  t.is(await codeOf(describe({ Filters: [{ Name: 'colour', Values: ['red'] }] })), 'InvalidParameterValue');
  t.is(await codeOf(describe({ InstanceIds: ['i-0123456789abcdef0'], MaxResults: 5 })), 'InvalidParameterCombination');
  const sizes: number[] = [];
  let NextToken: string | undefined;
  do {
    const page = await describe({ MaxResults: 5, NextToken });
    sizes.push((page.Reservations ?? []).flatMap((one) => one.Instances ?? []).length);
    ({ NextToken } = page);
  } while (NextToken !== undefined);
  t.deepEqual(sizes, [5, 5, 2]);
});

test('one unknown id keeps every machine of the call alive', async (t) => {
  const { simulator, ec2 } = await openCloud(t);
  const { Instances = [] } = await ec2.send(launch());
  const InstanceIds = [Instances[0]?.InstanceId ?? '', 'i-0123456789abcdef0'];
  t.is(await codeOf(ec2.send(new TerminateInstancesCommand({ InstanceIds }))), 'InvalidInstanceID.NotFound');
  t.is(simulator.ledger().untagged.length, 1);
});

test('a want of capacity is a 500, so that the default retry of the SDK sends the launch three times', async (t) => {
  const { simulator } = await openCloud(t, { knobs: { capacity: [{ count: 0 }] } });
  const patient = new EC2Client({
    endpoint: simulator.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' },
  });
  t.teardown(() => patient.destroy());
  t.is(await codeOf(patient.send(launch())), 'InsufficientInstanceCapacity');
  t.is(simulator.audit().filter((entry) => entry.action === 'RunInstances').length, 3);
});
