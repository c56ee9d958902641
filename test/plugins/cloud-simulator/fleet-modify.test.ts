import test from 'ava';
import {
  deleteFleet,
  fleetOf,
  listedIds,
  liveIds,
  liveMachines,
  modify,
  openFleet,
  terminate,
} from './fleet-support.ts';
import { codeOf, openCloud, refusal } from './support.ts';

test('lowering the target first, without termination, loses exactly the machine that is then terminated', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 3 });
  simulator.advance(5000);
  const before = await liveIds(ec2, id);
  await modify(ec2, id, 2, { ExcessCapacityTerminationPolicy: 'no-termination' });
  t.is((await fleetOf(ec2, id)).FleetState, 'modifying');
  simulator.advance(1000);
  t.is((await fleetOf(ec2, id)).FleetState, 'active');
  await terminate(ec2, [before[1]]);
  simulator.advance(600_000);
  t.deepEqual(await liveIds(ec2, id), [before[0], before[2]]);
});

test('terminating first and lowering the target before the fleet has noticed loses two machines and brings one back', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 3 });
  simulator.advance(5000);
  const before = await liveIds(ec2, id);
  await terminate(ec2, [before[2]]);
  await modify(ec2, id, 2, { ExcessCapacityTerminationPolicy: 'termination' });
  simulator.advance(1000);
  t.is((await liveIds(ec2, id)).length, 1);
  simulator.advance(60_000);
  const after = await liveIds(ec2, id);
  t.is(after.length, 2);
  t.is(after.filter((one) => before.includes(one)).length, 1);
});

test('a change without a policy ends machines, which is the default', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 3, more: { ExcessCapacityTerminationPolicy: 'no-termination' } });
  simulator.advance(5000);
  await modify(ec2, id, 1);
  t.is((await fleetOf(ec2, id)).ActivityStatus, 'pending_termination');
  simulator.advance(1000);
  t.is((await liveIds(ec2, id)).length, 1);
  t.is((await fleetOf(ec2, id)).ExcessCapacityTerminationPolicy, 'termination');
});

test('surplus machines end by price, then by age, and never below the target', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ instance_type: 'c5.large', count: 2 }] } });
  const overrides = [
    { InstanceType: 'c5.large' as const, WeightedCapacity: 1 },
    { InstanceType: 'm5.large' as const, WeightedCapacity: 1 },
  ];
  const id = await openFleet(ec2, { units: 4, overrides });
  simulator.advance(20_000);
  const before = await liveMachines(ec2, id);
  t.deepEqual(
    before.map((one) => one.InstanceType as string),
    ['c5.large', 'c5.large', 'm5.large', 'm5.large'],
  );
  await modify(ec2, id, 1);
  simulator.advance(1000);
  t.deepEqual(await liveIds(ec2, id), [before[0]?.InstanceId]);
});

test('a fleet whose last machine weighs more than what is missing is not too large for that', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 5, overrides: [{ InstanceType: 'c5.2xlarge', WeightedCapacity: 4 }] });
  simulator.advance(60_000);
  t.is((await liveIds(ec2, id)).length, 2);
  t.like(await fleetOf(ec2, id), { FulfilledCapacity: 8, ActivityStatus: 'fulfilled' });
  await modify(ec2, id, 4);
  simulator.advance(60_000);
  t.is((await liveIds(ec2, id)).length, 1);
});

test('raising the target brings only what is missing, also while machines are on their way', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { fleets: { launch_ms: 10_000 } } });
  const id = await openFleet(ec2, { units: 2, token: 'one' });
  simulator.advance(1000);
  await modify(ec2, id, 3);
  simulator.advance(60_000);
  t.is((await liveIds(ec2, id)).length, 3);
  t.deepEqual(simulator.ledger().launches, { one: 3 });
});

test('machines that were ordered before the target sank arrive, and end if the policy says so', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { fleets: { launch_ms: 10_000 } } });
  const kept = await openFleet(ec2, { units: 3 });
  const ended = await openFleet(ec2, { units: 3 });
  simulator.advance(1000);
  await modify(ec2, kept, 1, { ExcessCapacityTerminationPolicy: 'no-termination' });
  await modify(ec2, ended, 1, { ExcessCapacityTerminationPolicy: 'termination' });
  simulator.advance(60_000);
  t.is((await liveIds(ec2, kept)).length, 3);
  t.is((await liveIds(ec2, ended)).length, 1);
});

