// What other emulators of EC2 are known to get wrong about EC2 fleets and Spot fleets, right here.
import {
  CancelSpotFleetRequestsCommand,
  CreateFleetCommand,
  type CreateFleetCommandInput,
  CreateLaunchTemplateCommand,
  DeleteFleetsCommand,
  DescribeFleetHistoryCommand,
  DescribeFleetInstancesCommand,
  DescribeFleetsCommand,
  DescribeInstancesCommand,
  DescribeSpotFleetInstancesCommand,
  DescribeSpotFleetRequestHistoryCommand,
  DescribeSpotFleetRequestsCommand,
  EC2Client,
  type FleetLaunchTemplateOverridesRequest,
  ModifyFleetCommand,
  ModifySpotFleetRequestCommand,
  RequestSpotFleetCommand,
  type TargetCapacitySpecificationRequest,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { type Cloud, codeOf, openCloud } from '../support.ts';

const role = 'arn:aws:iam::123456789012:role/aws-ec2-spot-fleet-tagging-role';
const named = { LaunchTemplateName: 'one', Version: '1' };
const cheap: FleetLaunchTemplateOverridesRequest = { InstanceType: 't3.micro', SubnetId: 'subnet-1', AvailabilityZone: 'us-east-1a' };
const dear: FleetLaunchTemplateOverridesRequest = { InstanceType: 'm5.large', SubnetId: 'subnet-2', AvailabilityZone: 'us-east-1b' };

async function cloudWithTemplate(...args: Parameters<typeof openCloud>): Promise<Cloud> {
  const cloud = await openCloud(...args);
  const LaunchTemplateData = { ImageId: 'ami-1', InstanceType: 't3.micro' } as const;
  await cloud.ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'one', LaunchTemplateData }));
  return cloud;
}

function fleet(
  type: 'instant' | 'request' | 'maintain',
  target: number,
  overrides = [cheap],
  more: Partial<CreateFleetCommandInput> = {},
): CreateFleetCommand {
  return new CreateFleetCommand({
    Type: type,
    LaunchTemplateConfigs: [{ LaunchTemplateSpecification: named, Overrides: overrides }],
    TargetCapacitySpecification: { TotalTargetCapacity: target, DefaultTargetCapacityType: 'on-demand' },
    ...more,
  });
}

const spotFleet = (target: number, more: object = {}) =>
  new RequestSpotFleetCommand({
    SpotFleetRequestConfig: {
      IamFleetRole: role,
      TargetCapacity: target,
      LaunchTemplateConfigs: [{ LaunchTemplateSpecification: named, Overrides: [{ InstanceType: 't3.micro', SubnetId: 'subnet-1' }] }],
      ...more,
    },
  });

/** Ids of the machines that live under a tag that AWS sets. */
async function living(ec2: EC2Client, tag: string, value: string): Promise<string[]> {
  const Filters = [
    { Name: `tag:${tag}`, Values: [value] },
    { Name: 'instance-state-name', Values: ['pending', 'running'] },
  ];
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ Filters }));
  return Reservations.flatMap((one) => one.Instances ?? []).map((one) => one.InstanceId ?? '');
}

const end = (ec2: EC2Client, InstanceIds: string[]) => ec2.send(new TerminateInstancesCommand({ InstanceIds }));
const target = (FleetId: string, TargetCapacitySpecification: TargetCapacitySpecificationRequest, more: object = {}) =>
  new ModifyFleetCommand({ FleetId, TargetCapacitySpecification, ...more });

test('an instant fleet tells all its machines, by pool, with the override that brought them', async (t) => {
  const { ec2 } = await cloudWithTemplate(t);
  const { Instances, Errors } = await ec2.send(fleet('instant', 3));
  t.is(Instances?.flatMap((one) => one.InstanceIds ?? []).length, 3);
  t.like(Instances?.[0], { InstanceType: 't3.micro', Lifecycle: 'on-demand' });
  t.like(Instances?.[0]?.LaunchTemplateAndOverrides?.Overrides, cheap);
  t.deepEqual(Errors, []);
});

