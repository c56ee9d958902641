import {
  DescribeInstancesCommand,
  DescribeInstanceStatusCommand,
  ModifyInstanceAttributeCommand,
  RebootInstancesCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import type { SimulatorOptions } from '../../../plugins/cloud-simulator/server/server.ts';
import { openGroups } from './groups-support.ts';
import { codeOf, launch, openCloud } from './support.ts';

async function runOne(t: ExecutionContext, options: SimulatorOptions = {}, input: Parameters<typeof launch>[0] = {}) {
  const cloud = await openCloud(t, options);
  const { ec2, simulator } = cloud;
  const id = (await ec2.send(launch(input))).Instances?.[0]?.InstanceId ?? '';
  const InstanceIds = [id];
  const show = async () =>
    (await ec2.send(new DescribeInstancesCommand({ InstanceIds }))).Reservations?.[0]?.Instances?.[0];
  return {
    ...cloud,
    id,
    show,
    state: async () => (await show())?.State?.Name,
    stop: (more = {}) => ec2.send(new StopInstancesCommand({ InstanceIds, ...more })),
    start: () => ec2.send(new StartInstancesCommand({ InstanceIds })),
    terminate: () => ec2.send(new TerminateInstancesCommand({ InstanceIds })),
    run: () => simulator.advance(2000),
  };
}

test('a machine stops and starts again, with its addresses and a new launch time', async (t) => {
  const { id, show, state, stop, start, run, simulator } = await runOne(t);
  run();
  const before = await show();
  t.deepEqual((await stop()).StoppingInstances, [
    { InstanceId: id, CurrentState: { Code: 64, Name: 'stopping' }, PreviousState: { Code: 16, Name: 'running' } },
  ]);
  t.is(await state(), 'stopping');
  simulator.advance(1000);
  const stopped = await show();
  t.like(stopped, {
    State: { Code: 80, Name: 'stopped' },
    StateReason: { Code: 'Client.UserInitiatedShutdown' },
    PrivateIpAddress: before?.PrivateIpAddress,
  });
  t.regex(stopped?.StateTransitionReason ?? '', /^User initiated \(\d{4}-/);
  simulator.advance(5000);
  const { StartingInstances } = await start();
  t.like(StartingInstances?.[0], { CurrentState: { Name: 'pending' }, PreviousState: { Name: 'stopped' } });
  run();
  const again = await show();
  t.is(again?.State?.Name, 'running');
  t.is(again?.PrivateIpAddress, before?.PrivateIpAddress);
  t.is(again?.LaunchTime?.valueOf(), (before?.LaunchTime?.valueOf() ?? 0) + 8000);
  t.is(again?.StateReason, undefined);
});

test('a stopped machine is not billed and keeps no place', async (t) => {
  const knobs = { capacity: [{ count: 1 }], quotas: { on_demand_vcpus: 2 } };
  const { ec2, state, stop, start, terminate, run, simulator } = await runOne(t, { knobs });
  run();
  t.is(await codeOf(ec2.send(launch())), 'VcpuLimitExceeded');
  await stop();
  simulator.advance(10_000);
  t.is(simulator.ledger().machine_seconds, 2);
  const other = (await ec2.send(launch({ Placement: { AvailabilityZone: 'us-east-1a' } }))).Instances?.[0]?.InstanceId;
  t.is(await codeOf(start()), 'VcpuLimitExceeded');
  simulator.setKnobs({ quotas: { on_demand_vcpus: null } });
  t.is(await codeOf(start()), 'InsufficientInstanceCapacity');
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [other ?? ''] }));
  simulator.advance(2000);
  await start();
  run();
  t.is(await state(), 'running');
  await terminate();
  simulator.advance(2000);
  // The place is free once, not twice.
  const more = () => ec2.send(launch({ Placement: { AvailabilityZone: 'us-east-1a' } }));
  await more();
  t.is(await codeOf(more()), 'InsufficientInstanceCapacity');
});

