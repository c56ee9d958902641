import {
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  EC2Client,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud, refusal } from './support.ts';

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

test('a replay is not read again: its template may be gone, and what it named may have become unknown', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const LaunchTemplateName = 'pool';
  const LaunchTemplateData = {
    ImageId: 'ami-1',
    InstanceType: 't3.micro' as const,
    Placement: { AvailabilityZone: 'us-east-1b' },
  };
  await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName, LaunchTemplateData }));
  const call = { ClientToken: 'one', MinCount: 1, MaxCount: 1, LaunchTemplate: { LaunchTemplateName, Version: '1' } };
  const first = await ec2.send(new RunInstancesCommand(call));
  await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName }));
  simulator.setKnobs({ strict_ids: true });
  t.is((await ec2.send(new RunInstancesCommand(call))).ReservationId, first.ReservationId);
  t.is(
    await codeOf(ec2.send(new RunInstancesCommand({ ...call, ClientToken: 'two' }))),
    'InvalidLaunchTemplateName.NotFoundException',
  );
  t.deepEqual(simulator.ledger().launches, { one: 1 });
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
  t.is(
    await codeOf(ec2.send(launch({ ClientToken: 'one', InstanceType: 't3.small' }))),
    'IdempotentParameterMismatch',
  );
  simulator.setKnobs({ tokens: { failed_replay: 'execute' } });
  t.is((await ec2.send(launch({ ClientToken: 'one' }))).Instances?.length, 1);
});

test('a call that was refused for its parameters does not pin its token', async (t) => {
  const { ec2 } = await openCloud(t);
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one', ImageId: 'x' }))), 'InvalidAMIID.Malformed');
  t.is((await ec2.send(launch({ ClientToken: 'one' }))).Instances?.length, 1);
});

test('a launch that does not see its template or its profile keeps its token, unless the knob says otherwise', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { visible_ms: { version: 5_000 } as any } });
  const LaunchTemplateData = { ImageId: 'ami-1', InstanceType: 't3.micro' as const };
  await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'pool', LaunchTemplateData }));
  const run = (ClientToken: string, more: object = {}) =>
    ec2.send(
      new RunInstancesCommand({
        ClientToken,
        MinCount: 1,
        MaxCount: 1,
        LaunchTemplate: { LaunchTemplateName: 'pool', Version: '1' },
        ...more,
      }),
    );
  const unseen = 'InvalidLaunchTemplateId.VersionNotFound';
  t.is(await codeOf(run('kept')), unseen);
  simulator.setKnobs({ tokens: { unseen_replay: 'execute' } });
  t.is(await codeOf(run('free')), unseen);
  simulator.setKnobs({ tokens: { unseen_replay: 'repeat' } });
  simulator.advance(5_000);
  t.is(await codeOf(run('kept')), unseen);
  t.is(await codeOf(run('kept', { MaxCount: 2 })), 'IdempotentParameterMismatch');
  t.is((await run('free')).Instances?.length, 1);

  const IamInstanceProfile = { Name: 'bad name' };
  t.is(await codeOf(run('profile', { IamInstanceProfile })), 'InvalidParameterValue');
  t.is(await codeOf(run('profile')), 'IdempotentParameterMismatch');
  // A dry run keeps no token.
  const dry = { DryRun: true, LaunchTemplate: { LaunchTemplateName: 'pool', Version: '2' } };
  t.is(await codeOf(run('dry', dry)), unseen);
  t.is((await run('dry')).Instances?.length, 1);
});

test('a replay when all its machines are terminated is an error, or the old reservation', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const { Instances = [] } = await ec2.send(launch({ ClientToken: 'one', MaxCount: 2 }));
  const end = (ids: (string | undefined)[]) =>
    ec2.send(new TerminateInstancesCommand({ InstanceIds: ids.map((id) => id ?? '') }));
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
  const { Reservations } = await ec2.send(
    new DescribeInstancesCommand({ Filters: [{ Name: 'client-token', Values: ['one'] }] }),
  );
  t.deepEqual(
    Reservations?.flatMap((r) => r.Instances?.map((one) => [one.InstanceId, one.ClientToken]) ?? []),
    [[Instances?.[0]?.InstanceId, 'one']],
  );
});

test('a replay while the first call counts as running is refused, and the SDK tries it again by itself', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { tokens: { in_progress_ms: 5000 } } });
  const call = () => launch({ ClientToken: 'one' });
  const { Instances } = await ec2.send(call());
  simulator.advance(4999);
  t.like(await refusal(ec2.send(call())), { code: 'IdempotentCallInProgress', status: 500 });
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one', MaxCount: 2 }))), 'IdempotentParameterMismatch');
  const patient = new EC2Client({
    endpoint: simulator.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' },
  });
  t.teardown(() => patient.destroy());
  const answer = patient.send(call());
  while (simulator.audit().length < 4) await new Promise((resolve) => setImmediate(resolve));
  simulator.advance(1);
  t.is((await answer).Instances?.[0]?.InstanceId, Instances?.[0]?.InstanceId);
  t.deepEqual(simulator.ledger().launches, { one: 1 });
});

test('a call that failed counts as running for its time too, and without the knob nothing does', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { tokens: { in_progress_ms: 5000 }, capacity: [{ count: 0 }] },
  });
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one' }))), 'InsufficientInstanceCapacity');
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one' }))), 'IdempotentCallInProgress');
  simulator.setKnobs({ tokens: { in_progress_ms: 0 } });
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'one' }))), 'InsufficientInstanceCapacity');
});

test('a token is of one account and one region', async (t) => {
  const { ec2, client, simulator } = await openCloud(t);
  await ec2.send(launch({ ClientToken: 'one' }));
  await client({ region: 'eu-west-1' }).send(launch({ ClientToken: 'one', MaxCount: 2 }));
  await client({ key: 'AKIATEST0002' }).send(launch({ ClientToken: 'one', MaxCount: 3, MinCount: 3 }));
  t.deepEqual(simulator.ledger().launches, { one: 6 });
});

test('a reset forgets tokens, also those of calls that failed', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ zone: 'us-east-1b', count: 0 }] } });
  const full = () => launch({ ClientToken: 'two', Placement: { AvailabilityZone: 'us-east-1b' } });
  const first = await ec2.send(launch({ ClientToken: 'one' }));
  t.is(await codeOf(ec2.send(full())), 'InsufficientInstanceCapacity');
  simulator.reset();
  simulator.setKnobs({ capacity: [] });
  t.not((await ec2.send(launch({ ClientToken: 'one' }))).Instances?.[0]?.InstanceId, first.Instances?.[0]?.InstanceId);
  t.is((await ec2.send(full())).Instances?.length, 1);
});

test('the order of parameters is no difference, and a token longer than 64 characters is refused', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const post = async (body: string) => {
    const authorization =
      'AWS4-HMAC-SHA256 Credential=AKIATEST0001/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0';
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization };
    return (await (await fetch(simulator.url, { method: 'POST', headers, body })).text()).match(/i-[0-9a-f]{17}/)?.[0];
  };
  const head = 'Action=RunInstances&Version=2016-11-15&ClientToken=one';
  const first = await post(`${head}&ImageId=ami-1&InstanceType=t3.micro&MinCount=1&MaxCount=1`);
  t.truthy(first);
  t.is(await post(`${head}&MaxCount=1&MinCount=1&InstanceType=t3.micro&ImageId=ami-1`), first);
  t.is(await codeOf(ec2.send(launch({ ClientToken: 'x'.repeat(65) }))), 'InvalidParameterValue');
});
