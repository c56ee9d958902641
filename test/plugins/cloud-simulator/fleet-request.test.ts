import test from 'ava';
import { eventsOf, fleetOf, liveIds, openFleet, terminate } from './fleet-support.ts';
import { openCloud } from './support.ts';

const request = { Type: 'request' as const };

test('a fleet of type request starts its machines once and replaces none', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 3, more: request });
  simulator.advance(5000);
  const before = await liveIds(ec2, id);
  t.is(before.length, 3);
  await terminate(ec2, [before[0]]);
  simulator.advance(600_000);
  t.deepEqual(await liveIds(ec2, id), before.slice(1));
  t.like(await fleetOf(ec2, id), { FulfilledCapacity: 2, FleetState: 'active' });
});

test('a fleet of type request that fell short gets the rest when there is capacity again', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ count: 2 }] } });
  const id = await openFleet(ec2, { units: 5, more: request, overrides: [{ AvailabilityZone: 'us-east-1a' }] });
  simulator.advance(60_000);
  t.is((await liveIds(ec2, id)).length, 2);
  t.like(await fleetOf(ec2, id), { FulfilledCapacity: 2, ActivityStatus: 'error' });
  simulator.setKnobs({ capacity: [] });
  simulator.advance(100_000);
  t.is((await liveIds(ec2, id)).length, 5);
  t.is((await fleetOf(ec2, id)).ActivityStatus, 'fulfilled');
});

test('by a knob a fleet of type request tries only once', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { capacity: [{ count: 2 }], fleets: { request_retries: false } },
  });
  const id = await openFleet(ec2, { units: 5, more: request, overrides: [{ AvailabilityZone: 'us-east-1a' }] });
  simulator.advance(60_000);
  simulator.setKnobs({ capacity: [] });
  simulator.advance(600_000);
  t.is((await liveIds(ec2, id)).length, 2);
  t.is((await fleetOf(ec2, id)).ActivityStatus, 'error');
});

test('a fleet of type request that still tries does not replace terminated machines', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ count: 2 }] } });
  const id = await openFleet(ec2, { units: 4, more: request, overrides: [{ AvailabilityZone: 'us-east-1a' }] });
  simulator.advance(2000);
  await terminate(ec2, [(await liveIds(ec2, id))[0]]);
  simulator.setKnobs({ capacity: [] });
  simulator.advance(600_000);
  t.is((await liveIds(ec2, id)).length, 3);
});

test('a fleet waits twice as long after each attempt that fell short, up to sixteen times', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { capacity: [{ count: 0 }], fleets: { launch_ms: 0, start_ms: 0, history_ms: 0 } },
  });
  const id = await openFleet(ec2, { units: 1, more: request });
  const attempts = async () =>
    (await eventsOf(ec2, id)).filter((event) => event === 'allLaunchSpecsTemporarilyBlacklisted').length;
  const seen: number[] = [await attempts()];
  for (const wait of [5000, 10_000, 20_000, 40_000, 80_000, 80_000]) {
    simulator.advance(wait - 1);
    seen.push(await attempts());
    simulator.advance(1);
    seen.push(await attempts());
  }
  t.deepEqual(seen, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7]);
});

test('the knob partial counts every attempt of a fleet as one call', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { partial: [{ action: 'CreateFleet', deliver: 2, times: 2 }] },
  });
  const id = await openFleet(ec2, { units: 9, more: request });
  simulator.advance(1000);
  t.is((await liveIds(ec2, id)).length, 2);
  simulator.advance(6000);
  t.is((await liveIds(ec2, id)).length, 4);
  simulator.advance(20_000);
  t.is((await liveIds(ec2, id)).length, 9);
});

test('a market without capacity does not delay the other market', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ market: 'spot', count: 0 }] } });
  const id = await openFleet(ec2, {
    target: {
      TotalTargetCapacity: 4,
      OnDemandTargetCapacity: 2,
      SpotTargetCapacity: 2,
      DefaultTargetCapacityType: 'spot',
    },
  });
  simulator.advance(5000);
  const before = await liveIds(ec2, id);
  t.is(before.length, 2);
  simulator.advance(100_000);
  await terminate(ec2, [before[0]]);
  simulator.advance(4000);
  t.is((await liveIds(ec2, id)).length, 2);
  simulator.setKnobs({ capacity: [] });
  simulator.advance(100_000);
  t.is((await liveIds(ec2, id)).length, 4);
});

test('an attempt may cost nothing and wait for nothing, and time still goes on', async (t) => {
  const never = { start_ms: 0, launch_ms: 0, retry_ms: 0, notice_ms: 0, modify_ms: 0 };
  const { ec2, simulator } = await openCloud(t, {
    knobs: { fleets: never, late_failures: [{ times: null, after_ms: 0 }] },
  });
  const dying = await openFleet(ec2, { units: 1 });
  const short = await openFleet(ec2, {
    units: 1,
    overrides: [{ InstanceType: 'p5.48xlarge', AvailabilityZone: 'us-east-1a' }],
  });
  simulator.advance(10_000);
  t.deepEqual(await liveIds(ec2, dying), []);
  t.deepEqual(await liveIds(ec2, short), []);
});
