const launch = { image_id: 'ami-1', subnet_ids: ['subnet-1'], max_instances: -1 };

/** All ways to have machines. */
export const ways = {
  run: { ...launch, provider_api: 'RunInstances' },
  instant: { ...launch, provider_api: 'EC2Fleet', fleet_type: 'instant', price_type: 'spot' },
  request: { ...launch, provider_api: 'EC2Fleet', fleet_type: 'request' },
  maintain: {
    ...launch,
    provider_api: 'EC2Fleet',
    fleet_type: 'maintain',
    price_type: 'mixed',
    percent_on_demand: 50,
  },
  spot: { ...launch, provider_api: 'SpotFleet', fleet_type: 'maintain', price_type: 'spot' },
  group: { ...launch, provider_api: 'ASG' },
} as const;

export type Way = keyof typeof ways;
export const wayNames = Object.keys(ways) as readonly Way[];

/**
 * What there is of machines: enough, some (`partial`), none of the first type and enough of the second (`fallback`),
 * or none at all in the first region (`elsewhere`).
 */
export const supplies = ['enough', 'partial', 'fallback', 'elsewhere'] as const;
export type Supply = (typeof supplies)[number];

const types = {
  enough: ['m5.large'],
  partial: ['r5.large'],
  fallback: ['c5.large', 'm5.large'],
  elsewhere: ['t3.large'],
} as const;

/**
 * The rules that make it so in the simulated cloud, where a pool has `scarce` machines of the type of which there are
 * some.
 */
export const capacityOf = (scarce: number) => [
  { instance_type: 'r5.large', count: scarce },
  { instance_type: 'c5.large', count: 0 },
  { instance_type: 't3.large', count: 0, region: 'us-east-1' },
];

/** One for every way and supply; those that are scarce take from a pool that all of them share. */
export const templates = wayNames.flatMap((way) =>
  supplies.map((supply) => ({
    template_id: `${way}-${supply}`,
    ...ways[way],
    machine_types: Object.fromEntries(types[supply].map((type) => [type, 1])),
    ...(supply === 'elsewhere' ? {} : { provider_name: 'east' }),
  })),
);
