import type { ProviderApi, Template } from '../../../core/index.ts';
import { tableOf } from './apis.ts';

/** A way to get machines: an API, with a type of fleet where it has several. */
interface Way {
  readonly api: ProviderApi;
  readonly fleet_type?: string;
}

const types = { 'm5.large': 1, 'c5.large': 1 };
const attributes = { VCpuCount: { Min: 2 }, MemoryMiB: { Min: 4096 } };

/** Features of templates, as fields that override an ordinary template; undefined removes a field. */
const probes: readonly (readonly [feature: string, fields: object])[] = [
  ['On-Demand machines (`price_type: ondemand`)', { price_type: 'ondemand' }],
  ['Spot machines (`spot`)', { price_type: 'spot' }],
  ['Spot, with On-Demand for the shortfall (`mixed`)', { price_type: 'mixed' }],
  ['A share of On-Demand in one order (`percent_on_demand`)', { price_type: 'mixed', percent_on_demand: 50 }],
  ['Maximum Spot price (`max_price`)', { price_type: 'spot', max_price: 0.1 }],
  ['Several types (`machine_types`)', { machine_type: undefined, machine_types: types }],
  ['… of different weights', { machine_type: undefined, machine_types: { ...types, 'm5.xlarge': 2 } }],
  [
    '… by priority (`machine_types_priority`)',
    { machine_type: undefined, machine_types: types, machine_types_priority: types },
  ],
  ['Types by attributes (`instance_requirements`)', { machine_type: undefined, instance_requirements: attributes }],
  [
    'Allocation strategy (`allocation_strategy`)',
    { price_type: 'spot', machine_type: undefined, machine_types: types, allocation_strategy: 'capacity-optimized' },
  ],
  ['Number of Spot pools (`pools_count`)', { price_type: 'spot', pools_count: 2 }],
  [
    'Other types on demand (`machine_types_on_demand`)',
    {
      price_type: 'mixed',
      machine_type: undefined,
      machine_types: types,
      machine_types_on_demand: { 'm6i.large': 1 },
    },
  ],
  ['Several subnets (`subnet_ids`)', { subnet_ids: ['subnet-1', 'subnet-2'] }],
  ['Capacity reservation (`capacity_reservation`)', { capacity_reservation: { id: 'cr-1' } }],
  ['Capacity block (`capacity_block`)', { price_type: 'capacity_block', capacity_reservation: { id: 'cr-1' } }],
  [
    'Volumes, their throughput and keys (`throughput`, `encrypted`, `kms_key_id`, `volumes`)',
    {
      volume_type: 'gp3',
      throughput: 500,
      iops: 4_000,
      kms_key_id: 'alias/k',
      volumes: [{ device: '/dev/sdf', size: 9 }],
    },
  ],
  ['Public address (`public_ip`)', { public_ip: true }],
  ['Elastic Fabric Adapters (`interface_type`, `efa_count`)', { interface_type: 'efa', efa_count: 4 }],
  ['Access to metadata (`metadata_options`)', { metadata_options: { http_tokens: 'required' } }],
  [
    'Detailed monitoring, placement group, tenancy (`monitoring`, `placement_group`, `tenancy`)',
    { monitoring: true, placement_group: 'mpi', tenancy: 'dedicated' },
  ],
  ['Image by parameter (`image_id`)', { image_id: 'resolve:ssm:/golden/image' }],
  ['Own launch template as the base (`launch_template_id`)', { launch_template_id: 'lt-1' }],
  ['Native machine data (`launch_template_spec`)', { launch_template_spec: { EbsOptimized: true } }],
  ['Native parameters of the call (`provider_api_spec`)', { provider_api_spec: { Context: '' } }],
  ['Replaces lost machines after completion (`replace_lost`)', { replace_lost: true }],
  [
    'Replaces machines that may be reclaimed (`on_rebalance: replace`)',
    { price_type: 'spot', on_rebalance: 'replace' },
  ],
];

/** Which API supports which feature, by the reviews of templates with that feature, and by its capabilities. */
export function featuresTable(apis: readonly ProviderApi[]): string {
  const ways = apis.flatMap((api): Way[] => {
    const fleets = api.capabilities.supported_fleet_types;
    return fleets.length === 0 ? [{ api }] : fleets.map((fleet_type) => ({ api, fleet_type }));
  });
  const head = ['', ...ways.map(({ api, fleet_type }) => [api.name, fleet_type].filter(Boolean).join(' '))];
  const probed = probes.map(([feature, fields]) => [feature, ...ways.map((way) => answer(way, fields))]);
  const choice = ways.map(({ api }) =>
    api.capabilities.offers_per_launch === 'one' ? 'from order to order' : 'inside one call',
  );
  const tagged = ways.map((way) => (tagsInCall(way) ? 'the call' : 'the launch template'));
  return tableOf(head, [
    ...probed,
    ['Falls back from pool to pool', ...choice],
    ['Machines are tagged by', ...tagged],
  ]);
}

/** `no`: refused before any call. `no effect`: accepted with a warning. */
function answer({ api, fleet_type }: Way, fields: object): string {
  const template = {
    template_id: 'probe',
    image_id: 'ami-1',
    machine_type: 'm5.large',
    subnet_ids: ['subnet-1'],
    // Spot Fleet without Spot is always refused.
    ...(api.name === 'SpotFleet' ? { price_type: 'spot' } : {}),
    ...(fleet_type === undefined ? {} : { fleet_type }),
    ...fields,
  };
  const said = api.review?.(template as unknown as Template) ?? [];
  return said.some(({ level }) => level === 'error') ? 'no' : said.length > 0 ? 'no effect' : 'yes';
}

/** Fleets that stand and groups start machines after their call. */
const tagsInCall = ({ api, fleet_type }: Way): boolean => api.name === 'RunInstances' || fleet_type === 'instant';
