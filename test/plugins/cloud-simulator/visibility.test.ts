import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  DescribeInstanceStatusCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeTagsCommand,
  type EC2Client,
  ModifyLaunchTemplateCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

test('a young template is not found by any call that names it, and is in no list', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { visible_ms: { template: 5000 } } });
  const data = { ImageId: 'ami-1', InstanceType: 't3.micro' as const };
  const create = (ClientToken: string) =>
    ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'pool', LaunchTemplateData: data, ClientToken }));
  const LaunchTemplateId = (await create('one')).LaunchTemplate?.LaunchTemplateId;
  const fleet = new CreateFleetCommand({
    Type: 'request',
    LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateId, Version: '1' } }],
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
  });
  const calls: readonly (() => Promise<unknown>)[] = [
    () => ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateIds: [LaunchTemplateId ?? ''] })),
    () => ec2.send(new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId })),
    () => ec2.send(new CreateLaunchTemplateVersionCommand({ LaunchTemplateId, LaunchTemplateData: data })),
    () => ec2.send(new ModifyLaunchTemplateCommand({ LaunchTemplateId, DefaultVersion: '1' })),
    () => ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId })),
    () => ec2.send(new CreateTagsCommand({ Resources: [LaunchTemplateId ?? ''], Tags: [{ Key: 'k', Value: 'v' }] })),
    () => ec2.send(launch({ ImageId: undefined, LaunchTemplate: { LaunchTemplateId } })),
    () => ec2.send(fleet),
  ];
  for (const call of calls) t.is(await codeOf(call()), 'InvalidLaunchTemplateId.NotFound');
  const byName = () => ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ['pool'] }));
  t.is(await codeOf(byName()), 'InvalidLaunchTemplateName.NotFoundException');
  t.is(
    await codeOf(ec2.send(launch({ LaunchTemplate: { LaunchTemplateName: 'pool' } }))),
    'InvalidLaunchTemplateName.NotFoundException',
  );
  t.deepEqual((await ec2.send(new DescribeLaunchTemplatesCommand({}))).LaunchTemplates, []);
  t.deepEqual(
    (await ec2.send(new DescribeLaunchTemplateVersionsCommand({ Versions: ['$Latest'] }))).LaunchTemplateVersions,
    [],
  );
  t.deepEqual(simulator.ledger().untagged, []);

  // It exists all the same: its name is taken, and its token gives it again.
  t.is(await codeOf(create('two')), 'InvalidLaunchTemplateName.AlreadyExistsException');
  t.is((await create('one')).LaunchTemplate?.LaunchTemplateId, LaunchTemplateId);

  simulator.advance(5000);
  t.is((await byName()).LaunchTemplates?.length, 1);
  t.truthy((await ec2.send(fleet)).FleetId);
});

test('a young machine comes and goes for reading calls, and is there for calls that change it', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { flapping: { share: 0.5, until_ms: 60_000 } } });
  const [id = ''] = await start(ec2, 1);
  simulator.advance(2000);
  const missed = async (call: () => Promise<boolean>) => {
    let count = 0;
    for (let n = 0; n < 60; n++) if (!(await call())) count++;
    return count;
  };
  const byId = async () => {
    const code = await list(ec2, { InstanceIds: [id] }).then(
      () => '',
      (error: Error) => error.name,
    );
    t.true(code === '' || code === 'InvalidInstanceID.NotFound', code);
    return code === '';
  };
  const byFilter = async () => (await list(ec2, { Filters: [{ Name: 'instance-id', Values: [id] }] })).length === 1;
  const status = async () => (await ec2.send(new DescribeInstanceStatusCommand({}))).InstanceStatuses?.length === 1;
  for (const call of [byId, byFilter, status]) {
    const count = await missed(call);
    t.true(count > 10 && count < 50, `${count} of 60 calls missed it`);
  }
  for (let n = 0; n < 10; n++) {
    await t.notThrowsAsync(ec2.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'n', Value: `${n}` }] })));
    await t.notThrowsAsync(ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] })));
  }
});

