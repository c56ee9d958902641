import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  DescribeSubnetsCommand,
  type EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import fc from 'fast-check';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { fits } from '../../../plugins/cloud-simulator/pattern.ts';
import { codeOf, launch, openCloud, refusal } from './support.ts';
import { tries } from '../../support/variants.ts';

const spot = (MaxPrice?: string) => ({
  InstanceMarketOptions: { MarketType: 'spot' as const, SpotOptions: { MaxPrice } },
});
const inZone = (AvailabilityZone: string) => ({ Placement: { AvailabilityZone } });

test('the code of a capacity rule is what a caller meets, alone and in the errors of a fleet', async (t) => {
  const knobs: KnobChange = {
    capacity: [
      { count: 0, code: 'InsufficientHostCapacity' },
      { zone: 'us-east-1b', count: 0 },
    ],
  };
  const { ec2 } = await openCloud(t, { knobs });
  t.like(await refusal(ec2.send(launch(inZone('us-east-1a')))), { code: 'InsufficientHostCapacity', status: 500 });
  t.is(await codeOf(ec2.send(launch(inZone('us-east-1b')))), 'InsufficientInstanceCapacity');
  t.deepEqual(await fleetErrors(ec2, 1, ['m5.large'], 'us-east-1a'), ['InsufficientHostCapacity']);
});

test('a capacity rule of one region, or of a while, leaves the others alone', async (t) => {
  const { ec2, client, simulator } = await openCloud(t, {
    knobs: { capacity: [{ count: 0, region: 'us-east-1', from_ms: 1000, until_ms: 2000 }] },
  });
  const here = () => ec2.send(launch());
  await t.notThrowsAsync(here());
  simulator.advance(1000);
  t.is(await codeOf(here()), 'InsufficientInstanceCapacity');
  await t.notThrowsAsync(client({ region: 'eu-west-1' }).send(launch()));
  simulator.advance(1000);
  await t.notThrowsAsync(here());
});

test('the price of a pool follows the last rule that matches, and decides over an offer', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: {
      prices: [
        { market: 'spot', price: 2 },
        { market: 'spot', zone: 'us-east-1b', price: 0.5 },
      ],
    },
  });
  const ask = (price: string, zone: string) => ec2.send(launch({ ...spot(price), ...inZone(zone) }));
  t.is(await codeOf(ask('1', 'us-east-1a')), 'SpotMaxPriceTooLow');
  await t.notThrowsAsync(ask('1', 'us-east-1b'));
  t.is(await codeOf(ask('0.4', 'us-east-1b')), 'SpotMaxPriceTooLow');
  // Without an offer the on-demand price is the bound.
  t.is(await codeOf(ec2.send(launch({ ...spot(), ...inZone('us-east-1a') }))), 'SpotMaxPriceTooLow');
  await t.notThrowsAsync(ec2.send(launch(inZone('us-east-1a'))));
  simulator.setKnobs({ prices: [] });
  await t.notThrowsAsync(ask('1', 'us-east-1a'));
});

test('a fleet takes the pool that is cheapest by the knob', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const types = ['m5.large', 'c5.large'];
  const cheapest = async () => (await fleet(ec2, 1, types, 'us-east-1a')).Instances?.[0]?.InstanceType;
  t.is(await cheapest(), 'c5.large');
  simulator.setKnobs({ prices: [{ instance_type: 'm5.large', price: 0.01 }] });
  t.is(await cheapest(), 'm5.large');
});

test('a rise of the price ends no running Spot machine', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await ec2.send(launch({ ...spot('1'), MaxCount: 2 }));
  simulator.setKnobs({ prices: [{ market: 'spot', price: 9 }] });
  simulator.advance(3_600_000);
  t.is(simulator.ledger().untagged.length, 2);
});

