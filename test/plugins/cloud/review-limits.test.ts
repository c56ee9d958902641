import test from 'ava';
import type { Finding, ProviderApi, Template } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';

const good = { template_id: 't', image_id: 'ami-1', machine_type: 'm5.large', subnet_ids: ['subnet-1'] };
/** What SpotFleet needs beside. */
const native: Readonly<Record<string, object>> = { SpotFleet: { price_type: 'spot' } };
const findings = (api: ProviderApi, more: object): Finding[] =>
  [...(api.review?.({ ...good, ...native[api.name], ...more } as Template) ?? [])].toSorted((a, b) =>
    a.path < b.path ? -1 : 1,
  );
/** `error /path` for each finding. */
const said = (api: ProviderApi, more: object) => findings(api, more).map(({ level, path }) => `${level} ${path}`);

const all = [runInstances, ec2Fleet, spotFleet, asg] as unknown as ProviderApi[];
const fleets = [ec2Fleet, spotFleet] as unknown as ProviderApi[];
const interfaces = (...NetworkInterfaces: object[]) => ({ launch_template_spec: { NetworkInterfaces } });
const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64');

const everywhere: readonly (readonly [what: string, more: object, said: readonly string[]])[] = [
  ['nothing special', {}, []],
  ['as much native user data as there may be', { launch_template_spec: { UserData: base64(16_384) } }, []],
  [
    'too much native user data',
    { launch_template_spec: { UserData: base64(16_385) } },
    ['error /launch_template_spec/UserData'],
  ],
  [
    'plain native user data',
    { launch_template_spec: { UserData: '#!/bin/sh' } },
    ['error /launch_template_spec/UserData'],
  ],
  [
    'native user data that are no text',
    { launch_template_spec: { UserData: {} } },
    ['error /launch_template_spec/UserData'],
  ],
  ['native user data taken away', { launch_template_spec: { UserData: null } }, []],
  ['a file named', { launch_template_spec_file: 'a.json' }, ['error /launch_template_spec_file']],
  ['another file named', { provider_api_spec_file: 'a.json' }, ['error /provider_api_spec_file']],
  [
    'one interface with a public address',
    { ...interfaces({ AssociatePublicIpAddress: true }), security_group_ids: ['sg-1'] },
    [],
  ],
  [
    'two interfaces with a public address',
    interfaces({ AssociatePublicIpAddress: true }, { DeviceIndex: 1 }),
    ['error /launch_template_spec/NetworkInterfaces'],
  ],
  ['two interfaces without', interfaces({}, { DeviceIndex: 1 }), []],
  [
    'interfaces beside groups by name',
    { launch_template_spec: { NetworkInterfaces: [{}], SecurityGroups: ['web'] } },
    ['error /launch_template_spec/NetworkInterfaces'],
  ],
  [
    'interfaces that are no list',
    { launch_template_spec: { NetworkInterfaces: {} } },
    ['error /launch_template_spec/NetworkInterfaces'],
  ],
  [
    'groups of ours beside those of the interface',
    { ...interfaces({ Groups: ['sg-2'] }), security_group_ids: ['sg-1'] },
    ['warning /security_group_ids'],
  ],
  [
    'an interface in a subnet beside subnets',
    interfaces({ SubnetId: 'subnet-2' }),
    ['error /launch_template_spec/NetworkInterfaces/0'],
  ],
  [
    'an interface that exists, beside subnets and groups',
    { ...interfaces({ NetworkInterfaceId: 'eni-1' }), security_group_ids: ['sg-1'] },
    ['error /launch_template_spec/NetworkInterfaces/0', 'warning /security_group_ids'],
  ],
  ['an interface in a subnet alone', { ...interfaces({ SubnetId: 'subnet-2' }), subnet_ids: undefined }, []],
  [
    'protected machines',
    { launch_template_spec: { DisableApiTermination: true } },
    ['warning /launch_template_spec/DisableApiTermination'],
  ],
  ['a subnet twice', { subnet_ids: ['subnet-1', 'subnet-2', 'subnet-1'] }, ['warning /subnet_ids/2']],
  ['a group twice', { security_group_ids: ['sg-1', 'sg-1'] }, ['warning /security_group_ids/1']],
  ['several subnets', { subnet_ids: ['subnet-1', 'subnet-2'] }, []],
  [
    'ids of other things',
    { subnet_ids: ['sg-1'], security_group_ids: ['subnet-1'], image_id: 'my image' },
    ['warning /image_id', 'warning /security_group_ids/0', 'warning /subnet_ids/0'],
  ],
  ['an image by parameter', { image_id: 'resolve:ssm:/aws/service/image:3' }, []],
  ['an image by a bare path', { image_id: '/aws/service/image' }, []],
  ['no parameter', { image_id: 'resolve:ssm:' }, ['error /image_id']],
  [
    'a launch template by name',
    { launch_template_id: 'team/base (1)'.replace(' ', '_'), launch_template_version: '$Latest' },
    [],
  ],
  [
    'no launch template',
    { launch_template_id: 'no name', launch_template_version: 'newest' },
    ['error /launch_template_id', 'error /launch_template_version'],
  ],
  ['iops of gp3', { volume_type: 'gp3', iops: 3_000 }, []],
  ['too few iops of gp3', { volume_type: 'gp3', iops: 2_999 }, ['error /iops']],
  ['too many iops of io1', { volume_type: 'io1', iops: 64_001 }, ['error /iops']],
  ['a small io1', { volume_type: 'io1', iops: 100, root_volume_size: 3 }, ['error /root_volume_size']],
  ['a large magnetic volume', { volume_type: 'standard', root_volume_size: 1_025 }, ['error /root_volume_size']],
  ['a price of nothing', { price_type: 'spot', max_price: 0.001 }, ['error /max_price']],
  ['a price', { price_type: 'spot', max_price: '0.0011' }, []],
];
for (const [what, more, expected] of everywhere) {
  test(`${what}: ${expected.length === 0 ? 'every API takes it without a word' : expected.join(', ')}`, (t) => {
    for (const api of all) t.deepEqual(said(api, more), [...expected], api.name);
  });
}