test('flapping ends when a machine is no longer new', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { flapping: { share: 1, until_ms: 10_000 } } });
  const ids = await start(ec2, 3);
  t.deepEqual(await list(ec2, {}), []);
  t.deepEqual((await ec2.send(new DescribeTagsCommand({}))).Tags, []);
  simulator.advance(9999);
  t.deepEqual(await list(ec2, {}), []);
  simulator.advance(1);
  t.deepEqual(await list(ec2, {}), ids);
  t.is((await ec2.send(new DescribeTagsCommand({}))).Tags?.length, 3);
});

test('each machine flaps independently of the others', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { flapping: { share: 0.5 } } });
  await start(ec2, 40);
  const seen = (await list(ec2, {})).length;
  t.true(seen > 5 && seen < 35, `${seen} of 40 are seen`);
});

test('a call that names more ids than the limit is refused', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { limits: { ids: 2 } } });
  const ids = await start(ec2, 3);
  t.is(await codeOf(list(ec2, { InstanceIds: ids })), 'InvalidParameterValue');
  t.deepEqual(await list(ec2, { InstanceIds: ids.slice(1) }), ids.slice(1));
  simulator.setKnobs({ limits: { ids: 3 } });
  t.deepEqual(await list(ec2, { InstanceIds: ids }), ids);
});

async function start(ec2: EC2Client, count: number): Promise<string[]> {
  const { Instances } = await ec2.send(
    launch({
      MinCount: count,
      MaxCount: count,
      TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'k', Value: 'v' }] }],
    }),
  );
  return Instances?.map((one) => one.InstanceId ?? '') ?? [];
}

async function list(ec2: EC2Client, input: DescribeInstancesCommandInput): Promise<string[]> {
  const { Reservations } = await ec2.send(new DescribeInstancesCommand(input));
  return Reservations?.flatMap((reservation) => reservation.Instances?.map((one) => one.InstanceId ?? '') ?? []) ?? [];
}

test('states of machines are as old as state_lag_ms says, in both lists and their filters, and calls that change them are not', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { boot_ms: 0, shutdown_ms: 1000 } });
  const [id = ''] = ((await ec2.send(launch({}))).Instances ?? []).map(({ InstanceId = '' }) => InstanceId);
  simulator.advance(10_000);
  simulator.setKnobs({ state_lag_ms: 5000 });
  const shown = async () => {
    const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
    const [instance] = Reservations.flatMap(({ Instances = [] }) => Instances);
    const { InstanceStatuses = [] } = await ec2.send(new DescribeInstanceStatusCommand({}));
    const Filters = [{ Name: 'instance-state-name', Values: ['running'] }];
    const running = await ec2.send(new DescribeInstancesCommand({ Filters }));
    return [instance?.State?.Name, instance?.StateReason?.Code, InstanceStatuses.length, running.Reservations?.length];
  };
  t.deepEqual(await shown(), ['running', undefined, 1, 1]);
  const { TerminatingInstances = [] } = await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  t.is(TerminatingInstances[0]?.CurrentState?.Name, 'shutting-down');
  simulator.advance(3000);
  t.deepEqual(await shown(), ['running', undefined, 1, 1]);
  simulator.advance(2500);
  t.deepEqual(await shown(), ['shutting-down', 'Client.UserInitiatedShutdown', 0, 0]);
  simulator.advance(2000);
  t.deepEqual(await shown(), ['terminated', 'Client.UserInitiatedShutdown', 0, 0]);
});

test('a stopped machine runs in an answer that is older than its stop', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { boot_ms: 0, state_lag_ms: 5000 } });
  const [id = ''] = ((await ec2.send(launch({}))).Instances ?? []).map(({ InstanceId = '' }) => InstanceId);
  simulator.advance(10_000);
  await ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));
  const shown = async () => {
    const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
    return Reservations[0]?.Instances?.[0]?.State?.Name;
  };
  t.is(await shown(), 'running');
  simulator.advance(60_000);
  t.is(await shown(), 'stopped');
});
