import {
  CreateLaunchTemplateCommand,
  DeleteFleetsCommand,
  DescribeFleetsCommand,
  type FleetLaunchTemplateOverridesRequest,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { type Ask, createFleet, groups, machines } from './instant-fleet-support.ts';
import { codeOf, openCloud } from './support.ts';

const two: FleetLaunchTemplateOverridesRequest[] = [
  { InstanceType: 'm5.large', SubnetId: 'subnet-a', AvailabilityZone: 'us-east-1a' },
  { InstanceType: 'c5.large', SubnetId: 'subnet-b', AvailabilityZone: 'us-east-1b' },
];

test('an instant fleet answers with machines and errors side by side, one error for each pool', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { capacity: [{ instance_type: 'c5.large', count: 2 }] } });
  const fleet = await createFleet(ec2, { units: 5, overrides: two });
  t.deepEqual(groups(fleet), [
    ['c5.large', 'on-demand', 2],
    ['m5.large', 'on-demand', 3],
  ]);
  t.is(fleet.Errors?.length, 1);
  t.is(fleet.Errors?.[0]?.ErrorCode, 'InsufficientInstanceCapacity');
  t.like(fleet.Errors?.[0]?.LaunchTemplateAndOverrides?.Overrides, {
    InstanceType: 'c5.large',
    SubnetId: 'subnet-b',
    AvailabilityZone: 'us-east-1b',
  });
  t.is(fleet.Errors?.[0]?.LaunchTemplateAndOverrides?.LaunchTemplateSpecification?.Version, '1');
});

test('a fleet that finds no capacity at all is a 200 with errors only', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { capacity: [{ count: 0 }] } });
  const fleet = await createFleet(ec2, { units: 5, overrides: two });
  t.deepEqual(fleet.Instances, []);
  t.is(fleet.Errors?.length, 2);
  t.truthy(fleet.FleetId);
});

test('machines of a fleet carry the tags of template, call and fleet, and no token of the call', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const fleet = await createFleet(ec2, {
    units: 1,
    token: 'one',
    tags: [
      { ResourceType: 'instance', Tags: [{ Key: 'muster:request-id', Value: 'req-1' }] },
      { ResourceType: 'fleet', Tags: [{ Key: 'kind', Value: 'fleet' }] },
    ],
  });
  const [machine] = await machines(ec2, fleet);
  const tags = new Map(machine?.Tags?.map((tag) => [tag.Key, tag.Value]));
  t.deepEqual(
    tags,
    new Map([
      ['from', 'template'],
      ['muster:request-id', 'req-1'],
      ['aws:ec2launchtemplate:id', tags.get('aws:ec2launchtemplate:id')],
      ['aws:ec2launchtemplate:version', '1'],
      ['aws:ec2:fleet-id', fleet.FleetId],
    ]),
  );
  t.is(machine?.ClientToken, undefined);
  t.deepEqual(simulator.ledger().live, { 'req-1': [machine?.InstanceId ?? ''] });
  t.deepEqual(simulator.ledger().launches, { one: 1 });
  const { Fleets } = await ec2.send(new DescribeFleetsCommand({ FleetIds: [fleet.FleetId ?? ''] }));
  t.deepEqual(Fleets?.[0]?.Tags, [{ Key: 'kind', Value: 'fleet' }]);
});

test('units are rounded up to whole machines by weight, and price is compared per unit', async (t) => {
  const { ec2 } = await openCloud(t);
  const overrides = [
    { InstanceType: 'm5.large' as const, WeightedCapacity: 1 },
    { InstanceType: 'c5.2xlarge' as const, WeightedCapacity: 4 },
  ];
  const fleet = await createFleet(ec2, { units: 9, overrides });
  t.deepEqual(groups(fleet), [['c5.2xlarge', 'on-demand', 3]]);
  const { Fleets } = await ec2.send(new DescribeFleetsCommand({ FleetIds: [fleet.FleetId ?? ''] }));
  t.is(Fleets?.[0]?.FulfilledCapacity, 12);
});

test('the target is split between on-demand and Spot, the rest is of the default type', async (t) => {
  const { ec2 } = await openCloud(t);
  const fleet = await createFleet(ec2, {
    overrides: two,
    target: { TotalTargetCapacity: 5, OnDemandTargetCapacity: 2, DefaultTargetCapacityType: 'spot' },
  });
  t.deepEqual(
    groups(fleet).map(([, lifecycle, count]) => [lifecycle, count]),
    [
      ['on-demand', 2],
      ['spot', 3],
    ],
  );
  t.is((await machines(ec2, fleet)).filter((one) => one.InstanceLifecycle === 'spot').length, 3);
});