test('machines and errors of pools stand side by side; no machine at all is a success with errors', async (t) => {
  const capacity = [
    { instance_type: 't3.micro', count: 1 },
    { instance_type: 'm5.large', count: 0 },
  ];
  const { ec2 } = await cloudWithTemplate(t, { knobs: { capacity } });
  const some = await ec2.send(fleet('instant', 3, [cheap, dear]));
  t.is(some.Instances?.flatMap((one) => one.InstanceIds ?? []).length, 1);
  t.deepEqual(
    some.Errors?.map((one) => [one.ErrorCode, one.LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone]),
    [
      ['InsufficientInstanceCapacity', 'us-east-1a'],
      ['InsufficientInstanceCapacity', 'us-east-1b'],
    ],
  );
  const none = await ec2.send(fleet('instant', 1, [dear]));
  t.deepEqual([none.Instances?.length, none.Errors?.length], [0, 1]);
});

test('weights are rounded up to whole machines', async (t) => {
  const { ec2 } = await cloudWithTemplate(t);
  const { Instances } = await ec2.send(fleet('instant', 5, [{ ...cheap, WeightedCapacity: 2 }]));
  t.is(Instances?.flatMap((one) => one.InstanceIds ?? []).length, 3);
});

test('MinTargetCapacity is all or nothing, and only for one type or one zone', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t, { knobs: { capacity: [{ count: 2 }] } });
  const options = { SingleInstanceType: true, MinTargetCapacity: 3 };
  const { Instances, Errors } = await ec2.send(fleet('instant', 3, [cheap], { OnDemandOptions: options }));
  t.deepEqual([Instances?.length, Errors?.length], [0, 1]);
  t.deepEqual(simulator.ledger().untagged, []);
  t.is(await codeOf(ec2.send(fleet('instant', 3, [cheap], { OnDemandOptions: { MinTargetCapacity: 3 } }))), 'InvalidParameterCombination');
});

test('a Spot price below the market brings no machine', async (t) => {
  const { ec2 } = await cloudWithTemplate(t);
  const spot = { TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'spot' } } as const;
  const { Instances, Errors } = await ec2.send(fleet('instant', 1, [{ ...cheap, MaxPrice: '0.0001' }], spot));
  t.deepEqual([Instances?.length, Errors?.[0]?.ErrorCode], [0, 'SpotMaxPriceTooLow']);
});

test('a missing template refuses the call, a subnet that is not there is an error of its pool', async (t) => {
  const { ec2 } = await cloudWithTemplate(t, { knobs: { strict_ids: false } });
  const missing = { LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName: 'none', Version: '1' } }] };
  t.is(await codeOf(ec2.send(fleet('instant', 1, [], missing))), 'InvalidLaunchTemplateName.NotFoundException');
  const { Errors } = await ec2.send(fleet('instant', 1, [{ ...cheap, SubnetId: 'nobodys' }]));
  t.is(Errors?.[0]?.ErrorCode, 'InvalidSubnetID.NotFound');
});

test('a replayed CreateFleet is the same fleet and starts nothing; other parameters are a mismatch', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t);
  const first = await ec2.send(fleet('instant', 2, [cheap], { ClientToken: 'f' }));
  const again = await ec2.send(fleet('instant', 2, [cheap], { ClientToken: 'f' }));
  t.is(again.FleetId, first.FleetId);
  t.is(simulator.ledger().launches['f'], 2);
  t.is(await codeOf(ec2.send(fleet('instant', 2, [dear], { ClientToken: 'f' }))), 'IdempotentParameterMismatch');
});

