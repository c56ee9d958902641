import { DescribeInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

test('a replayed token starts nothing and gives the same machines in their present state', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const call = launch({ MaxCount: 3, ClientToken: 'one' });
  const first = await ec2.send(call);
  simulator.advance(2000);
  const again = await ec2.send(launch({ MaxCount: 3, ClientToken: 'one' }));
  t.is(again.ReservationId, first.ReservationId);
  t.deepEqual(
    again.Instances?.map((one) => one.InstanceId),
    first.Instances?.map((one) => one.InstanceId),
  );
  t.is(again.Instances?.[0]?.State?.Name, 'running');
  t.deepEqual(simulator.ledger().launches, { one: 3 });
});

test('other parameters under the same token are refused', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(launch({ ClientToken: 'one' }));
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one', MaxCount: 2 }))), 'IdempotentParameterMismatch');
});

test('the same token in another zone launches again', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await ec2.send(launch({ ClientToken: 'one', Placement: { AvailabilityZone: 'us-east-1a' } }));
  await ec2.send(launch({ ClientToken: 'one', Placement: { AvailabilityZone: 'us-east-1b' } }));
  t.deepEqual(simulator.ledger().launches, { one: 2 });
});

test('a token is pinned by a call that found no capacity: identical replays repeat the error, others mismatch', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ count: 0 }] } });
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one' }))), 'InsufficientInstanceCapacity');
  simulator.setKnobs({ capacity: [] });
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one' }))), 'InsufficientInstanceCapacity');
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one', InstanceType: 't3.small' }))), 'IdempotentParameterMismatch');
  simulator.setKnobs({ tokens: { failed_replay: 'execute' } });
  t.is((await ec2.send(launch({ ClientToken: 'one' }))).Instances?.length, 1);
});

test('a call that was refused for its parameters does not pin its token', async (t) => {
  const { ec2 } = await openCloud(t);
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one', ImageId: 'x' }))), 'InvalidAMIID.Malformed');
  t.is((await ec2.send(launch({ ClientToken: 'one' }))).Instances?.length, 1);
});

test('a replay when all its machines are terminated is an error, or the old reservation', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const { Instances = [] } = await ec2.send(launch({ ClientToken: 'one', MaxCount: 2 }));
  const end = (ids: (string | undefined)[]) => ec2.send(new TerminateInstancesCommand({ InstanceIds: ids.map((id) => id ?? '') }));
  await end([Instances[0]?.InstanceId]);
  simulator.advance(1000);
  t.is((await ec2.send(launch({ ClientToken: 'one', MaxCount: 2 }))).Instances?.length, 2);
  await end([Instances[1]?.InstanceId]);
  simulator.advance(1000);
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one', MaxCount: 2 }))), 'IdempotentInstanceTerminated');
  simulator.setKnobs({ tokens: { terminated_replay: 'old' } });
  const old = await ec2.send(launch({ ClientToken: 'one', MaxCount: 2 }));
  t.deepEqual(
    old.Instances?.map((one) => one.State?.Name),
    ['terminated', 'terminated'],
  );
});

test('a token is forgotten after its time', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { tokens: { memory_ms: 60_000 } } });
  await ec2.send(launch({ ClientToken: 'one' }));
  simulator.advance(60_000);
  await ec2.send(launch({ ClientToken: 'one' }));
  t.deepEqual(simulator.ledger().launches, { one: 2 });
});

test('machines are found by the token that launched them', async (t) => {
  const { ec2 } = await openCloud(t);
  const { Instances } = await ec2.send(launch({ ClientToken: 'one' }));
  await ec2.send(launch({ ClientToken: 'two' }));
  const { Reservations } = await ec2.send(new DescribeInstancesCommand({ Filters: [{ Name: 'client-token', Values: ['one'] }] }));
  t.deepEqual(
    Reservations?.flatMap((r) => r.Instances?.map((one) => [one.InstanceId, one.ClientToken]) ?? []),
    [[Instances?.[0]?.InstanceId, 'one']],
  );
});