test('the addresses of a subnet can be bounded, and DescribeSubnets counts what is left', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { addresses: [{ subnet_id: 'subnet-small', count: 3 }] } });
  const left = async (subnet: string) =>
    (await ec2.send(new DescribeSubnetsCommand({ SubnetIds: [subnet] }))).Subnets?.[0]?.AvailableIpAddressCount;
  t.is(await left('subnet-small'), 3);
  const { Instances } = await ec2.send(launch({ SubnetId: 'subnet-small', MaxCount: 5 }));
  t.is(Instances?.length, 3);
  t.is(await left('subnet-small'), 0);
  t.is(await codeOf(ec2.send(launch({ SubnetId: 'subnet-small' }))), 'InsufficientFreeAddressesInSubnet');
  await t.notThrowsAsync(ec2.send(launch({ SubnetId: 'subnet-other' })));
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [Instances?.[0]?.InstanceId ?? ''] }));
  simulator.advance(1000);
  t.is(await left('subnet-small'), 1);
});

test('On-Demand launches stop at the vCPU quota of account and region, in part where that is allowed', async (t) => {
  const { ec2, client, simulator } = await openCloud(t, { knobs: { quotas: { on_demand_vcpus: 10 } } });
  // m5.large has two vCPUs, so five fit.
  const first = await ec2.send(launch({ InstanceType: 'm5.large', MaxCount: 3 }));
  const second = await ec2.send(launch({ InstanceType: 'm5.large', MinCount: 1, MaxCount: 3 }));
  t.deepEqual([first.Instances?.length, second.Instances?.length], [3, 2]);
  const full = await refusal(ec2.send(launch({ InstanceType: 'm5.large' })));
  t.is(full.code, 'VcpuLimitExceeded');
  t.is(full.status, 400);
  t.regex(full.message, /limit of 10/);
  await t.notThrowsAsync(ec2.send(launch({ ...spot(), InstanceType: 'm5.large' })));
  await t.notThrowsAsync(client({ region: 'eu-west-1' }).send(launch({ InstanceType: 'm5.large' })));
  await t.notThrowsAsync(client({ key: 'AKIATEST0002' }).send(launch({ InstanceType: 'm5.large' })));
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [first.Instances?.[0]?.InstanceId ?? ''] }));
  await t.notThrowsAsync(ec2.send(launch({ InstanceType: 'm5.large' })));
  simulator.setKnobs({ quotas: { on_demand_vcpus: null } });
  await t.notThrowsAsync(ec2.send(launch({ InstanceType: 'm5.large', MinCount: 50, MaxCount: 50 })));
});

test('Spot launches stop at the quota of Spot machines', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { quotas: { spot_machines: 2 } } });
  t.is((await ec2.send(launch({ ...spot(), MaxCount: 5 }))).Instances?.length, 2);
  t.like(await refusal(ec2.send(launch(spot()))), { code: 'MaxSpotInstanceCountExceeded', status: 400 });
  await t.notThrowsAsync(ec2.send(launch({ MaxCount: 5 })));
});

test('the pools of a fleet share a quota, and its errors carry the code of the quota', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { quotas: { on_demand_vcpus: 6 } } });
  const { Instances, Errors } = await fleet(ec2, 5, ['m5.large', 'c5.large'], 'us-east-1a');
  t.is(Instances?.flatMap((one) => one.InstanceIds ?? []).length, 3);
  t.deepEqual(
    Errors?.map((error) => error.ErrorCode),
    ['VcpuLimitExceeded', 'VcpuLimitExceeded'],
  );
  t.is(simulator.ledger().untagged.length, 3);
});

test('two subnets of one zone share the places of a pool', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { capacity: [{ count: 3 }] } });
  const Placement = { AvailabilityZone: 'us-east-1a' };
  await ec2.send(launch({ SubnetId: 'subnet-one', Placement, MaxCount: 2 }));
  await ec2.send(launch({ SubnetId: 'subnet-two', Placement, MaxCount: 10 }));
  t.is(simulator.ledger().untagged.length, 3);
});

