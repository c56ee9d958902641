import test from 'ava';
import { asg } from '../../../plugins/cloud-asg/index.ts';

const fine = { template_id: 't', image_id: 'ami-1', machine_type: 'm5.large', subnet_ids: ['subnet-1'] };
const attributes = {
  machine_type: undefined,
  instance_requirements: { VCpuCount: { Min: 2 }, MemoryMiB: { Min: 4096 } },
};
const found = (more: object): string[] =>
  (asg.review?.({ ...fine, ...more } as any) ?? []).map(({ level, path }) => `${level} ${path}`);

const cases: readonly (readonly [string, object, readonly string[]])[] = [
  ['a plain template', {}, []],
  [
    'weights, priorities, markets and strategies',
    {
      machine_type: undefined,
      machine_types: { 'm5.large': 1, 'm5.xlarge': 2 },
      machine_types_priority: { 'm5.large': 1, 'm5.xlarge': 2 },
      price_type: 'mixed',
      percent_on_demand: 20,
      allocation_strategy: 'capacity_optimized_prioritized',
      allocation_strategy_on_demand: 'Prioritized',
      max_price: 1,
    },
    [],
  ],
  ['attributes', { ...attributes, price_type: 'spot' }, []],
  ['a type of fleet', { fleet_type: 'instant' }, ['error /fleet_type']],
  [
    'a strategy that only fleets have',
    { price_type: 'spot', allocation_strategy: 'diversified' },
    ['error /allocation_strategy'],
  ],
  [
    'a strategy of Spot for on demand',
    { allocation_strategy_on_demand: 'capacity-optimized' },
    ['error /allocation_strategy_on_demand'],
  ],
  ['attributes beside weights', { ...attributes, machine_types: { 'm5.large': 2 } }, ['error /instance_requirements']],
  [
    'attributes without memory',
    { machine_type: undefined, instance_requirements: { VCpuCount: { Min: 2 } } },
    ['error /instance_requirements/MemoryMiB'],
  ],
  [
    'attributes in an order',
    {
      ...attributes,
      price_type: 'mixed',
      allocation_strategy: 'capacity-optimized-prioritized',
      allocation_strategy_on_demand: 'prioritized',
    },
    ['error /allocation_strategy', 'error /allocation_strategy_on_demand'],
  ],
  [
    'too many types',
    {
      machine_type: undefined,
      machine_types: Object.fromEntries(Array.from({ length: 41 }, (_, i) => [`m${i}.large`, 1])),
    },
    ['error /machine_types'],
  ],
  [
    'capacity that is not machines',
    { provider_api_spec: { DesiredCapacityType: 'vcpu' } },
    ['error /provider_api_spec/DesiredCapacityType'],
  ],
  [
    'a group made from a machine',
    { provider_api_spec: { InstanceId: 'i-1' } },
    ['error /provider_api_spec/InstanceId'],
  ],
  [
    'what a group would swap machines for',
    { provider_api_spec: { CapacityRebalance: true, MaxInstanceLifetime: 86_400 } },
    ['warning /provider_api_spec/CapacityRebalance', 'warning /provider_api_spec/MaxInstanceLifetime'],
  ],
  ['replacement', { replace_lost: true }, ['warning /replace_lost']],
  ['what no API honours', { user_data: 'not base64!' }, ['error /user_data']],
];
for (const [what, more, expected] of cases) {
  test(`${what}: ${expected.length === 0 ? 'nothing to object to' : expected.join(', ')}`, (t) => {
    t.deepEqual(found(more), expected);
  });
}
