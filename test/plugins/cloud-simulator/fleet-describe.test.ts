import {
  CreateTagsCommand,
  DeleteFleetsCommand,
  DescribeFleetHistoryCommand,
  DescribeFleetInstancesCommand,
  DescribeFleetsCommand,
  DescribeTagsCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { eventsOf, fleetOf, liveIds, listedIds, modify, openFleet, terminate } from './fleet-support.ts';
import { codeOf, openCloud } from './support.ts';

test('a fleet is described with the parameters of its creation', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const override = {
    InstanceType: 'c5.large' as const,
    SubnetId: 'subnet-a,subnet-b',
    WeightedCapacity: 2,
    Priority: 1,
    MaxPrice: '1.5',
    Placement: { GroupName: 'near' },
  };
  const ValidUntil = new Date(simulator.clock.now() + 3_600_000);
  const id = await openFleet(ec2, {
    token: 'one',
    target: { TotalTargetCapacity: 5, OnDemandTargetCapacity: 1, DefaultTargetCapacityType: 'spot' },
    overrides: [override],
    more: {
      SpotOptions: { AllocationStrategy: 'diversified', InstanceInterruptionBehavior: 'terminate' },
      OnDemandOptions: { AllocationStrategy: 'prioritized' },
      ExcessCapacityTerminationPolicy: 'no-termination',
      ReplaceUnhealthyInstances: true,
      TerminateInstancesWithExpiration: true,
      ValidUntil,
      TagSpecifications: [{ ResourceType: 'fleet', Tags: [{ Key: 'kind', Value: 'fleet' }] }],
    },
  });
  const fleet = await fleetOf(ec2, id);
  t.like(fleet, {
    Type: 'maintain',
    ClientToken: 'one',
    ExcessCapacityTerminationPolicy: 'no-termination',
    ReplaceUnhealthyInstances: true,
    TerminateInstancesWithExpiration: true,
    ValidUntil,
    Tags: [{ Key: 'kind', Value: 'fleet' }],
    TargetCapacitySpecification: {
      TotalTargetCapacity: 5,
      OnDemandTargetCapacity: 1,
      SpotTargetCapacity: 4,
      DefaultTargetCapacityType: 'spot',
    },
    SpotOptions: { AllocationStrategy: 'diversified', InstanceInterruptionBehavior: 'terminate' },
    OnDemandOptions: { AllocationStrategy: 'prioritized' },
  });
  t.is(fleet.LaunchTemplateConfigs?.[0]?.LaunchTemplateSpecification?.Version, '1');
  t.like(fleet.LaunchTemplateConfigs?.[0]?.Overrides?.[0], override);
  t.is(fleet.Instances, undefined);
  t.is(fleet.Errors, undefined);
});

test('fleets are listed without the instant ones, page by page and by their filters', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push(await openFleet(ec2, { units: n, more: { Type: 'maintain' } }));
  ids.push(
    await openFleet(ec2, { units: 1, more: { Type: 'request', ExcessCapacityTerminationPolicy: 'no-termination' } }),
  );
  const instant = await openFleet(ec2, { units: 1, more: { Type: 'instant' } });
  simulator.advance(2000);
  await ec2.send(new DeleteFleetsCommand({ FleetIds: [ids[1] ?? ''], TerminateInstances: true }));
  const list = async (filters: Record<string, string> = {}, more = {}) => {
    const Filters = Object.entries(filters).map(([Name, value]) => ({ Name, Values: [value] }));
    const { Fleets, NextToken } = await ec2.send(new DescribeFleetsCommand({ Filters, ...more }));
    return { ids: Fleets?.map((fleet) => fleet.FleetId ?? '') ?? [], NextToken };
  };
  t.deepEqual((await list()).ids, ids);
  const first = await list({}, { MaxResults: 3 });
  t.deepEqual(first.ids, ids.slice(0, 3));
  const second = await list({}, { MaxResults: 3, NextToken: first.NextToken });
  t.deepEqual([second.ids, second.NextToken], [ids.slice(3), undefined]);
  t.deepEqual((await list({ type: 'request' })).ids, [ids[3]]);
  t.deepEqual((await list({ 'fleet-state': 'deleted_terminating' })).ids, [ids[1]]);
  t.deepEqual((await list({ 'fleet-state': 'active', 'activity-status': 'fulfilled' })).ids, [ids[0], ids[2], ids[3]]);
  t.deepEqual((await list({ 'excess-capacity-termination-policy': 'no-termination' })).ids, [ids[3]]);
  t.deepEqual((await list({ 'replace-unhealthy-instances': 'true' })).ids, []);
  t.deepEqual((await list({ type: 'instant' }, { FleetIds: [instant, ids[0]] })).ids, [instant]);
  t.is(await codeOf(list({ 'tag:a': 'b' })), 'InvalidParameterValue');
});

test('the list of a fleet is as old as the knob says, for machines that come and that go', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { fleets: { stale_ms: 10_000 } } });
  const id = await openFleet(ec2, { units: 2 });
  simulator.advance(10_999);
  t.deepEqual(await listedIds(ec2, id), []);
  simulator.advance(1);
  const before = await liveIds(ec2, id);
  t.deepEqual(await listedIds(ec2, id), before);
  await terminate(ec2, [before[0]]);
  simulator.advance(12_999);
  t.deepEqual(await listedIds(ec2, id), before);
  simulator.advance(1000);
  const after = await liveIds(ec2, id);
  t.deepEqual(await listedIds(ec2, id), after);
  t.not(after[1], before[1]);
});