test('prioritized takes the lowest number first, diversified takes from every pool', async (t) => {
  const { ec2 } = await openCloud(t);
  const overrides = [
    { InstanceType: 'c5.large' as const, Priority: 2 },
    { InstanceType: 'm5.large' as const, Priority: 1 },
  ];
  const prioritized = await createFleet(ec2, {
    units: 2,
    overrides,
    more: { OnDemandOptions: { AllocationStrategy: 'prioritized' } },
  });
  t.deepEqual(groups(prioritized), [['m5.large', 'on-demand', 2]]);
  const diversified = await createFleet(ec2, {
    overrides,
    target: { TotalTargetCapacity: 5, DefaultTargetCapacityType: 'spot' },
    more: { SpotOptions: { AllocationStrategy: 'diversified' } },
  });
  t.deepEqual(
    groups(diversified)
      .map(([, , count]) => count)
      .toSorted(),
    [2, 3],
  );
});

test('MinTargetCapacity is all or nothing and needs a single type or zone', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: {
      capacity: [
        { instance_type: 'c5.large', count: 2 },
        { instance_type: 'm5.large', count: 3 },
      ],
    },
  });
  const ask = (least: number, options = {}) =>
    createFleet(ec2, {
      units: 5,
      overrides: two,
      more: { OnDemandOptions: { MinTargetCapacity: least, ...options } },
    });
  t.is(await codeOf(ask(5)), 'InvalidParameterCombination');
  const none = await ask(5, { SingleInstanceType: true });
  t.deepEqual(none.Instances, []);
  t.true((none.Errors?.length ?? 0) > 0);
  t.is(simulator.ledger().untagged.length, 0);
  t.deepEqual(groups(await ask(3, { SingleInstanceType: true })), [['m5.large', 'on-demand', 3]]);
});

test('a pool that cannot be launched is an error of that pool, the others deliver', async (t) => {
  const { ec2 } = await openCloud(t);
  const fleet = await createFleet(ec2, {
    units: 2,
    overrides: [
      { InstanceType: 'p5.48xlarge', AvailabilityZone: 'us-east-1a' },
      { InstanceType: 'x9.huge' as 'm5.large' },
      { InstanceType: 'm5.large' },
    ],
    more: { OnDemandOptions: { AllocationStrategy: 'prioritized' } },
  });
  t.deepEqual(groups(fleet), [['m5.large', 'on-demand', 2]]);
  t.deepEqual(
    fleet.Errors?.map((error) => error.ErrorCode),
    ['InvalidParameterValue', 'InvalidFleetConfiguration'],
  );
});

test('a tag specification for Spot requests makes only the on-demand part fail', async (t) => {
  const { ec2 } = await openCloud(t);
  const fleet = await createFleet(ec2, {
    target: {
      TotalTargetCapacity: 2,
      OnDemandTargetCapacity: 1,
      SpotTargetCapacity: 1,
      DefaultTargetCapacityType: 'spot',
    },
    tags: [{ ResourceType: 'spot-instances-request', Tags: [{ Key: 'a', Value: 'b' }] }],
  });
  t.deepEqual(groups(fleet), [['t3.micro', 'spot', 1]]);
  t.deepEqual(
    fleet.Errors?.map((error) => [error.Lifecycle as string, error.ErrorCode]),
    [['on-demand', 'InvalidParameterValue']],
  );
});

test('an override puts a template with a network interface into its subnet', async (t) => {
  const { ec2 } = await openCloud(t);
  const LaunchTemplateData = {
    ImageId: 'ami-1',
    InstanceType: 't3.micro' as const,
    NetworkInterfaces: [{ DeviceIndex: 0, Groups: ['sg-9'] }],
  };
  const made = await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'eni', LaunchTemplateData }));
  const fleet = await createFleet(ec2, {
    units: 1,
    template: made.LaunchTemplate?.LaunchTemplateId,
    overrides: [{ SubnetId: 'subnet-z' }],
  });
  const [machine] = await machines(ec2, fleet);
  t.is(machine?.SubnetId, 'subnet-z');
  t.is(machine?.SecurityGroups?.[0]?.GroupId, 'sg-9');
});

