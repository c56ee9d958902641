// What other emulators of EC2 are known to get wrong about Spot fleets, right here.
import {
  CancelSpotFleetRequestsCommand,
  DescribeSpotFleetInstancesCommand,
  DescribeSpotFleetRequestHistoryCommand,
  DescribeSpotFleetRequestsCommand,
  EC2Client,
  ModifySpotFleetRequestCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { named, cloudWithTemplate, spotFleet, living, end } from './fleet-rows.ts';

test('a Spot fleet tells its type, token and state, uses all its pools, and tags its machines', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t);
  const Overrides = ['t3.micro', 'm5.large'].map((InstanceType) => ({ InstanceType, SubnetId: 'subnet-1' }));
  const { SpotFleetRequestId: id = '' } = await ec2.send(
    spotFleet(2, {
      AllocationStrategy: 'diversified',
      ClientToken: 'sf',
      LaunchTemplateConfigs: [{ LaunchTemplateSpecification: named, Overrides }],
    }),
  );
  simulator.advance(60_000);
  const { SpotFleetRequestConfigs } = await ec2.send(
    new DescribeSpotFleetRequestsCommand({ SpotFleetRequestIds: [id] }),
  );
  t.like(SpotFleetRequestConfigs?.[0], { SpotFleetRequestState: 'active', ActivityStatus: 'fulfilled' });
  t.like(SpotFleetRequestConfigs?.[0]?.SpotFleetRequestConfig, {
    Type: 'maintain',
    ClientToken: 'sf',
    TargetCapacity: 2,
  });
  const { ActiveInstances } = await ec2.send(new DescribeSpotFleetInstancesCommand({ SpotFleetRequestId: id }));
  t.deepEqual(ActiveInstances?.map((one) => one.InstanceType).toSorted(), ['m5.large', 't3.micro']);
  t.is((await living(ec2, 'aws:ec2spot:fleet-request-id', id)).length, 2);
});

test('a cancelled Spot fleet keeps or ends its machines as it was told, stays describable, and its machines can be ended', async (t) => {
  for (const TerminateInstances of [false, true]) {
    const { simulator, ec2 } = await cloudWithTemplate(t);
    const { SpotFleetRequestId: id = '' } = await ec2.send(spotFleet(2));
    simulator.advance(60_000);
    const unknown = 'sfr-01234567-89ab-cdef-0123-456789abcdef';
    const result = await ec2.send(
      new CancelSpotFleetRequestsCommand({ SpotFleetRequestIds: [id, unknown], TerminateInstances }),
    );
    t.is(
      result.SuccessfulFleetRequests?.[0]?.CurrentSpotFleetRequestState,
      TerminateInstances ? 'cancelled_terminating' : 'cancelled_running',
    );
    t.is(result.UnsuccessfulFleetRequests?.[0]?.Error?.Code, 'fleetRequestIdDoesNotExist');
    simulator.advance(60_000);
    const left = await living(ec2, 'aws:ec2spot:fleet-request-id', id);
    t.is(left.length, TerminateInstances ? 0 : 2);
    if (left.length > 0) await end(ec2, left);
    simulator.advance(60_000);
    const { SpotFleetRequestConfigs } = await ec2.send(
      new DescribeSpotFleetRequestsCommand({ SpotFleetRequestIds: [id] }),
    );
    t.is(SpotFleetRequestConfigs?.[0]?.SpotFleetRequestState, 'cancelled');
  }
});

test('a Spot fleet that maintains obeys its target and keeps a history', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t);
  const StartTime = new Date(simulator.clock.now());
  const { SpotFleetRequestId: id = '' } = await ec2.send(spotFleet(3));
  simulator.advance(60_000);
  await ec2.send(
    new ModifySpotFleetRequestCommand({
      SpotFleetRequestId: id,
      TargetCapacity: 2,
      ExcessCapacityTerminationPolicy: 'noTermination',
    }),
  );
  simulator.advance(5000);
  const [victim = ''] = await living(ec2, 'aws:ec2spot:fleet-request-id', id);
  await end(ec2, [victim]);
  simulator.advance(60_000);
  t.is((await living(ec2, 'aws:ec2spot:fleet-request-id', id)).length, 2);
  const { HistoryRecords } = await ec2.send(
    new DescribeSpotFleetRequestHistoryCommand({ SpotFleetRequestId: id, StartTime }),
  );
  t.true((HistoryRecords?.length ?? 0) > 3);
});

test('a Spot fleet whose answer is lost is made twice by the default retry without a token, and once with one', async (t) => {
  for (const [ClientToken, fleets] of [
    [undefined, 2],
    ['mine', 1],
  ] as const) {
    const { simulator } = await cloudWithTemplate(t);
    simulator.setKnobs({ faults: [{ action: 'RequestSpotFleet', effect: 'execute', ['then']: 'drop' }] });
    const credentials = { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' };
    const patient = new EC2Client({ endpoint: simulator.url, region: 'us-east-1', credentials });
    t.teardown(() => patient.destroy());
    await patient.send(spotFleet(1, { ClientToken }));
    t.is(simulator.ledger().spot_fleets.length, fleets);
  }
});