test('instant fleets are shown by id alone; others are listed, filtered and paged; unknown ids are told', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t);
  const { FleetId: instant = '' } = await ec2.send(fleet('instant', 1));
  for (const type of ['request', 'maintain', 'maintain'] as const) await ec2.send(fleet(type, 1));
  simulator.advance(60_000);
  const describe = async (input: object) => (await ec2.send(new DescribeFleetsCommand(input))).Fleets?.map((one) => one.Type);
  t.deepEqual((await describe({}))?.toSorted(), ['maintain', 'maintain', 'request']);
  t.deepEqual(await describe({ FleetIds: [instant] }), ['instant']);
  t.deepEqual(await describe({ Filters: [{ Name: 'type', Values: ['request'] }] }), ['request']);
  t.is((await describe({ MaxResults: 2 }))?.length, 2);
  t.is(await codeOf(describe({ FleetIds: ['fleet-01234567-89ab-cdef-0123-456789abcdef'] })), 'InvalidFleetId.NotFound');
});

test('machines of a fleet are told with their Spot request, those of an instant one are not told at all', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t);
  const TargetCapacitySpecification = { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'spot' } as const;
  const { FleetId = '' } = await ec2.send(fleet('maintain', 1, [cheap], { TargetCapacitySpecification }));
  const { FleetId: instant = '' } = await ec2.send(fleet('instant', 1));
  simulator.advance(60_000);
  const { ActiveInstances } = await ec2.send(new DescribeFleetInstancesCommand({ FleetId }));
  t.regex(ActiveInstances?.[0]?.SpotInstanceRequestId ?? '', /^sir-/);
  t.not(await codeOf(ec2.send(new DescribeFleetInstancesCommand({ FleetId: instant }))), '');
});

test('a fleet that maintains replaces what is ended by hand, and its machines carry its tag', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t);
  const { FleetId = '' } = await ec2.send(fleet('maintain', 2));
  simulator.advance(60_000);
  const [victim = ''] = await living(ec2, 'aws:ec2:fleet-id', FleetId);
  await end(ec2, [victim]);
  simulator.advance(60_000);
  const after = await living(ec2, 'aws:ec2:fleet-id', FleetId);
  t.deepEqual([after.length, after.includes(victim)], [2, false]);
});

test('a lower target without termination lets the caller choose; with it, before the fleet noticed, two machines go and one comes', async (t) => {
  for (const [policy, order] of [
    ['no-termination', 'modify first'],
    ['termination', 'end first'],
  ] as const) {
    const { simulator, ec2 } = await cloudWithTemplate(t);
    const { FleetId = '' } = await ec2.send(fleet('maintain', 3));
    simulator.advance(60_000);
    const before = await living(ec2, 'aws:ec2:fleet-id', FleetId);
    const [victim = ''] = before;
    const modify = target(FleetId, { TotalTargetCapacity: 2, OnDemandTargetCapacity: 2 }, { ExcessCapacityTerminationPolicy: policy });
    if (order === 'end first') await end(ec2, [victim]);
    await ec2.send(modify);
    simulator.advance(2000);
    if (order === 'modify first') await end(ec2, [victim]);
    simulator.advance(60_000);
    const after = await living(ec2, 'aws:ec2:fleet-id', FleetId);
    const kept = after.filter((id) => before.includes(id)).length;
    t.deepEqual([after.length, kept], order === 'modify first' ? [2, 2] : [2, 1], policy);
  }
});

test('only a fleet that maintains can be modified', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t);
  for (const type of ['instant', 'request'] as const) {
    const { FleetId = '' } = await ec2.send(fleet(type, 2));
    simulator.advance(60_000);
    await t.throwsAsync(ec2.send(target(FleetId, { TotalTargetCapacity: 1 })), { message: /modif|maintain/i });
  }
});

test('the target cannot fall below its On-Demand part', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t);
  const TargetCapacitySpecification = { TotalTargetCapacity: 2, OnDemandTargetCapacity: 1, DefaultTargetCapacityType: 'spot' } as const;
  const { FleetId = '' } = await ec2.send(fleet('maintain', 2, [cheap], { TargetCapacitySpecification }));
  simulator.advance(60_000);
  t.is(await codeOf(ec2.send(target(FleetId, { TotalTargetCapacity: 0 }))), 'InvalidParameter');
});