test('a fleet that is modifying cannot be modified again; its code is a knob', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2);
  await modify(ec2, id, 2);
  t.is(await codeOf(modify(ec2, id, 1)), 'FleetNotInModifiableState');
  simulator.setKnobs({ fleets: { not_modifiable_code: 'IncorrectState' } });
  t.is(await codeOf(modify(ec2, id, 1)), 'IncorrectState');
  simulator.advance(1000);
  await modify(ec2, id, 1);
  await deleteFleet(ec2, id, true);
  t.is(await codeOf(modify(ec2, id, 1)), 'IncorrectState');
});

test('fleets of type request and instant cannot be modified', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const request = await openFleet(ec2, { more: { Type: 'request' } });
  const instant = await openFleet(ec2, { more: { Type: 'instant' } });
  simulator.advance(2000);
  t.is(await codeOf(modify(ec2, request, 1)), 'UnsupportedOperation');
  t.is(await codeOf(modify(ec2, instant, 1)), 'UnsupportedOperation');
});

test('the on-demand part stays when a change does not name it, and must fit the whole', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, {
    target: {
      TotalTargetCapacity: 4,
      OnDemandTargetCapacity: 1,
      SpotTargetCapacity: 3,
      DefaultTargetCapacityType: 'spot',
    },
  });
  simulator.advance(5000);
  const change = (total: number) =>
    modify(ec2, id, undefined, { TargetCapacitySpecification: { TotalTargetCapacity: total } });
  const refused = await refusal(change(0));
  t.is(refused.code, 'InvalidParameter');
  t.is(refused.message, 'TargetCapacity (0) cannot be less than OnDemandTargetCapacity (1)');
  await change(2);
  t.like((await fleetOf(ec2, id)).TargetCapacitySpecification, {
    TotalTargetCapacity: 2,
    OnDemandTargetCapacity: 1,
    SpotTargetCapacity: 1,
  });
  simulator.advance(60_000);
  const markets = (await liveMachines(ec2, id)).map((one) => one.InstanceLifecycle ?? 'on-demand').toSorted();
  t.deepEqual(markets, ['on-demand', 'spot']);
});

test('a change can name new templates, from which later machines come', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 1 });
  simulator.advance(5000);
  const fleet = await fleetOf(ec2, id);
  const LaunchTemplateId = fleet.LaunchTemplateConfigs?.[0]?.LaunchTemplateSpecification?.LaunchTemplateId ?? '';
  await modify(ec2, id, 2, {
    LaunchTemplateConfigs: [
      { LaunchTemplateSpecification: { LaunchTemplateId, Version: '1' }, Overrides: [{ InstanceType: 'c5.large' }] },
    ],
  });
  simulator.advance(5000);
  t.deepEqual(
    (await liveMachines(ec2, id)).map((one) => one.InstanceType as string),
    ['t3.micro', 'c5.large'],
  );
  t.is((await fleetOf(ec2, id)).LaunchTemplateConfigs?.[0]?.Overrides?.[0]?.InstanceType, 'c5.large');
});

test('a fleet may begin with no target at all', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 0 });
  simulator.advance(5000);
  t.is((await fleetOf(ec2, id)).ActivityStatus, 'fulfilled');
  await modify(ec2, id, 1);
  simulator.advance(5000);
  t.is((await liveIds(ec2, id)).length, 1);
});

for (const [lower_total, code] of [
  ['shrink', 'none'],
  ['refuse', 'InvalidParameter'],
] as const) {
  test(`a lower total alone, with the default on-demand: ${lower_total}`, async (t) => {
    const { ec2, simulator } = await openCloud(t, { knobs: { fleets: { lower_total } } });
    const id = await openFleet(ec2, { units: 3 });
    simulator.advance(5000);
    const change = modify(ec2, id, undefined, { TargetCapacitySpecification: { TotalTargetCapacity: 1 } });
    t.is(
      await change.then(
        () => 'none',
        (error: Error) => error.name,
      ),
      code,
    );
    const left = lower_total === 'shrink' ? 1 : 3;
    t.like((await fleetOf(ec2, id)).TargetCapacitySpecification, {
      TotalTargetCapacity: left,
      OnDemandTargetCapacity: left,
    });
    simulator.advance(60_000);
    t.is((await liveMachines(ec2, id)).length, left);
  });
}

test('the list of a fleet is up to date in the calm scenario, and late where consistency is eventual', async (t) => {
  for (const [scenario, listed] of [
    ['calm', 2],
    ['eventual-consistency', 0],
  ] as const) {
    const { ec2, simulator } = await openCloud(t, {
      knobs: { scenario, visible_ms: { fleet: 0, template: 0, version: 0 } },
    });
    const id = await openFleet(ec2, { units: 2 });
    simulator.advance(1000);
    t.is((await listedIds(ec2, id)).length, listed, scenario);
  }
});
