import {
  type LaunchTemplateOverrides,
  type MixedInstancesPolicy,
  SetDesiredCapacityCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import test from 'ava';
import { onDemandPart } from '../../../plugins/cloud-simulator/groups/launch/market-shares.ts';
import { openGroups, tally } from './groups-support.ts';
import { codeOf, refusal } from './support.ts';

test('a mixed group has its base and its percentage On-Demand, and the rest Spot', async (t) => {
  const { autoScaling, create, live, settle } = await openGroups(t);
  const markets = async () =>
    tally([...(await live()).values()].map((machine) => machine.InstanceLifecycle ?? 'on-demand'));
  await create('web', {
    DesiredCapacity: 7,
    MixedInstancesPolicy: policy([{ InstanceType: 'm5.large' }], {
      OnDemandBaseCapacity: 2,
      OnDemandPercentageAboveBaseCapacity: 20,
    }),
  });
  settle();
  t.deepEqual(await markets(), { 'on-demand': 3, spot: 4 });
  const resize = (DesiredCapacity: number) =>
    autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'web', DesiredCapacity }));
  await resize(12);
  settle();
  t.deepEqual(await markets(), { 'on-demand': 4, spot: 8 });
  await resize(2);
  settle();
  t.deepEqual(await markets(), { 'on-demand': 2 });
});

test('the policy of a mixed group is shown, and an update changes only what it names of it', async (t) => {
  const { autoScaling, create, show, templateId } = await openGroups(t);
  const overrides = [
    { InstanceType: 'm5.large', WeightedCapacity: '2' },
    { InstanceType: 'c5.large', WeightedCapacity: '1' },
  ];
  await create('web', { MixedInstancesPolicy: policy(overrides, { OnDemandBaseCapacity: 1, SpotMaxPrice: '0.5' }) });
  await autoScaling.send(
    new UpdateAutoScalingGroupCommand({
      AutoScalingGroupName: 'web',
      MixedInstancesPolicy: { InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 0 } },
    }),
  );
  t.like((await show('web'))?.MixedInstancesPolicy, {
    LaunchTemplate: {
      LaunchTemplateSpecification: { LaunchTemplateId: templateId, LaunchTemplateName: 'pool', Version: '1' },
      Overrides: overrides,
    },
    InstancesDistribution: {
      OnDemandAllocationStrategy: 'prioritized',
      OnDemandBaseCapacity: 1,
      OnDemandPercentageAboveBaseCapacity: 0,
      SpotAllocationStrategy: 'lowest-price',
      SpotInstancePools: 2,
      SpotMaxPrice: '0.5',
    },
  });
});

test('On-Demand machines come from the first override with room', async (t) => {
  const { create, members, settle } = await openGroups(t, {
    knobs: { capacity: [{ instance_type: 'm5.large', count: 1 }] },
  });
  await create('web', {
    DesiredCapacity: 6,
    MixedInstancesPolicy: policy([{ InstanceType: 'm5.large' }, { InstanceType: 'c5.large' }], {}),
  });
  settle();
  t.deepEqual(tally((await members('web')).map((one) => one.InstanceType)), { 'c5.large': 3, 'm5.large': 3 });
});

test('a low maximum price keeps Spot machines away', async (t) => {
  const { activities, create, live, settle } = await openGroups(t);
  await create('web', {
    DesiredCapacity: 2,
    MixedInstancesPolicy: policy([{ InstanceType: 'm5.large' }], {
      OnDemandBaseCapacity: 1,
      OnDemandPercentageAboveBaseCapacity: 0,
      SpotMaxPrice: '0.001',
    }),
  });
  settle();
  t.is((await live()).size, 1);
  t.true((await activities('web')).some((one) => /price of 0\.001/.test(one.StatusMessage ?? '')));
});

test('a mixed group names the code of the fleet that failed, and a group with a template alone does not', async (t) => {
  const { activities, create, settle, template } = await openGroups(t, { knobs: { capacity: [{ count: 0 }] } });
  const scarce = await template('scarce', { ImageId: 'ami-1', InstanceType: 'p5.48xlarge' });
  const reasons = async (name: string) => (await activities(name)).map((one) => one.StatusMessage ?? '');
  await create('mixed', {
    DesiredCapacity: 1,
    MixedInstancesPolicy: policy([{ InstanceType: 'p5.48xlarge' }], {}),
    AvailabilityZones: ['us-east-1a'],
  });
  await create('plain', {
    DesiredCapacity: 1,
    LaunchTemplate: { LaunchTemplateId: scarce, Version: '1' },
    AvailabilityZones: ['us-east-1a'],
  });
  settle();
  t.regex((await reasons('mixed'))[0] ?? '', /^Could not launch On-Demand Instances\. InvalidFleetConfiguration - /);
  t.regex((await reasons('plain'))[0] ?? '', /^Your requested instance type \(p5\.48xlarge\) is not supported/);
});

