// What other emulators of EC2 are known to get wrong about EC2 fleets, right here.
import {
  DeleteFleetsCommand,
  DescribeFleetHistoryCommand,
  DescribeFleetInstancesCommand,
  DescribeFleetsCommand,
  ModifyFleetCommand,
  type TargetCapacitySpecificationRequest,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf } from '../support.ts';
import { cheap, dear, cloudWithTemplate, fleet, living, end } from './fleet-rows.ts';

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
  t.is(
    await codeOf(ec2.send(fleet('instant', 3, [cheap], { OnDemandOptions: { MinTargetCapacity: 3 } }))),
    'InvalidParameterCombination',
  );
});

test('a Spot price below the market brings no machine', async (t) => {
  const { ec2 } = await cloudWithTemplate(t);
  const spot = { TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'spot' } } as const;
  const { Instances, Errors } = await ec2.send(fleet('instant', 1, [{ ...cheap, MaxPrice: '0.0001' }], spot));
  t.deepEqual([Instances?.length, Errors?.[0]?.ErrorCode], [0, 'SpotMaxPriceTooLow']);
});

test('a missing template and a subnet that is not there are errors of their pool', async (t) => {
  const { ec2 } = await cloudWithTemplate(t, { knobs: { strict_ids: false } });
  const missing = {
    LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName: 'none', Version: '1' } }],
  };
  const unseen = await ec2.send(fleet('instant', 1, [], missing));
  t.is(unseen.Errors?.[0]?.ErrorCode, 'InvalidLaunchTemplateName.NotFoundException');
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
  const describe = async (input: object) =>
    (await ec2.send(new DescribeFleetsCommand(input))).Fleets?.map((one) => one.Type);
  t.deepEqual((await describe({}))?.toSorted(), ['maintain', 'maintain', 'request']);
  t.deepEqual(await describe({ FleetIds: [instant] }), ['instant']);
  t.deepEqual(await describe({ Filters: [{ Name: 'type', Values: ['request'] }] }), ['request']);
  t.is((await describe({ MaxResults: 2 }))?.length, 2);
  t.is(
    await codeOf(describe({ FleetIds: ['fleet-01234567-89ab-cdef-0123-456789abcdef'] })),
    'InvalidFleetId.NotFound',
  );
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
    const modify = target(
      FleetId,
      { TotalTargetCapacity: 2, OnDemandTargetCapacity: 2 },
      { ExcessCapacityTerminationPolicy: policy },
    );
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
  const TargetCapacitySpecification = {
    TotalTargetCapacity: 2,
    OnDemandTargetCapacity: 1,
    DefaultTargetCapacityType: 'spot',
  } as const;
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
  const result = await ec2.send(
    new DeleteFleetsCommand({ FleetIds: [instant, kept, unknown], TerminateInstances: false }),
  );
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

test('the history of a fleet has its errors, 30 seconds late', async (t) => {
  const { simulator, ec2 } = await cloudWithTemplate(t, { knobs: { capacity: [{ count: 0 }] } });
  const StartTime = new Date(simulator.clock.now());
  const { FleetId = '' } = await ec2.send(fleet('maintain', 1));
  const errors = async () =>
    (await ec2.send(new DescribeFleetHistoryCommand({ FleetId, StartTime, EventType: 'service-error' })))
      .HistoryRecords?.length ?? 0;
  simulator.advance(20_000);
  t.is(await errors(), 0);
  t.is((await ec2.send(new DescribeFleetsCommand({ FleetIds: [FleetId] }))).Fleets?.[0]?.ActivityStatus, 'error');
  simulator.advance(20_000);
  t.true((await errors()) > 0);
});
