import {
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  DescribeInstanceStatusCommand,
  type EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

test('a stuck machine stays pending and can be terminated; later machines boot', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { stuck: [{ instance_type: 't3.micro', times: 1 }] } });
  const [large = ''] = await start(ec2, { InstanceType: 'm5.large' });
  const [stuck = '', fine = ''] = await start(ec2, { MaxCount: 2 });
  simulator.advance(86_400_000);
  const states = await statesOf(ec2, {});
  t.deepEqual(states, { [large]: 'running', [stuck]: 'pending', [fine]: 'running' });
  t.deepEqual(Object.keys(await statesOf(ec2, { Filters: [{ Name: 'instance-state-name', Values: ['pending'] }] })), [
    stuck,
  ]);
  t.is((await ec2.send(new DescribeInstanceStatusCommand({}))).InstanceStatuses?.length, 2);
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [stuck] }));
  simulator.advance(1000);
  t.like(await statesOf(ec2, {}), { [stuck]: 'terminated' });
  t.is(simulator.ledger().machine_seconds, 3 * 86_400 + 2);
});

test('a machine that is protected by its id keeps its zone alive until the knob lets it go', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const [kept = '', beside = ''] = await start(ec2, { MaxCount: 2, Placement: { AvailabilityZone: 'us-east-1a' } });
  const [other = ''] = await start(ec2, { Placement: { AvailabilityZone: 'us-east-1b' } });
  simulator.setKnobs({ protected: [kept] });
  const end = () => ec2.send(new TerminateInstancesCommand({ InstanceIds: [beside, kept, other] }));
  t.is(await codeOf(end()), 'OperationNotPermitted');
  t.deepEqual(simulator.ledger().untagged, [kept, beside]);
  simulator.setKnobs({ protected: [] });
  await end();
  t.deepEqual(simulator.ledger().untagged, []);
});

test('times of boot and shutdown are drawn between their bounds', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { boot_ms: { min: 1000, max: 9000 }, shutdown_ms: { min: 1000, max: 9000 } },
  });
  const ids = await start(ec2, { MaxCount: 50 });
  const count = async (state: string) => Object.values(await statesOf(ec2, {})).filter((one) => one === state).length;
  simulator.advance(999);
  t.is(await count('running'), 0);
  simulator.advance(4000);
  const half = await count('running');
  t.true(half > 5 && half < 45, `${half} of 50 run`);
  simulator.advance(4001);
  t.is(await count('running'), 50);
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }));
  simulator.advance(5000);
  const gone = await count('terminated');
  t.true(gone > 5 && gone < 45, `${gone} of 50 are terminated`);
});

test('filters on what is alike everywhere, or what no machine has, are answered', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const [id = ''] = await start(ec2, {
    Placement: { AvailabilityZone: 'us-east-1a' },
    MetadataOptions: { HttpTokens: 'required' },
  });
  simulator.advance(2000);
  const table: readonly [name: string, value: string, found: boolean][] = [
    ['availability-zone-id', 'use1-az1', true],
    ['availability-zone-id', 'use1-az2', false],
    ['metadata-options.http-tokens', 'required', true],
    ['metadata-options.http-tokens', 'optional', false],
    ['tenancy', 'default', true],
    ['root-device-type', 'ebs', true],
    ['monitoring-state', 'enabled', false],
    ['platform', 'windows', false],
    ['placement-group-name', 'group', false],
    ['network-interface.availability-zone', 'us-east-1a', true],
    ['state-reason-code', 'Client.UserInitiatedShutdown', false],
  ];
  for (const [Name, value, found] of table) {
    t.is(
      Object.keys(await statesOf(ec2, { Filters: [{ Name, Values: [value] }] })).includes(id),
      found,
      `${Name} ${value}`,
    );
  }
});

async function start(ec2: EC2Client, input: Parameters<typeof launch>[0]): Promise<string[]> {
  return (await ec2.send(launch(input))).Instances?.map((one) => one.InstanceId ?? '') ?? [];
}

async function statesOf(
  ec2: EC2Client,
  input: DescribeInstancesCommandInput,
): Promise<Record<string, string | undefined>> {
  const { Reservations } = await ec2.send(new DescribeInstancesCommand(input));
  const machines = Reservations?.flatMap((reservation) => reservation.Instances ?? []) ?? [];
  return Object.fromEntries(machines.map((one) => [one.InstanceId, one.State?.Name]));
}
