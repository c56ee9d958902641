import { CreateLaunchTemplateCommand, DeleteLaunchTemplateCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import {
  eventsOf,
  fleetOf,
  fleetTemplate,
  liveIds,
  liveMachines,
  modify,
  openFleet,
  terminate,
} from './fleet-support.ts';
import { openCloud } from './support.ts';

test('a fleet is submitted, then active, and its machines come a while after that', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 2 });
  t.like(await fleetOf(ec2, id), {
    FleetState: 'submitted',
    ActivityStatus: 'pending_fulfillment',
    FulfilledCapacity: 0,
    Type: 'maintain',
  });
  simulator.advance(500);
  t.like(await fleetOf(ec2, id), { FleetState: 'active', ActivityStatus: 'pending_fulfillment' });
  t.deepEqual(await liveIds(ec2, id), []);
  simulator.advance(500);
  t.is((await liveIds(ec2, id)).length, 2);
  t.like(await fleetOf(ec2, id), { ActivityStatus: 'fulfilled', FulfilledCapacity: 2, FulfilledOnDemandCapacity: 2 });
});

test('a machine that is terminated while the target stays comes back, once the fleet has noticed', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 3 });
  simulator.advance(5000);
  const before = await liveIds(ec2, id);
  await terminate(ec2, [before[0]]);
  t.is((await fleetOf(ec2, id)).FulfilledCapacity, 3);
  simulator.advance(2999);
  t.deepEqual(await liveIds(ec2, id), before.slice(1));
  simulator.advance(60_000);
  const after = await liveIds(ec2, id);
  t.is(after.length, 3);
  t.deepEqual(
    after.filter((one) => before.includes(one)),
    before.slice(1),
  );
});

test('a fleet whose template is gone replaces nothing, until a change names another', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 2 });
  simulator.advance(5000);
  await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId: await fleetTemplate(ec2) }));
  await terminate(ec2, [(await liveIds(ec2, id))[0]]);
  simulator.advance(60_000);
  t.is((await liveIds(ec2, id)).length, 1);
  t.like(await fleetOf(ec2, id), { ActivityStatus: 'error', FulfilledCapacity: 1 });
  t.true((await eventsOf(ec2, id)).includes('spotFleetRequestConfigurationInvalid'));
  const LaunchTemplateData = { ImageId: 'ami-1', InstanceType: 't3.micro' as const };
  const other = await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'other', LaunchTemplateData }));
  const LaunchTemplateSpecification = {
    LaunchTemplateId: other.LaunchTemplate?.LaunchTemplateId ?? '',
    Version: '$Latest',
  };
  await modify(ec2, id, undefined, { LaunchTemplateConfigs: [{ LaunchTemplateSpecification }] });
  simulator.advance(5000);
  t.is((await liveIds(ec2, id)).length, 2);
  t.is((await fleetOf(ec2, id)).ActivityStatus, 'fulfilled');
});

test('machines that are on their way come although their template is deleted meanwhile', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { fleets: { launch_ms: 5000 } } });
  const id = await openFleet(ec2, { units: 2 });
  simulator.advance(1000);
  await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId: await fleetTemplate(ec2) }));
  simulator.advance(5000);
  t.is((await liveIds(ec2, id)).length, 2);
});

test('machines that fail after their launch are replaced', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { late_failures: [{ times: 2 }] } });
  const id = await openFleet(ec2, { units: 3, token: 'one' });
  simulator.advance(60_000);
  t.is((await liveIds(ec2, id)).length, 3);
  t.deepEqual(simulator.ledger().launches, { one: 5 });
});

test('a fleet that replaces unhealthy machines does so for Spot, after three failed checks', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const target = {
    TotalTargetCapacity: 2,
    OnDemandTargetCapacity: 1,
    SpotTargetCapacity: 1,
    DefaultTargetCapacityType: 'spot' as const,
  };
  const replaces = await openFleet(ec2, { target, more: { ReplaceUnhealthyInstances: true } });
  const keeps = await openFleet(ec2, { target });
  simulator.advance(5000);
  const before = await liveMachines(ec2, replaces);
  const kept = await liveIds(ec2, keeps);
  simulator.setKnobs({ health: [{ instance_ids: [...before.map((one) => one.InstanceId ?? ''), ...kept] }] });
  simulator.advance(359_999);
  t.deepEqual(
    await liveIds(ec2, replaces),
    before.map((one) => one.InstanceId),
  );
  simulator.advance(10_000);
  const after = await liveIds(ec2, replaces);
  t.is(after.length, 2);
  t.deepEqual(
    before.filter((one) => after.includes(one.InstanceId ?? '')).map((one) => one.InstanceLifecycle),
    [undefined],
  );
  t.deepEqual(await liveIds(ec2, keeps), kept);
});
