import type { SpotFleetRequestConfigData } from '@aws-sdk/client-ec2';
import test from 'ava';
import { fleetTemplate, liveIds, liveMachines, terminate } from './fleet-support.ts';
import { modifySpotFleet, requestSpotFleet, spotFleetOf } from './spot-fleet-support.ts';
import { codeOf, openCloud, refusal } from './support.ts';

test('a Spot fleet is submitted, then active, and brings Spot machines with its tag', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await requestSpotFleet(ec2, { TargetCapacity: 2, ClientToken: 'one' });
  t.regex(id, /^sfr-[0-9a-f-]{36}$/);
  t.like(await spotFleetOf(ec2, id), { SpotFleetRequestState: 'submitted', ActivityStatus: 'pending_fulfillment' });
  simulator.advance(1000);
  const machines = await liveMachines(ec2, id);
  t.deepEqual(
    machines.map((one) => one.InstanceLifecycle as string),
    ['spot', 'spot'],
  );
  t.true(machines[0]?.Tags?.some((tag) => tag.Key === 'muster:request-id'));
  t.like(await spotFleetOf(ec2, id), { SpotFleetRequestState: 'active', ActivityStatus: 'fulfilled' });
  t.like((await spotFleetOf(ec2, id)).SpotFleetRequestConfig, {
    FulfilledCapacity: 2,
    ClientToken: 'one',
    Type: 'maintain',
  });
  t.deepEqual(simulator.ledger().spot_fleets, [id]);
  t.deepEqual(simulator.ledger().fleets, []);
  t.deepEqual(simulator.ledger().launches, { one: 2 });
});

test('without a token each call makes a fleet; with one, replays give the first', async (t) => {
  const { ec2 } = await openCloud(t);
  t.not(await requestSpotFleet(ec2), await requestSpotFleet(ec2));
  const id = await requestSpotFleet(ec2, { ClientToken: 'one' });
  t.is(await requestSpotFleet(ec2, { ClientToken: 'one' }), id);
  t.is(await codeOf(requestSpotFleet(ec2, { ClientToken: 'one', TargetCapacity: 9 })), 'IdempotentParameterMismatch');
});

test('a machine that is terminated while the target stays comes back; in a one-time request it does not', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const maintain = await requestSpotFleet(ec2, { TargetCapacity: 2 });
  const once = await requestSpotFleet(ec2, { TargetCapacity: 2, Type: 'request' });
  simulator.advance(5000);
  await terminate(ec2, [(await liveIds(ec2, maintain))[0], (await liveIds(ec2, once))[0]]);
  simulator.advance(60_000);
  t.is((await liveIds(ec2, maintain)).length, 2);
  t.is((await liveIds(ec2, once)).length, 1);
});

test('lowering the target of a Spot fleet first, without termination, loses exactly the machine that is then terminated', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await requestSpotFleet(ec2, { TargetCapacity: 3 });
  simulator.advance(5000);
  const before = await liveIds(ec2, id);
  await modifySpotFleet(ec2, id, { TargetCapacity: 2, ExcessCapacityTerminationPolicy: 'noTermination' });
  t.is((await spotFleetOf(ec2, id)).SpotFleetRequestState, 'modifying');
  simulator.advance(1000);
  t.like((await spotFleetOf(ec2, id)).SpotFleetRequestConfig, {
    TargetCapacity: 2,
    ExcessCapacityTerminationPolicy: 'noTermination',
  });
  await terminate(ec2, [before[0]]);
  simulator.advance(600_000);
  t.deepEqual(await liveIds(ec2, id), before.slice(1));
});

test('terminating first and lowering the target before the Spot fleet has noticed loses two machines and brings one back', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await requestSpotFleet(ec2, { TargetCapacity: 3 });
  simulator.advance(5000);
  const before = await liveIds(ec2, id);
  await terminate(ec2, [before[0]]);
  await modifySpotFleet(ec2, id, { TargetCapacity: 2 });
  simulator.advance(1000);
  t.is((await liveIds(ec2, id)).length, 1);
  simulator.advance(60_000);
  t.is((await liveIds(ec2, id)).length, 2);
});

