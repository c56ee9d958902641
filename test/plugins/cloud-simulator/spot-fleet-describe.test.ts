import {
  CancelSpotFleetRequestsCommand,
  CreateTagsCommand,
  DescribeSpotFleetInstancesCommand,
  DescribeSpotFleetRequestHistoryCommand,
  DescribeSpotFleetRequestsCommand,
  DescribeTagsCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { liveIds } from './fleet-support.ts';
import { requestSpotFleet, specification, spotFleetOf } from './spot-fleet-support.ts';
import { codeOf, openCloud } from './support.ts';

test('a cancellation keeps or ends the machines and returns the result of each request', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const kept = await requestSpotFleet(ec2);
  const ended = await requestSpotFleet(ec2);
  simulator.advance(5000);
  const nobody = 'sfr-00000000-0000-0000-0000-000000000000';
  const cancel = (ids: string[], TerminateInstances: boolean) =>
    ec2.send(new CancelSpotFleetRequestsCommand({ SpotFleetRequestIds: ids, TerminateInstances }));
  const without = await cancel([kept, 'nonsense', nobody], false);
  t.like(without.SuccessfulFleetRequests?.[0], {
    SpotFleetRequestId: kept,
    PreviousSpotFleetRequestState: 'active',
    CurrentSpotFleetRequestState: 'cancelled_running',
  });
  t.deepEqual(
    without.UnsuccessfulFleetRequests?.map((one) => one.Error?.Code as string),
    ['fleetRequestIdMalformed', 'fleetRequestIdDoesNotExist'],
  );
  const withMachines = await cancel([ended, kept], true);
  t.is(withMachines.SuccessfulFleetRequests?.[0]?.CurrentSpotFleetRequestState, 'cancelled_terminating');
  t.is(withMachines.UnsuccessfulFleetRequests?.[0]?.Error?.Code, 'fleetRequestNotInCancellableState');
  simulator.advance(60_000);
  t.is((await liveIds(ec2, kept)).length, 1);
  t.is((await liveIds(ec2, ended)).length, 0);
  t.is((await spotFleetOf(ec2, kept)).SpotFleetRequestState, 'cancelled_running');
  t.is((await spotFleetOf(ec2, ended)).SpotFleetRequestState, 'cancelled');
  t.deepEqual(simulator.ledger().spot_fleets, []);
  simulator.advance(172_800_000);
  t.is(await codeOf(spotFleetOf(ec2, ended)), 'InvalidSpotFleetRequestId.NotFound');
  t.is(
    await codeOf(
      cancel(
        Array.from({ length: 101 }, (_, n) => `sfr-${n}`),
        true,
      ),
    ),
    'InvalidParameterValue',
  );
});

test('Spot fleets are listed page by page, and not among the EC2 fleets', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { visible_ms: { fleet: 1000 } } });
  const ids = [await requestSpotFleet(ec2), await requestSpotFleet(ec2)];
  t.is(await codeOf(spotFleetOf(ec2, ids[0] ?? '')), 'InvalidSpotFleetRequestId.NotFound');
  t.is(await codeOf(spotFleetOf(ec2, 'sfr-1')), 'InvalidSpotFleetRequestId.Malformed');
  simulator.advance(1000);
  const list = async (more = {}) => ec2.send(new DescribeSpotFleetRequestsCommand({ MaxResults: 1, ...more }));
  const first = await list();
  const second = await list({ NextToken: first.NextToken });
  const both = [...(first.SpotFleetRequestConfigs ?? []), ...(second.SpotFleetRequestConfigs ?? [])];
  t.deepEqual(
    both.map((one) => one.SpotFleetRequestId),
    ids,
  );
  t.is(second.NextToken, undefined);
});

test('the list of machines is late, and so is the history, in the words of Spot fleets', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { fleets: { stale_ms: 3000, history_ms: 5000 } } });
  const id = await requestSpotFleet(ec2, {
    TargetCapacity: 2,
    SpotPrice: '0.000001',
    LaunchTemplateConfigs: undefined,
    LaunchSpecifications: specification,
  });
  const good = await requestSpotFleet(ec2);
  const list = async () =>
    (await ec2.send(new DescribeSpotFleetInstancesCommand({ SpotFleetRequestId: good }))).ActiveInstances?.map(
      (one) => one.InstanceId,
    );
  const events = async (
    fleet: string,
    EventType?: 'error' | 'information' | 'instanceChange' | 'fleetRequestChange',
  ) => {
    const found = await ec2.send(
      new DescribeSpotFleetRequestHistoryCommand({ SpotFleetRequestId: fleet, StartTime: new Date(0), EventType }),
    );
    return found.HistoryRecords?.map((record) => `${record.EventType} ${record.EventInformation?.EventSubType}`);
  };
  simulator.advance(3000);
  t.deepEqual(await list(), []);
  t.deepEqual(await events(good), []);
  simulator.advance(4000);
  t.deepEqual(await list(), await liveIds(ec2, good));
  t.deepEqual(await events(good), [
    'fleetRequestChange submitted',
    'fleetRequestChange active',
    'instanceChange launched',
  ]);
  t.deepEqual(await events(good, 'instanceChange'), ['instanceChange launched']);
  t.deepEqual(await events(id, 'information'), ['information launchSpecUnusable']);
  t.deepEqual(await events(id, 'error'), ['error allLaunchSpecsTemporarilyBlacklisted']);
});

test('a Spot fleet has tags of its own', async (t) => {
  const { ec2 } = await openCloud(t);
  const id = await requestSpotFleet(ec2, {
    TagSpecifications: [{ ResourceType: 'spot-fleet-request', Tags: [{ Key: 'a', Value: 'b' }] }],
  });
  await ec2.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'c', Value: 'd' }] }));
  t.deepEqual(
    (await spotFleetOf(ec2, id)).Tags?.map((tag) => `${tag.Key}=${tag.Value}`),
    ['a=b', 'c=d'],
  );
  const { Tags } = await ec2.send(new DescribeTagsCommand({ Filters: [{ Name: 'resource-id', Values: [id] }] }));
  t.is(Tags?.[0]?.ResourceType, 'spot-fleet-request');
});

test('the knob partial and the quotas apply to Spot fleets', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: {
      partial: [{ action: 'RequestSpotFleet', deliver: 1, times: 1 }],
      quotas: { fleets: 2, fleet_capacity: 10 },
    },
  });
  const id = await requestSpotFleet(ec2, { TargetCapacity: 4 });
  simulator.advance(1000);
  t.is((await liveIds(ec2, id)).length, 1);
  simulator.advance(6000);
  t.is((await liveIds(ec2, id)).length, 4);
  t.is(await codeOf(requestSpotFleet(ec2, { TargetCapacity: 7 })), 'MaxSpotFleetRequestCountExceeded');
  await requestSpotFleet(ec2);
  t.is(await codeOf(requestSpotFleet(ec2)), 'MaxSpotFleetRequestCountExceeded');
});
