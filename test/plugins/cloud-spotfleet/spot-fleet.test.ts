import test from 'ava';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';
import { fleetStage, ways } from '../cloud/fleet-support.ts';
import { prepared, stage } from '../cloud/support.ts';

const template = {
  template_id: 't',
  machine_types: { 'm5.large': 1, 'c5.large': 1 },
  subnet_ids: ['subnet-1'],
  price_type: 'spot',
};
const request = ways.find((way) => way.name === 'SpotFleet request') ?? ways[0];
const inputOf = async (cloud: Awaited<ReturnType<typeof stage>>, more: object) =>
  (await prepared(spotFleet, cloud, { machine_count: 4, template: { ...template, ...more } as any })).prepared.input;

test('the preparation contains all parameters of the call in the spelling of Spot Fleet', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const input = await inputOf(cloud, {
    price_type: 'mixed',
    percent_on_demand: 25,
    allocation_strategy: 'CAPACITY_OPTIMIZED',
    fleet_type: 'maintain',
    max_price: 0.5,
  });
  t.like(input, {
    Type: 'maintain',
    AllocationStrategy: 'capacityOptimized',
    OnDemandAllocationStrategy: 'lowestPrice',
    ExcessCapacityTerminationPolicy: 'noTermination',
    TerminateInstancesWithExpiration: false,
    TargetCapacity: 4,
    OnDemandTargetCapacity: 1,
    IamFleetRole: `arn:aws:iam::${await cloud.session.account(cloud.call)}:role/aws-service-role/spotfleet.amazonaws.com/AWSServiceRoleForEC2SpotFleet`,
  });
  t.regex(input.ClientToken, /^token/);
  t.deepEqual(
    input.TagSpecifications.map((each: { ResourceType: string }) => each.ResourceType),
    ['spot-fleet-request'],
  );
  t.is(input.LaunchTemplateConfigs[0].Overrides[0].SpotPrice, '0.5');
});

test('a template without a market gets Spot offers and Spot machines', async (t) => {
  const { price_type: _, ...unsaid } = template;
  t.deepEqual(
    spotFleet.offers?.(unsaid).map(({ market }) => market),
    ['spot', 'spot'],
  );
  if (!request) return t.fail();
  const fleet = await fleetStage(request, 2, unsaid);
  t.teardown(fleet.close);
  t.is(fleet.order.prepared.input.OnDemandTargetCapacity, 0);
  await fleet.launch();
  const { machines } = await fleet.settle();
  t.deepEqual(
    machines.map(({ market }) => market),
    ['spot', 'spot'],
  );
});

test('the role of a fleet is named in the template by its name or its ARN', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const account = await cloud.session.account(cloud.call);
  t.is((await inputOf(cloud, { fleet_role: 'fleets' })).IamFleetRole, `arn:aws:iam::${account}:role/fleets`);
  const arn = 'arn:aws:iam::999999999999:role/theirs';
  t.is((await inputOf(cloud, { fleet_role: arn })).IamFleetRole, arn);
});

test('a native specification replaces everything except counts, type, token and tags', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const native = {
    InstancePoolsToUseCount: 2,
    AllocationStrategy: 'lowestPrice',
    TargetCapacity: 99,
    Type: 'maintain',
    ClientToken: 'x',
  };
  for (const provider_api_spec of [native, { SpotFleetRequestConfig: native }]) {
    const input = await inputOf(cloud, { provider_api_spec });
    t.like(input, {
      InstancePoolsToUseCount: 2,
      AllocationStrategy: 'lowestPrice',
      TargetCapacity: 4,
      Type: 'request',
    });
    t.not(input.ClientToken, 'x');
  }
});

test('an expired fleet is settled with its machines and a shortfall, and its machines stay', async (t) => {
  if (!request) return t.fail();
  const fleet = await fleetStage(
    request,
    3,
    { ...template, spot_fleet_request_expiry: 5 },
    { capacity: [{ count: 1 }] },
  );
  t.teardown(fleet.close);
  await fleet.launch();
  fleet.simulator.advance(200_000);
  const before = await fleet.observe();
  t.false(before.settled);
  fleet.simulator.setKnobs({ capacity: [{ count: 1 }] });
  const after = await fleet.settle();
  t.is(after.machines.length, 2);
  t.true((after.shortfall?.length ?? 0) > 0);
  fleet.simulator.setKnobs({ capacity: [] });
  fleet.simulator.advance(1_000_000);
  t.is(fleet.live().length, 2);
});

for (const [region, partition] of [
  ['us-iso-east-1', 'aws-iso'],
  ['eusc-de-east-1', 'aws-eusc'],
] as const)
  test(`in ${region} the role of a fleet is named with the partition of the caller`, async (t) => {
    const cloud = await stage({ region });
    t.teardown(cloud.close);
    const order = await prepared(spotFleet, cloud, {
      template: { template_id: 't', machine_type: 'm5.large', subnet_ids: [`${region}a`], price_type: 'spot' },
    });
    t.true(order.prepared.input.IamFleetRole.startsWith(`arn:${partition}:iam::`));
    t.truthy(await spotFleet.launch(cloud.session, order, cloud.call));
  });
