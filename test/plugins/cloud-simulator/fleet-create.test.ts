import { CreateFleetCommand, CreateLaunchTemplateCommand, DeleteLaunchTemplateCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import {
  deleteFleet,
  type FleetAsk,
  fleetOf,
  fleetTemplate,
  liveIds,
  liveMachines,
  modify,
  openFleet,
} from './fleet-support.ts';
import { codeOf, openCloud } from './support.ts';

test('a replayed token gives the fleet that there is, even when its template is gone; other parameters are refused', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 2, token: 'one' });
  simulator.advance(5000);
  const template = await fleetTemplate(ec2);
  t.is(await codeOf(openFleet(ec2, { units: 3, token: 'one', template })), 'IdempotentParameterMismatch');
  await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId: template }));
  t.is(await openFleet(ec2, { units: 2, token: 'one', template }), id);
  simulator.advance(5000);
  t.is((await liveIds(ec2, id)).length, 2);
  t.deepEqual(simulator.ledger().launches, { one: 2 });
});

test('a fleet that is refused for its parameters does not pin its token', async (t) => {
  const { ec2 } = await openCloud(t);
  t.is(await codeOf(openFleet(ec2, { units: -1, token: 'one' })), 'InvalidParameterValue');
  t.truthy(await openFleet(ec2, { units: 1, token: 'one' }));
});

test('machines carry the tags of the template and of the fleet', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 1 });
  simulator.advance(1000);
  const [machine] = await liveMachines(ec2, id);
  const tags = new Map(machine?.Tags?.map((tag) => [tag.Key, tag.Value]));
  t.regex(tags.get('aws:ec2launchtemplate:id') ?? '', /^lt-/);
  t.is(tags.get('aws:ec2launchtemplate:version'), '1');
  t.deepEqual(
    new Map([...tags].filter(([key]) => !key?.startsWith('aws:ec2launchtemplate:'))),
    new Map([
      ['muster:request-id', 'req-1'],
      ['aws:ec2:fleet-id', id],
    ]),
  );
  t.is(machine?.ClientToken, undefined);
  t.deepEqual(simulator.ledger().live, { 'req-1': [machine?.InstanceId ?? ''] });
});

test('an override may list subnets, each of which is a pool', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { addresses: [{ subnet_id: 'subnet-a', count: 2 }] } });
  const id = await openFleet(ec2, {
    units: 5,
    overrides: [{ InstanceType: 'm5.large', SubnetId: 'subnet-a, subnet-b' }],
  });
  simulator.advance(1000);
  t.deepEqual(
    (await liveMachines(ec2, id)).map((one) => one.SubnetId),
    ['subnet-a', 'subnet-a', 'subnet-b', 'subnet-b', 'subnet-b'],
  );
});

test('both markets are filled to their parts, weights rounded up in each', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, {
    overrides: [{ InstanceType: 'c5.2xlarge', WeightedCapacity: 4 }],
    target: {
      TotalTargetCapacity: 10,
      OnDemandTargetCapacity: 5,
      SpotTargetCapacity: 5,
      DefaultTargetCapacityType: 'spot',
    },
  });
  simulator.advance(60_000);
  t.deepEqual((await liveMachines(ec2, id)).map((one) => one.InstanceLifecycle ?? 'on-demand').toSorted(), [
    'on-demand',
    'on-demand',
    'spot',
    'spot',
  ]);
  t.like(await fleetOf(ec2, id), { FulfilledCapacity: 16, FulfilledOnDemandCapacity: 8 });
});

test('the price of a Spot pool is that of a unit', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { prices: [{ market: 'spot', price: 0.4 }] } });
  const spot = { TotalTargetCapacity: 4, DefaultTargetCapacityType: 'spot' as const };
  const pool = (MaxPrice: string) => [{ InstanceType: 'c5.24xlarge' as const, WeightedCapacity: 4, MaxPrice }];
  const enough = await openFleet(ec2, { target: spot, overrides: pool('0.1') });
  const less = await openFleet(ec2, { target: spot, overrides: pool('0.09') });
  simulator.advance(1000);
  t.is((await liveIds(ec2, enough)).length, 1);
  t.is((await liveIds(ec2, less)).length, 0);
});

test('attributes stand for all types that have them, and the override is echoed as it came', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const InstanceRequirements = {
    VCpuCount: { Min: 2, Max: 2 },
    MemoryMiB: { Min: 4096, Max: 8192 },
    CpuManufacturers: ['intel' as const],
    ExcludedInstanceTypes: ['t*'],
  };
  const id = await openFleet(ec2, { units: 2, overrides: [{ InstanceRequirements, SubnetId: 'subnet-a,subnet-b' }] });
  simulator.advance(1000);
  const machines = await liveMachines(ec2, id);
  t.is(machines.length, 2);
  t.true(machines.every((one) => one.CpuOptions !== undefined && !one.InstanceType?.startsWith('t')));
  t.like(
    (await fleetOf(ec2, id)).LaunchTemplateConfigs?.[0]?.Overrides?.[0]?.InstanceRequirements,
    InstanceRequirements,
  );
});