test('the on-demand part comes from the templates, stays when a change does not name it, and must fit the whole', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await requestSpotFleet(ec2, { TargetCapacity: 3, OnDemandTargetCapacity: 1 });
  simulator.advance(5000);
  t.deepEqual((await liveMachines(ec2, id)).map((one) => one.InstanceLifecycle ?? 'on-demand').toSorted(), [
    'on-demand',
    'spot',
    'spot',
  ]);
  const refused = await refusal(modifySpotFleet(ec2, id, { TargetCapacity: 0 }));
  t.deepEqual(
    [refused.code, refused.message],
    ['InvalidParameter', 'TargetCapacity (0) cannot be less than OnDemandTargetCapacity (1)'],
  );
  await modifySpotFleet(ec2, id, { TargetCapacity: 1 });
  simulator.advance(60_000);
  t.is((await liveMachines(ec2, id))[0]?.InstanceLifecycle, undefined);
});

test('a one-time request cannot be modified, nor any while it is modifying', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const once = await requestSpotFleet(ec2, { Type: 'request' });
  const id = await requestSpotFleet(ec2);
  simulator.advance(5000);
  t.is(await codeOf(modifySpotFleet(ec2, once, { TargetCapacity: 1 })), 'UnsupportedOperation');
  await modifySpotFleet(ec2, id, { TargetCapacity: 1 });
  t.is(await codeOf(modifySpotFleet(ec2, id, { TargetCapacity: 2 })), 'FleetNotInModifiableState');
});

test('launch specifications are pools of their own, with lists of subnets, weights and prices', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { addresses: [{ subnet_id: 'subnet-a', count: 1 }] } });
  const id = await requestSpotFleet(ec2, {
    TargetCapacity: 6,
    LaunchTemplateConfigs: undefined,
    LaunchSpecifications: [
      {
        ImageId: 'ami-1',
        InstanceType: 'c5.large',
        SubnetId: 'subnet-a, subnet-b',
        WeightedCapacity: 2,
        SecurityGroups: [{ GroupId: 'sg-7' }],
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'muster:request-id', Value: 'req-2' }] }],
      },
      { ImageId: 'ami-1', InstanceType: 'm5.large', SpotPrice: '0.000001' },
    ],
  });
  simulator.advance(1000);
  const machines = await liveMachines(ec2, id);
  t.deepEqual(
    machines.map((one) => [one.InstanceType as string, one.SubnetId, one.SecurityGroups?.[0]?.GroupId]),
    [
      ['c5.large', 'subnet-a', 'sg-7'],
      ['c5.large', 'subnet-b', 'sg-7'],
      ['c5.large', 'subnet-b', 'sg-7'],
    ],
  );
  t.is(simulator.ledger().live['req-2']?.length, 3);
  const config = (await spotFleetOf(ec2, id)).SpotFleetRequestConfig;
  t.is(config?.LaunchSpecifications?.[0]?.SubnetId, 'subnet-a, subnet-b');
  t.is(config?.LaunchSpecifications?.[0]?.SecurityGroups?.[0]?.GroupId, 'sg-7');
  t.is(config?.LaunchSpecifications?.[0]?.TagSpecifications?.[0]?.Tags?.[0]?.Value, 'req-2');
  t.is(config?.LaunchSpecifications?.[1]?.SpotPrice, '0.000001');
});

test('strategies have their own spelling', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const LaunchTemplateConfigs = [
    {
      LaunchTemplateSpecification: { LaunchTemplateId: await fleetTemplate(ec2), Version: '1' },
      Overrides: [
        { InstanceType: 'c5.large' as const, Priority: 2 },
        { InstanceType: 'm5.large' as const, Priority: 1 },
      ],
    },
  ];
  const types = async (config: Partial<SpotFleetRequestConfigData>) => {
    const id = await requestSpotFleet(ec2, { TargetCapacity: 2, LaunchTemplateConfigs, ...config });
    simulator.advance(1000);
    return (await liveMachines(ec2, id)).map((one) => one.InstanceType as string).toSorted();
  };
  t.deepEqual(await types({ AllocationStrategy: 'diversified' }), ['c5.large', 'm5.large']);
  t.deepEqual(await types({ AllocationStrategy: 'capacityOptimizedPrioritized' }), ['m5.large', 'm5.large']);
  t.deepEqual(await types({ OnDemandTargetCapacity: 2, OnDemandAllocationStrategy: 'prioritized' }), [
    'm5.large',
    'm5.large',
  ]);
  t.is(await codeOf(types({ AllocationStrategy: 'lowest-price' as 'lowestPrice' })), 'InvalidParameterValue');
});