test('a replayed token starts nothing: the fleet id alone comes back, or all of it', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const first = await createFleet(ec2, { units: 2, token: 'one' });
  const again = await createFleet(ec2, { units: 2, token: 'one' });
  t.is(again.FleetId, first.FleetId);
  t.is(again.Instances, undefined);
  simulator.setKnobs({ tokens: { fleet_replay: 'full' } });
  t.deepEqual(groups(await createFleet(ec2, { units: 2, token: 'one' })), groups(first));
  t.is(await codeOf(createFleet(ec2, { units: 3, token: 'one' })), 'IdempotentParameterMismatch');
  t.deepEqual(simulator.ledger().launches, { one: 2 });
});

test('instant fleets are shown only to those who name them', async (t) => {
  const { ec2 } = await openCloud(t);
  const fleet = await createFleet(ec2, { units: 1 });
  t.deepEqual((await ec2.send(new DescribeFleetsCommand({}))).Fleets, []);
  const { Fleets } = await ec2.send(new DescribeFleetsCommand({ FleetIds: [fleet.FleetId ?? ''] }));
  t.like(Fleets?.[0], { Type: 'instant', FleetState: 'active', ActivityStatus: 'fulfilled' });
  t.deepEqual(Fleets?.[0]?.Instances?.[0]?.InstanceIds, fleet.Instances?.[0]?.InstanceIds);
  t.is(await codeOf(ec2.send(new DescribeFleetsCommand({ FleetIds: ['fleet-1'] }))), 'InvalidFleetId.Malformed');
  t.is(
    await codeOf(ec2.send(new DescribeFleetsCommand({ FleetIds: ['fleet-00000000-0000-0000-0000-000000000000'] }))),
    'InvalidFleetId.NotFound',
  );
});

test('deleting an instant fleet terminates its machines and requires their termination', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = (await createFleet(ec2, { units: 2 })).FleetId ?? '';
  t.deepEqual(simulator.ledger().fleets, [id]);
  const keep = await ec2.send(
    new DeleteFleetsCommand({
      FleetIds: [id, 'nonsense', 'fleet-00000000-0000-0000-0000-000000000000'],
      TerminateInstances: false,
    }),
  );
  t.deepEqual(
    keep.UnsuccessfulFleetDeletions?.map((one) => one.Error?.Code as string),
    ['NoTerminateInstancesNotSupported', 'fleetIdMalformed', 'fleetIdDoesNotExist'],
  );
  const kill = await ec2.send(new DeleteFleetsCommand({ FleetIds: [id], TerminateInstances: true }));
  t.like(kill.SuccessfulFleetDeletions?.[0], {
    FleetId: id,
    PreviousFleetState: 'active',
    CurrentFleetState: 'deleted_terminating',
  });
  t.deepEqual(simulator.ledger().untagged, []);
  simulator.advance(1000);
  t.is((await ec2.send(new DescribeFleetsCommand({ FleetIds: [id] }))).Fleets?.[0]?.FleetState, 'deleted');
  simulator.advance(172_800_000);
  t.is(await codeOf(ec2.send(new DescribeFleetsCommand({ FleetIds: [id] }))), 'InvalidFleetId.NotFound');
});

test('the knob partial lets a fleet deliver only so many machines', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { partial: [{ action: 'CreateFleet', deliver: 2, times: 1 }] } });
  const short = await createFleet(ec2, { units: 5, overrides: two });
  t.is(
    groups(short).reduce((sum, [, , count]) => sum + count, 0),
    2,
  );
  t.is(short.Errors?.[0]?.ErrorCode, 'InsufficientInstanceCapacity');
  t.is(
    groups(await createFleet(ec2, { units: 5, overrides: two })).reduce((sum, [, , count]) => sum + count, 0),
    5,
  );
});

const invalid: readonly [what: string, ask: Ask, code: string][] = [
  ['without a version', { units: 1, version: undefined }, 'MissingParameter'],
  ['of no units', { units: 0 }, 'InvalidParameterValue'],
  [
    'whose on-demand part is larger than the whole',
    { target: { TotalTargetCapacity: 1, OnDemandTargetCapacity: 2 } },
    'InvalidParameter',
  ],
  [
    'of two subnets in one override',
    { units: 1, overrides: [{ SubnetId: 'subnet-a,subnet-b' }] },
    'InvalidParameterValue',
  ],
  ['without templates', { units: 1, more: { LaunchTemplateConfigs: [] } }, 'MissingParameter'],
];
for (const [what, ask, code] of invalid) {
  test(`a fleet ${what} is refused with ${code}`, async (t) => {
    const { ec2, simulator } = await openCloud(t);
    t.is(await codeOf(createFleet(ec2, ask)), code);
    t.deepEqual(simulator.ledger().untagged, []);
  });
}