test('deleting tells each fleet its own result, and an instant one only with its machines', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t);
  const { FleetId: instant = '' } = await ec2.send(fleet('instant', 1));
  const { FleetId: kept = '' } = await ec2.send(fleet('maintain', 2));
  simulator.advance(60_000);
  const unknown = 'fleet-01234567-89ab-cdef-0123-456789abcdef';
  const result = await ec2.send(new DeleteFleetsCommand({ FleetIds: [instant, kept, unknown], TerminateInstances: false }));
  t.deepEqual(
    result.SuccessfulFleetDeletions?.map((one) => [one.FleetId, one.PreviousFleetState, one.CurrentFleetState]),
    [[kept, 'active', 'deleted_running']],
  );
  t.deepEqual(
    result.UnsuccessfulFleetDeletions?.map((one) => [one.FleetId, one.Error?.Code]),
    [
      [instant, 'NoTerminateInstancesNotSupported'],
      [unknown, 'fleetIdDoesNotExist'],
    ],
  );
  const members = await living(ec2, 'aws:ec2:fleet-id', kept);
  t.is(members.length, 2);
  await end(ec2, members);
  simulator.advance(60_000);
  t.deepEqual(await living(ec2, 'aws:ec2:fleet-id', kept), []);
});

test('what a fleet met can be read in its history, half a minute late', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t, { knobs: { capacity: [{ count: 0 }] } });
  const StartTime = new Date(simulator.clock.now());
  const { FleetId = '' } = await ec2.send(fleet('maintain', 1));
  const errors = async () =>
    (await ec2.send(new DescribeFleetHistoryCommand({ FleetId, StartTime, EventType: 'service-error' }))).HistoryRecords?.length ?? 0;
  simulator.advance(20_000);
  t.is(await errors(), 0);
  t.is((await ec2.send(new DescribeFleetsCommand({ FleetIds: [FleetId] }))).Fleets?.[0]?.ActivityStatus, 'error');
  simulator.advance(20_000);
  t.true((await errors()) > 0);
});

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
  const { SpotFleetRequestConfigs } = await ec2.send(new DescribeSpotFleetRequestsCommand({ SpotFleetRequestIds: [id] }));
  t.like(SpotFleetRequestConfigs?.[0], { SpotFleetRequestState: 'active', ActivityStatus: 'fulfilled' });
  t.like(SpotFleetRequestConfigs?.[0]?.SpotFleetRequestConfig, { Type: 'maintain', ClientToken: 'sf', TargetCapacity: 2 });
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
    const result = await ec2.send(new CancelSpotFleetRequestsCommand({ SpotFleetRequestIds: [id, unknown], TerminateInstances }));
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
    const { SpotFleetRequestConfigs } = await ec2.send(new DescribeSpotFleetRequestsCommand({ SpotFleetRequestIds: [id] }));
    t.is(SpotFleetRequestConfigs?.[0]?.SpotFleetRequestState, 'cancelled');
  }
});

test('a Spot fleet that maintains obeys its target and keeps a history', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t);
  const StartTime = new Date(simulator.clock.now());
  const { SpotFleetRequestId: id = '' } = await ec2.send(spotFleet(3));
  simulator.advance(60_000);
  await ec2.send(
    new ModifySpotFleetRequestCommand({ SpotFleetRequestId: id, TargetCapacity: 2, ExcessCapacityTerminationPolicy: 'noTermination' }),
  );
  simulator.advance(5000);
  const [victim = ''] = await living(ec2, 'aws:ec2spot:fleet-request-id', id);
  await end(ec2, [victim]);
  simulator.advance(60_000);
  t.is((await living(ec2, 'aws:ec2spot:fleet-request-id', id)).length, 2);
  const { HistoryRecords } = await ec2.send(new DescribeSpotFleetRequestHistoryCommand({ SpotFleetRequestId: id, StartTime }));
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
