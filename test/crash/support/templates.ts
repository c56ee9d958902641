const spot = {
  image_id: 'ami-1',
  machine_types: { 'm5.large': 1, 'm5a.large': 1 },
  price_type: 'spot',
  subnet_ids: ['subnet-1', 'subnet-2'],
  on_rebalance: 'replace',
  rebalance_drain: 1,
};

/** One template for each API, and those whose machines are replaced when the cloud recommends it. */
export const templates = {
  'templates.json': [
    {
      template_id: 'run',
      provider_api: 'RunInstances',
      image_id: 'ami-1',
      machine_type: 't3.small',
      subnet_ids: ['subnet-1'],
      max_instances: 1000,
    },
    {
      template_id: 'fleet',
      provider_api: 'EC2Fleet',
      image_id: 'ami-1',
      machine_types: { 'm5.large': 1, 'm5a.large': 1 },
      subnet_ids: ['subnet-1', 'subnet-2'],
      max_instances: 1000,
    },
    { ...spot, template_id: 'spot-run', provider_api: 'RunInstances', max_instances: 4 },
    { ...spot, template_id: 'spot-fleet', provider_api: 'EC2Fleet', fleet_type: 'maintain' },
  ],
};

/** The action that starts machines of a template. */
export const launchActions = { run: 'RunInstances', fleet: 'CreateFleet' } as const;
export type TemplateName = keyof typeof launchActions;