test('RunInstances reads the machine fields of both native specifications', (t) => {
  t.deepEqual(said(runInstances, { provider_api_spec: { UserData: base64(16_385) } }), [
    'error /provider_api_spec/UserData',
  ]);
  t.deepEqual(
    said(runInstances, {
      image_id: undefined,
      machine_type: undefined,
      provider_api_spec: { ImageId: 'ami-1', InstanceType: 'x' },
    }),
    [],
  );
  t.deepEqual(said(ec2Fleet as ProviderApi, { image_id: undefined, provider_api_spec: { ImageId: 'ami-1' } }), [
    'error /image_id',
  ]);
  t.deepEqual(said(runInstances, { provider_api_spec: { MinCount: 2, ClientToken: 'x' } }), [
    'warning /provider_api_spec/ClientToken',
    'warning /provider_api_spec/MinCount',
  ]);
});

test('a capacity reservation names one target and is for on-demand machines', (t) => {
  for (const api of [runInstances, ec2Fleet, asg] as unknown as ProviderApi[]) {
    const of = (capacity_reservation: object, more: object = {}) => said(api, { capacity_reservation, ...more });
    for (const one of [
      { preference: 'open' },
      { preference: 'none' },
      { id: 'cr-1' },
      { resource_group_arn: 'arn:aws:x' },
    ])
      t.deepEqual(of(one), []);
    for (const several of [{}, { preference: 'open', id: 'cr-1' }, { id: 'cr-1', resource_group_arn: 'arn:aws:x' }])
      t.deepEqual(of(several), ['error /capacity_reservation']);
    t.deepEqual(of({ preference: 'open' }, { price_type: 'mixed' }), ['error /capacity_reservation']);
    t.deepEqual(of({ preference: 'none' }, { price_type: 'spot' }), []);
  }
  t.deepEqual(said(spotFleet as ProviderApi, { capacity_reservation: { id: 'cr-1' } }), [
    'error /capacity_reservation',
  ]);
});