test('attributes may stand in the template, and one error stands for all their types', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ market: 'spot', count: 0 }] } });
  const made = await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'attributes',
      LaunchTemplateData: {
        ImageId: 'ami-1',
        InstanceRequirements: { VCpuCount: { Min: 4, Max: 8 }, MemoryMiB: { Min: 8192 } },
      },
    }),
  );
  const fleet = await ec2.send(
    new CreateFleetCommand({
      Type: 'instant',
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: { LaunchTemplateId: made.LaunchTemplate?.LaunchTemplateId ?? '', Version: '1' },
        },
      ],
      TargetCapacitySpecification: { TotalTargetCapacity: 4, OnDemandTargetCapacity: 2, SpotTargetCapacity: 2 },
    }),
  );
  t.is(fleet.Instances?.[0]?.InstanceIds?.length, 2);
  t.truthy(fleet.Instances?.[0]?.InstanceType);
  t.deepEqual(
    fleet.Errors?.map((error) => error.ErrorCode),
    ['InsufficientInstanceCapacity'],
  );
  t.deepEqual(simulator.ledger().untagged.length, 2);
});

for (const [unit, least] of [['vcpu', 10] as const, ['memory-mib', 40_000] as const]) {
  test(`a target may count ${unit} where types are chosen by their attributes`, async (t) => {
    const { ec2, simulator } = await openCloud(t);
    const InstanceRequirements = { VCpuCount: { Min: 4, Max: 4 }, MemoryMiB: { Min: 16_384, Max: 16_384 } };
    const target = {
      TotalTargetCapacity: least,
      DefaultTargetCapacityType: 'on-demand' as const,
      TargetCapacityUnitType: unit,
    };
    const id = await openFleet(ec2, { target, overrides: [{ InstanceRequirements }] });
    simulator.advance(60_000);
    t.is((await liveIds(ec2, id)).length, 3);
    t.is((await fleetOf(ec2, id)).FulfilledCapacity, unit === 'vcpu' ? 12 : 49_152);
    t.is(
      await codeOf(openFleet(ec2, { target, overrides: [{ InstanceType: 'm5.xlarge' }] })),
      'InvalidParameterCombination',
    );
  });
}

test('quotas bound the number of fleets and their total capacity', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { quotas: { fleets: 2, fleet_capacity: 10 } } });
  const first = await openFleet(ec2, { units: 4 });
  t.is(await codeOf(openFleet(ec2, { units: 7 })), 'MaxFleetTargetCapacityExceeded');
  await openFleet(ec2, { units: 6 });
  t.is(await codeOf(openFleet(ec2, { units: 0 })), 'MaxFleetCountExceeded');
  t.truthy(await openFleet(ec2, { units: 50, more: { Type: 'instant' } }));
  simulator.advance(5000);
  t.is(await codeOf(modify(ec2, first, 5)), 'MaxFleetTargetCapacityExceeded');
  await deleteFleet(ec2, first, false);
  t.truthy(await openFleet(ec2, { units: 4 }));
});

const machineTag = [{ ResourceType: 'instance' as const, Tags: [{ Key: 'a', Value: 'b' }] }];
const invalid: readonly [what: string, ask: FleetAsk, code: string][] = [
  ['with tags for machines', { more: { TagSpecifications: machineTag } }, 'InvalidTagSpecification'],
  [
    'of type request with tags for machines',
    { more: { Type: 'request', TagSpecifications: machineTag } },
    'InvalidTagSpecification',
  ],
  ['of a single type', { more: { OnDemandOptions: { SingleInstanceType: true } } }, 'InvalidParameterCombination'],
  ['of a single zone', { more: { SpotOptions: { SingleAvailabilityZone: true } } }, 'InvalidParameterCombination'],
  ['with a least target', { more: { SpotOptions: { MinTargetCapacity: 1 } } }, 'InvalidParameterCombination'],
  [
    'from reservations',
    {
      more: { OnDemandOptions: { CapacityReservationOptions: { UsageStrategy: 'use-capacity-reservations-first' } } },
    },
    'InvalidParameterCombination',
  ],
  ['of type request and no units', { units: 0, more: { Type: 'request' } }, 'InvalidParameterValue'],
  ['of too many units', { units: 10_001 }, 'MaxFleetTargetCapacityExceeded'],
  [
    'of type request that replaces',
    { more: { Type: 'request', ReplaceUnhealthyInstances: true } },
    'InvalidParameterCombination',
  ],
  ['that has expired', { more: { ValidUntil: new Date(0) } }, 'InvalidParameterValue'],
  ['with an unknown template', { template: 'lt-00000000000000000' }, 'InvalidLaunchTemplateId.NotFound'],
  [
    'with type and attributes',
    {
      overrides: [
        { InstanceType: 'm5.large', InstanceRequirements: { VCpuCount: { Min: 1 }, MemoryMiB: { Min: 1 } } },
      ],
    },
    'InvalidParameterCombination',
  ],
];
for (const [what, ask, code] of invalid) {
  test(`a fleet ${what} is refused with ${code}`, async (t) => {
    const { ec2, simulator } = await openCloud(t);
    t.is(await codeOf(openFleet(ec2, ask)), code);
    t.deepEqual(simulator.ledger().fleets, []);
  });
}
