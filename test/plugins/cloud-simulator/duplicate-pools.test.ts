import { ModifyFleetCommand, type FleetLaunchTemplateOverridesRequest } from '@aws-sdk/client-ec2';
import test from 'ava';
import { fleetTemplate, openFleet } from './fleet-support.ts';
import { createFleet, machines } from './instant-fleet-support.ts';
import { requestSpotFleet } from './spot-fleet-support.ts';
import { codeOf, openCloud, refusal } from './support.ts';

// The first two are in us-east-1c, the third is in us-east-1b.
const [one, two, elsewhere] = ['subnet-2', 'subnet-3', 'subnet-1'] as const;
const over = (...subnets: readonly string[]): FleetLaunchTemplateOverridesRequest[] =>
  subnets.map((SubnetId) => ({ InstanceType: 'm5.large', SubnetId }));

test('a fleet of any type refuses two subnets of one zone for the same type, and starts nothing', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  for (const call of [
    createFleet(ec2, { units: 1, overrides: over(one, two) }),
    openFleet(ec2, { overrides: over(one, two), more: { Type: 'request' } }),
    openFleet(ec2, { overrides: over(one, two) }),
    openFleet(ec2, { overrides: over(`${one},${two}`) }),
  ])
    t.like(await refusal(call), { code: 'InvalidFleetConfig', status: 400 });
  simulator.advance(60_000);
  t.deepEqual(simulator.ledger().untagged, []);
  t.truthy(await openFleet(ec2, { overrides: over(one, elsewhere) }));
});

test('a Spot fleet refuses them too, with templates and with launch specifications', async (t) => {
  const { ec2 } = await openCloud(t);
  const LaunchTemplateSpecification = { LaunchTemplateName: 'fleet', Version: '1' };
  const withTemplate = (...subnets: readonly string[]) => ({
    LaunchTemplateConfigs: [{ LaunchTemplateSpecification, Overrides: over(...subnets) as object[] }],
  });
  const withSpecifications = (...subnets: readonly string[]) => ({
    LaunchTemplateConfigs: undefined,
    LaunchSpecifications: subnets.map((SubnetId) => ({
      ImageId: 'ami-1',
      InstanceType: 'm5.large' as const,
      SubnetId,
    })),
  });
  for (const config of [withTemplate, withSpecifications]) {
    t.is(await codeOf(requestSpotFleet(ec2, config(one, two))), 'InvalidFleetConfig');
    t.truthy(await requestSpotFleet(ec2, config(one, elsewhere)));
  }
});

test('a fleet takes two subnets of one zone for different types, but no type twice without a place', async (t) => {
  const { ec2 } = await openCloud(t);
  const both: FleetLaunchTemplateOverridesRequest[] = [
    { InstanceType: 'm5.large', SubnetId: one },
    { InstanceType: 'c5.large', SubnetId: two },
  ];
  t.is((await machines(ec2, await createFleet(ec2, { units: 1, overrides: both }))).length, 1);
  const twice: FleetLaunchTemplateOverridesRequest[] = [{ InstanceType: 'm5.large' }, { InstanceType: 'm5.large' }];
  t.is(await codeOf(createFleet(ec2, { units: 1, overrides: twice })), 'InvalidFleetConfig');
});

test('attributes in two subnets of one zone are the same pool; a zone named twice is too', async (t) => {
  const { ec2 } = await openCloud(t);
  const InstanceRequirements = { VCpuCount: { Min: 2 }, MemoryMiB: { Min: 4096 } };
  const described = [one, two].map((SubnetId) => ({ InstanceRequirements, SubnetId }));
  t.is(await codeOf(createFleet(ec2, { units: 1, overrides: described })), 'InvalidFleetConfig');
  const zoned = [0, 1].map(() => ({ InstanceType: 'm5.large' as const, AvailabilityZone: 'us-east-1a' }));
  t.is(await codeOf(createFleet(ec2, { units: 1, overrides: zoned })), 'InvalidFleetConfig');
});

test('a change of a fleet refuses them as its creation does', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const FleetId = await openFleet(ec2);
  simulator.advance(5_000);
  const LaunchTemplateSpecification = { LaunchTemplateId: await fleetTemplate(ec2), Version: '1' };
  const call = ec2.send(
    new ModifyFleetCommand({
      FleetId,
      LaunchTemplateConfigs: [{ LaunchTemplateSpecification, Overrides: over(one, two) }],
      TargetCapacitySpecification: { TotalTargetCapacity: 3 },
    }),
  );
  t.is(await codeOf(call), 'InvalidFleetConfig');
});
