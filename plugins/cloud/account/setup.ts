import type { ProviderSetup, SetupChoice, StarterTemplate } from '../../../core/index.ts';

/** Machine types of two vCPUs, by architecture: one for a single machine, and some of equal size for a fleet. */
const types = {
  x86_64: { one: 't3.medium', several: ['m6i.large', 'm5.large', 'm6a.large', 'm5a.large'] },
  arm64: { one: 't4g.medium', several: ['m6g.large', 'm7g.large', 'm6gd.large'] },
} as const;

/** How an instance of the provider type `cloud` is set up. */
export const setup: ProviderSetup = {
  asks: ['region', 'profile'],
  environment: { region: ['AWS_REGION', 'AWS_DEFAULT_REGION'], profile: ['AWS_PROFILE'] },
  endpoint: 'endpoint_url',
  simulated: { config: { endpoint_url: 'simulator:' }, asks: ['region'] },
  remedies: {
    credentials:
      'Log in as for the AWS CLI (`aws configure`, `aws sso login`, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY); --profile names one of its profiles. With --simulated no account is needed.',
    unavailable: 'Check the name of the region, the endpoint, and the network to it.',
  },
  templates,
};

/** One machine, a fleet of several types, and Spot machines with on-demand machines as their fallback. */
function templates({ subnet_ids, security_group_ids, key_name, image }: SetupChoice): readonly StarterTemplate[] {
  const { one, several } = types[image.arch === 'arm64' ? 'arm64' : 'x86_64'];
  const place = {
    image_id: image.image_id,
    subnet_ids: [...subnet_ids],
    ...(security_group_ids.length === 0 ? {} : { security_group_ids: [...security_group_ids] }),
    ...(key_name === null ? {} : { key_name }),
  };
  const machine_types = Object.fromEntries(several.map((name) => [name, 1]));
  return [
    {
      template_id: 'one-machine',
      description: 'Machines of one small type, on demand: the subnets are tried in this order.',
      provider_api: 'RunInstances',
      machine_type: one,
      ...place,
      max_instances: 5,
    },
    {
      template_id: 'fleet',
      description: 'Machines of several types of equal size, on demand: EC2 chooses where it has them, by price.',
      provider_api: 'EC2Fleet',
      machine_types,
      allocation_strategy_on_demand: 'lowest-price',
      ...place,
      max_instances: 20,
    },
    {
      template_id: 'spot-with-fallback',
      description: 'Spot machines, which cost less and may be taken back; on-demand machines where Spot has none.',
      provider_api: 'EC2Fleet',
      price_type: 'mixed',
      machine_types,
      allocation_strategy: 'price-capacity-optimized',
      ...place,
      max_instances: 20,
    },
  ];
}