test('launches and terminations never exceed a bound of capacity', async (t) => {
  const step = fc.record({
    type: fc.constantFrom('m5.large', 'm5.xlarge', 'c5.large'),
    zone: fc.constantFrom('us-east-1a', 'us-east-1b'),
    spot: fc.boolean(),
    count: fc.integer({ min: 1, max: 6 }),
    end: fc.integer({ min: 0, max: 3 }),
  });
  const vcpus: Readonly<Record<string, number>> = { 'm5.large': 2, 'm5.xlarge': 4, 'c5.large': 2 };
  const { simulator, ec2 } = await openCloud(t, {
    knobs: { capacity: [{ count: 5 }], quotas: { on_demand_vcpus: 20, spot_machines: 7 } },
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      simulator.reset();
      let live: { id: string; type: string; zone: string; spot: boolean }[] = [];
      for (const { type, zone, spot: onSpot, count, end } of steps) {
        const call = launch({
          InstanceType: type as 'm5.large',
          ...inZone(zone),
          ...(onSpot ? spot() : {}),
          MaxCount: count,
        });
        const made = await ec2.send(call).then(
          (result) => result.Instances ?? [],
          () => [],
        );
        live.push(...made.map((one) => ({ id: one.InstanceId ?? '', type, zone, spot: onSpot })));
        const pools = Map.groupBy(live, (one) => `${one.type}/${one.zone}/${one.spot}`);
        for (const members of pools.values()) t.true(members.length <= 5);
        t.true(live.filter((one) => one.spot).length <= 7);
        const used = live.filter((one) => !one.spot).reduce((sum, one) => sum + (vcpus[one.type] ?? 0), 0);
        t.true(used <= 20);
        const gone = live.slice(0, end).map((one) => one.id);
        if (gone.length > 0) await ec2.send(new TerminateInstancesCommand({ InstanceIds: gone }));
        simulator.advance(1000);
        live = live.slice(end);
      }
    }),
    { numRuns: tries(12, 50), seed: 7 },
  );
});

test('names in a rule may contain wildcards', (t) => {
  const table: readonly [pattern: string | undefined, value: string, fits: boolean][] = [
    [undefined, 'us-east-1a', true],
    ['*', 'us-east-1a', true],
    ['us-east-1a', 'us-east-1a', true],
    ['us-east-1a', 'us-east-1b', false],
    ['*a', 'eu-west-1a', true],
    ['*a', 'eu-west-1b', false],
    ['m5.*', 'm5.large', true],
    ['m5.*', 'm5xlarge', false],
    ['eu-*-1?', 'eu-west-1a', false],
  ];
  for (const [pattern, value, expected] of table) t.is(fits(pattern, value), expected, `${pattern} ${value}`);
});

async function template(ec2: EC2Client): Promise<string | undefined> {
  const { LaunchTemplate } = await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: `pool-${Math.random()}`,
      LaunchTemplateData: { ImageId: 'ami-1' },
    }),
  );
  return LaunchTemplate?.LaunchTemplateId;
}

async function fleet(ec2: EC2Client, units: number, types: readonly string[], AvailabilityZone: string) {
  const LaunchTemplateId = await template(ec2);
  return ec2.send(
    new CreateFleetCommand({
      Type: 'instant',
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: { LaunchTemplateId, Version: '1' },
          Overrides: types.map((type) => ({ InstanceType: type as 'm5.large', AvailabilityZone })),
        },
      ],
      TargetCapacitySpecification: { TotalTargetCapacity: units, DefaultTargetCapacityType: 'on-demand' },
    }),
  );
}

async function fleetErrors(
  ec2: EC2Client,
  units: number,
  types: readonly string[],
  zone: string,
): Promise<(string | undefined)[]> {
  return (await fleet(ec2, units, types, zone)).Errors?.map((error) => error.ErrorCode) ?? [];
}
