import {
  DescribeInstanceAttributeCommand,
  DescribeInstancesCommand,
  type InstanceAttributeName,
  ModifyInstanceAttributeCommand,
  type ModifyInstanceAttributeCommandInput,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

async function twoMachines(t: ExecutionContext) {
  const cloud = await openCloud(t);
  const { ec2, simulator } = cloud;
  const { Instances = [] } = await ec2.send(launch({ MaxCount: 2, UserData: 'aGVsbG8=' }));
  const [id = '', other = ''] = Instances.map((one) => one.InstanceId ?? '');
  simulator.advance(2000);
  return {
    ...cloud,
    id,
    other,
    read: (Attribute: InstanceAttributeName, InstanceId = id) =>
      ec2.send(new DescribeInstanceAttributeCommand({ InstanceId, Attribute })),
    modify: (input: Omit<ModifyInstanceAttributeCommandInput, 'InstanceId'>) =>
      ec2.send(new ModifyInstanceAttributeCommand({ InstanceId: id, ...input })),
  };
}

test('every attribute of a machine can be read', async (t) => {
  const { read, id } = await twoMachines(t);
  t.like(await read('userData'), { InstanceId: id, UserData: { Value: 'aGVsbG8=' } });
  t.like(await read('instanceType'), { InstanceType: { Value: 't3.micro' } });
  t.like(await read('disableApiTermination'), { DisableApiTermination: { Value: false } });
  t.like(await read('instanceInitiatedShutdownBehavior'), { InstanceInitiatedShutdownBehavior: { Value: 'stop' } });
  t.is((await read('groupSet')).Groups?.length, 1);
  t.is((await read('blockDeviceMapping')).BlockDeviceMappings?.[0]?.DeviceName, '/dev/xvda');
  t.like(await read('rootDeviceName'), { RootDeviceName: { Value: '/dev/xvda' } });
  t.like(await read('sourceDestCheck'), { SourceDestCheck: { Value: true } });
  t.like(await read('enclaveOptions'), { EnclaveOptions: { Enabled: false } });
  const rest = [
    'disableApiStop',
    'ebsOptimized',
    'enaSupport',
    'kernel',
    'productCodes',
    'ramdisk',
    'sriovNetSupport',
  ];
  for (const name of rest) await t.notThrowsAsync(read(name as InstanceAttributeName), name);
  t.is(await codeOf(read('color' as InstanceAttributeName)), 'InvalidParameterValue');
  t.is(await codeOf(read('userData', 'i-0123456789abcdef0')), 'InvalidInstanceID.NotFound');
});

test('a change concerns one machine of a launch, which stays one reservation', async (t) => {
  const { ec2, id, other, modify, read } = await twoMachines(t);
  await modify({ DisableApiTermination: { Value: true } });
  t.true((await read('disableApiTermination')).DisableApiTermination?.Value);
  t.false((await read('disableApiTermination', other)).DisableApiTermination?.Value);
  const { Reservations } = await ec2.send(new DescribeInstancesCommand({}));
  t.is(Reservations?.length, 1);
  t.is(Reservations?.[0]?.Instances?.length, 2);
  const end = (InstanceIds: string[]) => ec2.send(new TerminateInstancesCommand({ InstanceIds }));
  t.is(await codeOf(end([id])), 'OperationNotPermitted');
  await modify({ Attribute: 'disableApiTermination', Value: 'false' });
  await t.notThrowsAsync(end([id]));
});

test('groups, source check, shutdown behavior and volumes change while a machine runs', async (t) => {
  const { ec2, id, modify, read } = await twoMachines(t);
  await modify({ Groups: ['sg-1', 'sg-2'] });
  await modify({ SourceDestCheck: { Value: false } });
  await modify({ InstanceInitiatedShutdownBehavior: { Value: 'terminate' } });
  await modify({ BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { DeleteOnTermination: false } }] });
  const { Reservations } = await ec2.send(
    new DescribeInstancesCommand({ Filters: [{ Name: 'instance.group-id', Values: ['sg-2'] }] }),
  );
  const [machine] = Reservations?.[0]?.Instances ?? [];
  t.like(machine, { InstanceId: id, SourceDestCheck: false });
  t.false(machine?.BlockDeviceMappings?.[0]?.Ebs?.DeleteOnTermination);
  t.is((await read('instanceInitiatedShutdownBehavior')).InstanceInitiatedShutdownBehavior?.Value, 'terminate');
});

test('type and user data change only while a machine is stopped', async (t) => {
  const { ec2, id, modify, read, simulator } = await twoMachines(t);
  const grow = () => modify({ InstanceType: { Value: 'm5.large' } });
  t.is(await codeOf(grow()), 'IncorrectInstanceState');
  await ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));
  simulator.advance(1000);
  await grow();
  await modify({ UserData: { Value: Buffer.from('bye') } });
  t.is((await read('instanceType')).InstanceType?.Value, 'm5.large');
  t.is((await read('userData')).UserData?.Value, Buffer.from('bye').toString('base64'));
  t.is(await codeOf(modify({ InstanceType: { Value: 'm6g.large' } })), 'InvalidParameterValue');
  t.is(await codeOf(modify({ InstanceType: { Value: 'z9.tiny' } })), 'InvalidParameterValue');
});

test('a change names one attribute with a value that it can have', async (t) => {
  const { modify } = await twoMachines(t);
  t.is(await codeOf(modify({})), 'MissingParameter');
  t.is(
    await codeOf(modify({ SourceDestCheck: { Value: true }, DisableApiStop: { Value: true } })),
    'InvalidParameterCombination',
  );
  t.is(await codeOf(modify({ InstanceInitiatedShutdownBehavior: { Value: 'sleep' } })), 'InvalidParameterValue');
  t.is(
    await codeOf(modify({ BlockDeviceMappings: [{ DeviceName: '/dev/sdz', Ebs: {} }] })),
    'InvalidInstanceAttributeValue',
  );
});