test('the machines of a fleet are listed by type, page by page, with their Spot requests', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { fleets: { stale_ms: 0 }, capacity: [{ instance_type: 'c5.large', count: 2 }] },
  });
  const id = await openFleet(ec2, {
    overrides: [{ InstanceType: 'c5.large' }, { InstanceType: 'm5.large' }],
    target: { TotalTargetCapacity: 5, DefaultTargetCapacityType: 'spot' },
  });
  simulator.advance(5000);
  const list = (more = {}) => ec2.send(new DescribeFleetInstancesCommand({ FleetId: id, ...more }));
  const all = await list();
  t.is(all.FleetId, id);
  t.is(all.ActiveInstances?.length, 5);
  t.true(
    all.ActiveInstances?.every(
      (one) => one.SpotInstanceRequestId?.startsWith('sir-') && one.InstanceHealth === 'healthy',
    ),
  );
  t.is((await list({ Filters: [{ Name: 'instance-type', Values: ['c5.large'] }] })).ActiveInstances?.length, 2);
  const first = await list({ MaxResults: 3 });
  const second = await list({ MaxResults: 3, NextToken: first.NextToken });
  t.deepEqual([...(first.ActiveInstances ?? []), ...(second.ActiveInstances ?? [])], all.ActiveInstances);
  simulator.setKnobs({ health: [{ instance_ids: [all.ActiveInstances?.[0]?.InstanceId ?? ''] }] });
  t.deepEqual(
    (await list()).ActiveInstances?.map((one) => one.InstanceHealth as string),
    ['unhealthy', 'healthy', 'healthy', 'healthy', 'healthy'],
  );
});

test('an instant fleet has no list of machines and no history', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { more: { Type: 'instant' } });
  t.is(await codeOf(listedIds(ec2, id)), 'UnsupportedOperation');
  simulator.advance(60_000);
  t.deepEqual(await eventsOf(ec2, id), []);
});

test('the history contains changes of the fleet, machines and failures, 30 seconds late, for two days', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ count: 1 }] } });
  const start = new Date(simulator.clock.now());
  const id = await openFleet(ec2, {
    units: 2,
    overrides: [{ InstanceType: 'm5.large', AvailabilityZone: 'us-east-1a' }],
  });
  simulator.advance(29_999);
  t.deepEqual(await eventsOf(ec2, id), []);
  simulator.setKnobs({ capacity: [] });
  simulator.advance(11_000);
  t.deepEqual(
    await eventsOf(ec2, id),
    ['submitted', 'active', 'launched', 'launchSpecTemporarilyBlacklisted', 'launchSpecTemporarilyBlacklisted']
      // The second attempt brought nothing at all.
      .concat('allLaunchSpecsTemporarilyBlacklisted'),
  );
  const history = async (more: object) =>
    ec2.send(new DescribeFleetHistoryCommand({ FleetId: id, StartTime: start, ...more } as never));
  const errors = await history({ EventType: 'service-error' });
  t.is(errors.HistoryRecords?.length, 3);
  t.regex(
    errors.HistoryRecords?.[0]?.EventInformation?.EventDescription ?? '',
    /Error Code: InsufficientInstanceCapacity/,
  );
  const machines = await history({ EventType: 'instance-change' });
  t.deepEqual(
    machines.HistoryRecords?.map((one) => one.EventInformation?.InstanceId),
    (await liveIds(ec2, id)).slice(0, 1),
  );
  t.deepEqual(machines.LastEvaluatedTime, new Date(simulator.clock.now() - 30_000));
  t.is(
    (await history({ EventType: 'fleet-change', StartTime: new Date(start.getTime() + 1) })).HistoryRecords?.length,
    1,
  );
  const first = await history({ MaxResults: 4 });
  t.is((await history({ MaxResults: 4, NextToken: first.NextToken })).HistoryRecords?.length, 2);
  t.is(await codeOf(history({ StartTime: undefined })), 'MissingParameter');
  simulator.advance(172_800_000);
  t.deepEqual(await eventsOf(ec2, id), []);
});

test('a new fleet is not visible by id, in a list or to a change', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { visible_ms: { fleet: 2000 } } });
  const tags = { TagSpecifications: [{ ResourceType: 'fleet' as const, Tags: [{ Key: 'a', Value: 'b' }] }] };
  const id = await openFleet(ec2, { token: 'one', more: tags });
  const tagged = async () => (await ec2.send(new DescribeTagsCommand({}))).Tags?.map((tag) => tag.ResourceId);
  t.is(await codeOf(fleetOf(ec2, id)), 'InvalidFleetId.NotFound');
  t.deepEqual(await tagged(), []);
  t.is(await codeOf(modify(ec2, id, 1)), 'InvalidFleetId.NotFound');
  t.is(await codeOf(listedIds(ec2, id)), 'InvalidFleetId.NotFound');
  t.deepEqual((await ec2.send(new DescribeFleetsCommand({}))).Fleets, []);
  const deleted = await ec2.send(new DeleteFleetsCommand({ FleetIds: [id], TerminateInstances: true }));
  t.is(deleted.UnsuccessfulFleetDeletions?.[0]?.Error?.Code, 'fleetIdDoesNotExist');
  t.is(await openFleet(ec2, { token: 'one', more: tags }), id);
  simulator.advance(2000);
  t.is((await fleetOf(ec2, id)).FleetId, id);
  t.true((await tagged())?.includes(id));
  t.is((await liveIds(ec2, id)).length, 3);
});

test('a fleet can be tagged afterwards', async (t) => {
  const { ec2 } = await openCloud(t);
  const id = await openFleet(ec2);
  await ec2.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'a', Value: 'b' }] }));
  t.deepEqual((await fleetOf(ec2, id)).Tags, [{ Key: 'a', Value: 'b' }]);
  const { Tags } = await ec2.send(new DescribeTagsCommand({ Filters: [{ Name: 'resource-id', Values: [id] }] }));
  t.is(Tags?.[0]?.ResourceType, 'fleet');
});