test('weighted groups count units and overshoot by less than one machine', async (t) => {
  const { autoScaling, create, members, settle, show } = await openGroups(t);
  const weighted = policy([{ InstanceType: 'm5.xlarge', WeightedCapacity: '4' }], {});
  await create('web', { DesiredCapacity: 9, MixedInstancesPolicy: weighted });
  settle();
  const now = await members('web');
  t.is(now.length, 3);
  t.is(now[0]?.WeightedCapacity, '4');
  t.deepEqual(tally(now.map((one) => one.AvailabilityZone)), { 'us-east-1a': 1, 'us-east-1b': 1, 'us-east-1c': 1 });
  await autoScaling.send(
    new TerminateInstanceInAutoScalingGroupCommand({
      InstanceId: now[0]?.InstanceId ?? '',
      ShouldDecrementDesiredCapacity: true,
    }),
  );
  t.is((await show('web'))?.DesiredCapacity, 5);
  settle();
  t.is((await members('web')).length, 2);
});

test('what the On-Demand part of a weighted group overshoots is taken off its Spot part', async (t) => {
  const { activities, create, settle } = await openGroups(t);
  const half = { OnDemandBaseCapacity: 1, OnDemandPercentageAboveBaseCapacity: 50 };
  await create('web', {
    DesiredCapacity: 4,
    MixedInstancesPolicy: policy([{ InstanceType: 'm5.xlarge', WeightedCapacity: '4' }], half),
  });
  settle();
  t.deepEqual(
    (await activities('web')).map((one) => one.StatusCode as string),
    ['Successful'],
  );
});

test('overrides may have a template of their own, or describe their machines', async (t) => {
  const { create, live, members, settle, template } = await openGroups(t);
  await template('other', { ImageId: 'ami-07e3', InstanceType: 't3.micro' });
  await create('own', {
    DesiredCapacity: 1,
    MixedInstancesPolicy: policy(
      [{ InstanceType: 'm5.large', LaunchTemplateSpecification: { LaunchTemplateName: 'other', Version: '1' } }],
      {},
    ),
  });
  await create('described', {
    DesiredCapacity: 2,
    MixedInstancesPolicy: policy(
      [
        {
          InstanceRequirements: {
            VCpuCount: { Min: 2, Max: 2 },
            MemoryMiB: { Min: 8192, Max: 8192 },
            AllowedInstanceTypes: ['m5*'],
          },
        },
      ],
      {},
    ),
  });
  settle();
  const [own] = await members('own');
  t.is((await live()).get(own?.InstanceId ?? '')?.ImageId, 'ami-07e3');
  t.is(own?.LaunchTemplate?.LaunchTemplateName, 'other');
  const described = await members('described');
  t.is(described.length, 2);
  t.true(described.every((one) => one.InstanceType?.startsWith('m5')));
});

test('a group of one template may be Spot by its template, a mixed one may not', async (t) => {
  const { create, live, settle, template } = await openGroups(t);
  await template('spot', {
    ImageId: 'ami-1',
    InstanceType: 't3.micro',
    InstanceMarketOptions: { MarketType: 'spot' },
  });
  await create('web', { DesiredCapacity: 1, LaunchTemplate: { LaunchTemplateName: 'spot', Version: '1' } });
  settle();
  t.is([...(await live()).values()][0]?.InstanceLifecycle, 'spot');
  const mixed = { LaunchTemplate: { LaunchTemplateSpecification: { LaunchTemplateName: 'spot', Version: '1' } } };
  t.regex((await refusal(create('mixed', { MixedInstancesPolicy: mixed }))).message, /Incompatible launch template/);
});

const invalid: readonly [
  what: string,
  overrides: LaunchTemplateOverrides[],
  distribution: MixedInstancesPolicy['InstancesDistribution'],
][] = [
  [
    'weights for some types only',
    [{ InstanceType: 'm5.large', WeightedCapacity: '1' }, { InstanceType: 'c5.large' }],
    {},
  ],
  ['a weight of none', [{ InstanceType: 'm5.large', WeightedCapacity: '0' }], {}],
  ['a percentage above 100', [], { OnDemandPercentageAboveBaseCapacity: 101 }],
  ['an unknown strategy', [], { SpotAllocationStrategy: 'diversified' }],
  ['an unknown type', [{ InstanceType: 'x9.huge' }], {}],
  ['more than forty overrides', Array.from({ length: 41 }, (_, index) => ({ InstanceType: `m5.${index}` })), {}],
];
for (const [what, overrides, distribution] of invalid) {
  test(`a mixed group with ${what} is refused`, async (t) => {
    const { create } = await openGroups(t);
    t.is(
      await codeOf(create('web', { MixedInstancesPolicy: policy(overrides, distribution ?? {}) })),
      'ValidationError',
    );
  });
}

const parts: readonly [base: number, percentage: number, total: number, onDemand: number][] = [
  [0, 100, 5, 5],
  [0, 0, 5, 0],
  [2, 0, 1, 1],
  [2, 0, 5, 2],
  [2, 20, 7, 3],
  [0, 50, 5, 3],
];
for (const [base, percentage, total, onDemand] of parts) {
  test(`of ${total} units with base ${base} and ${percentage} percent ${onDemand} are On-Demand`, (t) => {
    t.is(onDemandPart({ base, percentage }, total), onDemand);
  });
}

function policy(
  Overrides: LaunchTemplateOverrides[],
  InstancesDistribution: MixedInstancesPolicy['InstancesDistribution'],
): MixedInstancesPolicy {
  return {
    LaunchTemplate: { LaunchTemplateSpecification: { LaunchTemplateName: 'pool', Version: '1' }, Overrides },
    InstancesDistribution,
  };
}