const missing: readonly [what: string, ask: Ask, code: string][] = [
  ['version', { units: 1, version: '9' }, 'InvalidLaunchTemplateId.VersionNotFound'],
  ['template', { units: 1, template: 'lt-00000000000000000' }, 'InvalidLaunchTemplateId.NotFound'],
];
for (const [what, ask, code] of missing) {
  test(`an unknown ${what} is an error of each pool, with a fleet; the knob missing_template refuses the call`, async (t) => {
    const { ec2, simulator } = await openCloud(t);
    const overrides = [{ InstanceType: 'm5.large' as const }, { InstanceType: 'c5.large' as const }];
    const { FleetId, Instances, Errors } = await createFleet(ec2, { ...ask, overrides });
    t.truthy(FleetId);
    t.deepEqual(Instances, []);
    t.deepEqual(
      Errors?.map((error) => [error.ErrorCode, error.LaunchTemplateAndOverrides?.Overrides?.InstanceType]),
      [
        [code, 'm5.large'],
        [code, 'c5.large'],
      ],
    );
    simulator.setKnobs({ fleets: { missing_template: 'refused' } } as any);
    t.is(await codeOf(createFleet(ec2, ask)), code);
    t.deepEqual(simulator.ledger().untagged, []);
  });
}

test('a fleet that did not see its template has used its token, also once the template is visible', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { visible_ms: { version: 5_000 } as any } });
  const ask = { units: 1, token: 'first' };
  const code = 'InvalidLaunchTemplateId.VersionNotFound';
  const first = await createFleet(ec2, ask);
  t.is(first.Errors?.[0]?.ErrorCode, code);
  simulator.advance(5_000);
  simulator.setKnobs({ tokens: { fleet_replay: 'full' } } as any);
  const again = await createFleet(ec2, ask);
  t.deepEqual([again.FleetId, again.Errors?.[0]?.ErrorCode], [first.FleetId, code]);
  t.is((await createFleet(ec2, { ...ask, token: 'second' })).Instances?.length, 1);
});

test('by knobs, a replay of a fleet that started nothing makes another attempt; one that started machines never does', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { visible_ms: { version: 5_000 } as any } });
  simulator.setKnobs({ tokens: { unseen_replay: 'execute', fleet_replay: 'full' } } as any);
  const unseen = { units: 1, token: 'unseen' };
  const { FleetId } = await createFleet(ec2, unseen);
  simulator.advance(5_000);
  const executed = await createFleet(ec2, unseen);
  t.not(executed.FleetId, FleetId);
  t.is(executed.Instances?.length, 1);
  t.is((await createFleet(ec2, unseen)).FleetId, executed.FleetId);

  simulator.setKnobs({ capacity: [{ count: 0 }] });
  const full = { units: 1, token: 'full' };
  t.deepEqual((await createFleet(ec2, full)).Instances, []);
  simulator.setKnobs({ capacity: [] });
  t.deepEqual((await createFleet(ec2, full)).Instances, []);
  simulator.setKnobs({ tokens: { failed_replay: 'execute' } } as any);
  t.is((await createFleet(ec2, full)).Instances?.length, 1);
  t.deepEqual(simulator.ledger().launches, { unseen: 1, full: 1 });
});

const six: FleetLaunchTemplateOverridesRequest[] = [
  't3.micro',
  't3.small',
  't3.medium',
  't3.large',
  'm5.large',
  'c5.large',
].map((name) => ({ InstanceType: name as 'm5.large', AvailabilityZone: 'us-east-1a' }));
const prioritized = { OnDemandOptions: { AllocationStrategy: 'prioritized' } } as const;

test('an instant fleet gives up after three pools that are short, and reports UnfulfillableCapacity for pools that it never tried', async (t) => {
  const short = six.slice(0, 5).map(({ InstanceType = '' }) => ({ instance_type: InstanceType, count: 0 }));
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: short } });
  const codes = async () => {
    const { Errors = [], Instances = [] } = await createFleet(ec2, { units: 1, overrides: six, more: prioritized });
    return [...Errors.map(({ ErrorCode }) => ErrorCode), ...Instances.map(({ InstanceType }) => InstanceType)];
  };
  const lacking = Array.from({ length: 3 }, () => 'InsufficientInstanceCapacity');
  t.deepEqual(await codes(), [...lacking, ...Array.from({ length: 3 }, () => 'UnfulfillableCapacity')]);
  simulator.setKnobs({ fleets: { instant_tries: null } });
  t.deepEqual(await codes(), [...lacking, 'InsufficientInstanceCapacity', 'InsufficientInstanceCapacity', 'c5.large']);
});