test('a field that no API reads is a warning', (t) => {
  const priority = { machine_types: { a: 1, b: 1 }, machine_types_priority: { a: 1, b: 2 }, machine_type: undefined };
  for (const api of [ec2Fleet, asg] as unknown as ProviderApi[]) {
    t.deepEqual(said(api, priority), []);
    t.deepEqual(said(api, { ...priority, allocation_strategy_on_demand: 'lowestPrice' }), [
      'warning /machine_types_priority',
    ]);
    t.deepEqual(said(api, { ...priority, price_type: 'spot', allocation_strategy: 'capacityOptimized' }), [
      'warning /machine_types_priority',
    ]);
    t.deepEqual(said(api, { ...priority, price_type: 'mixed', allocation_strategy: 'capacityOptimized' }), []);
    t.deepEqual(said(api, { allocation_strategy: 'capacityOptimized' }), ['warning /allocation_strategy']);
    t.deepEqual(said(api, { price_type: 'spot', allocation_strategy_on_demand: 'prioritized' }), [
      'warning /allocation_strategy_on_demand',
    ]);
  }
  for (const api of [runInstances, ec2Fleet, asg] as unknown as ProviderApi[])
    t.deepEqual(said(api, { fleet_role: 'role', spot_fleet_request_expiry: 30 }), [
      'warning /fleet_role',
      'warning /spot_fleet_request_expiry',
    ]);
  t.deepEqual(said(spotFleet as ProviderApi, { fleet_role: 'role', spot_fleet_request_expiry: 30 }), []);
  t.deepEqual(said(spotFleet as ProviderApi, { fleet_role: 'arn:aws:iam::1:user/x' }), ['error /fleet_role']);
  for (const [api, more] of [
    [runInstances, {}],
    [ec2Fleet, {}],
    [ec2Fleet, { fleet_type: 'request' }],
    [spotFleet, {}],
    [asg, {}],
  ] as [ProviderApi, object][])
    t.deepEqual(said(api, { ...more, replace_lost: true }), ['warning /replace_lost'], api.name);
  for (const api of fleets) t.deepEqual(said(api, { fleet_type: 'maintain', replace_lost: true }), []);
  t.deepEqual(said(ec2Fleet as ProviderApi, { provider_api_spec: { Type: 'request', ClientToken: 'x' } }), [
    'warning /provider_api_spec/ClientToken',
    'warning /provider_api_spec/Type',
  ]);
  t.deepEqual(
    said(spotFleet as ProviderApi, { provider_api_spec: { SpotFleetRequestConfig: { TargetCapacity: 3 } } }),
    ['warning /provider_api_spec/SpotFleetRequestConfig/TargetCapacity'],
  );
  t.deepEqual(said(asg as ProviderApi, { provider_api_spec: { MaxSize: 3, LaunchTemplate: {} } }), [
    'warning /provider_api_spec/LaunchTemplate',
    'warning /provider_api_spec/MaxSize',
  ]);
});

test('attributes are refused beside a machine type, and replace it otherwise', (t) => {
  const whole = { VCpuCount: { Min: 1 }, MemoryMiB: { Min: 1 } };
  for (const api of [ec2Fleet, spotFleet, asg] as unknown as ProviderApi[]) {
    const of = (more: object) => said(api, { machine_type: undefined, instance_requirements: { ...whole, ...more } });
    t.deepEqual(of({}), []);
    t.deepEqual(of({ AllowedInstanceTypes: ['m*'], ExcludedInstanceTypes: ['t*'] }), [
      'error /instance_requirements/ExcludedInstanceTypes',
    ]);
    t.deepEqual(said(api, { instance_requirements: whole }), ['warning /machine_type']);
  }
});

test('a Spot request that outlives its machine is refused: it would start another one after each return', (t) => {
  const InstanceMarketOptions = (SpotInstanceType: string) => ({
    InstanceMarketOptions: { MarketType: 'spot', SpotOptions: { SpotInstanceType } },
  });
  for (const field of ['launch_template_spec', 'provider_api_spec']) {
    const of = (type: string) =>
      said(runInstances as unknown as ProviderApi, { price_type: 'spot', [field]: InstanceMarketOptions(type) });
    t.deepEqual(of('persistent'), [`error /${field}/InstanceMarketOptions/SpotOptions/SpotInstanceType`]);
    t.deepEqual(of('one-time'), []);
  }
});