test('a machine that is terminated while it is stopped gives nothing back twice', async (t) => {
  const { ec2, stop, terminate, run, simulator } = await runOne(t, { knobs: { capacity: [{ count: 1 }] } });
  run();
  await stop();
  simulator.advance(2000);
  await terminate();
  simulator.advance(2000);
  const more = () => ec2.send(launch({ Placement: { AvailabilityZone: 'us-east-1a' } }));
  await more();
  t.is(await codeOf(more()), 'InsufficientInstanceCapacity');
});

test('calls that the state of a machine does not allow are refused', async (t) => {
  const { ec2, id, stop, start, terminate, run, simulator } = await runOne(t);
  t.is(await codeOf(stop()), 'IncorrectInstanceState');
  const reboot = () => ec2.send(new RebootInstancesCommand({ InstanceIds: [id] }));
  t.is(await codeOf(reboot()), 'IncorrectState');
  run();
  t.like((await start()).StartingInstances?.[0], { CurrentState: { Name: 'running' } });
  await t.notThrowsAsync(reboot());
  t.is(await codeOf(stop({ Hibernate: true })), 'UnsupportedHibernationConfiguration');
  await stop();
  t.is(await codeOf(start()), 'IncorrectInstanceState');
  simulator.advance(1000);
  t.like((await stop()).StoppingInstances?.[0], { PreviousState: { Name: 'stopped' } });
  t.is(await codeOf(reboot()), 'IncorrectState');
  await terminate();
  simulator.advance(1000);
  t.is(await codeOf(start()), 'IncorrectInstanceState');
  t.is(await codeOf(stop()), 'IncorrectInstanceState');
  await t.notThrowsAsync(reboot());
  const unknown = { InstanceIds: [id, 'i-0123456789abcdef0'] };
  t.is(await codeOf(ec2.send(new StopInstancesCommand(unknown))), 'InvalidInstanceID.NotFound');
  t.is(await codeOf(ec2.send(new StartInstancesCommand(unknown))), 'InvalidInstanceID.NotFound');
  t.is(await codeOf(ec2.send(new RebootInstancesCommand(unknown))), 'InvalidInstanceID.NotFound');
});

test('a Spot machine cannot be stopped, nor one with stop protection', async (t) => {
  const spot = await runOne(t, {}, { InstanceMarketOptions: { MarketType: 'spot' } });
  spot.run();
  t.is(await codeOf(spot.stop()), 'UnsupportedOperation');
  const kept = await runOne(t, {}, { DisableApiStop: true });
  kept.run();
  t.is(await codeOf(kept.stop()), 'OperationNotPermitted');
  await kept.ec2.send(new ModifyInstanceAttributeCommand({ InstanceId: kept.id, DisableApiStop: { Value: false } }));
  await t.notThrowsAsync(kept.stop());
});

test('a stopped machine has no status, and a filter finds it by its state', async (t) => {
  const { ec2, id, stop, run, simulator } = await runOne(t);
  run();
  await stop();
  simulator.advance(1000);
  const statuses = async (more = {}) =>
    (await ec2.send(new DescribeInstanceStatusCommand({ ...more }))).InstanceStatuses?.map((one) => [
      one.InstanceState?.Name,
      one.InstanceStatus?.Status,
    ]);
  t.deepEqual(await statuses(), []);
  t.deepEqual(await statuses({ IncludeAllInstances: true }), [['stopped', 'not-applicable']]);
  const byState = await ec2.send(
    new DescribeInstancesCommand({ Filters: [{ Name: 'instance-state-name', Values: ['stopped'] }] }),
  );
  t.is(byState.Reservations?.[0]?.Instances?.[0]?.InstanceId, id);
});

test('a group replaces a member that a caller stops', async (t) => {
  const { create, ids, settle, ec2, live } = await openGroups(t);
  await create('web', { MaxSize: 2, DesiredCapacity: 1 });
  settle();
  const [first = ''] = await ids('web');
  await ec2.send(new StopInstancesCommand({ InstanceIds: [first] }));
  settle();
  const after = await ids('web');
  t.is(after.length, 1);
  t.not(after[0], first);
  t.deepEqual([...(await live()).keys()], after);
});
