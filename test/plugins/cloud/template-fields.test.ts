import test from 'ava';
import type { Finding, ProviderApi } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';
import { templateStage, type TemplateStage } from './launch-template-support.ts';

const ways: readonly (readonly [string, ProviderApi, object])[] = [
  ['RunInstances', runInstances, {}],
  ['EC2Fleet instant', ec2Fleet, {}],
  ['EC2Fleet maintain', ec2Fleet, { fleet_type: 'maintain' }],
  ['SpotFleet', spotFleet, { price_type: 'spot' }],
  ['ASG', asg, {}],
];
/** p4d is in this zone only together with EFA and capacity blocks. */
const subnet = 'subnet-0355328ca6a7aa803';
const base = { template_id: 't', image_id: 'ami-1', machine_type: 'm5.large', subnet_ids: [subnet] };

/** Fields of a template, and the data of its launch template, or the parameters of RunInstances. */
const fields: readonly (readonly [string, object, object])[] = [
  [
    'the root volume',
    {
      root_volume_size: 100,
      volume_type: 'gp3',
      iops: 6_000,
      throughput: 500,
      kms_key_id: 'alias/disks',
    },
    {
      BlockDeviceMappings: [
        {
          DeviceName: '/dev/xvda',
          Ebs: {
            VolumeSize: 100,
            VolumeType: 'gp3',
            Iops: 6_000,
            Throughput: 500,
            Encrypted: true,
            KmsKeyId: 'alias/disks',
            DeleteOnTermination: true,
          },
        },
      ],
    },
  ],
  [
    'additional volumes alone',
    {
      volumes: [
        { device: '/dev/sdf', size: 10, type: 'gp3', encrypted: true },
        { device: '/dev/sdg', snapshot_id: 'snap-1', delete_on_termination: false },
      ],
    },
    {
      BlockDeviceMappings: [
        {
          DeviceName: '/dev/sdf',
          Ebs: { VolumeSize: 10, VolumeType: 'gp3', Encrypted: true, DeleteOnTermination: true },
        },
        { DeviceName: '/dev/sdg', Ebs: { SnapshotId: 'snap-1', DeleteOnTermination: false } },
      ],
    },
  ],
  ['monitoring', { monitoring: true }, { Monitoring: { Enabled: true } }],
  [
    'metadata options',
    { metadata_options: { http_tokens: 'required', hop_limit: 2 } },
    { MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 2 } },
  ],
  [
    'a placement group, tenancy and bandwidth',
    { placement_group: 'mpi', tenancy: 'dedicated', ebs_optimized: true },
    { Placement: { GroupName: 'mpi', Tenancy: 'dedicated' }, EbsOptimized: true },
  ],
];
for (const [name, api, more] of ways)
  for (const [what, given, data] of fields)
    test(`${name} sends ${what}, and the cloud starts the machines`, async (t) => {
      const cloud = await templateStage(t, {}, { boot_ms: 1_000 });
      const template = { ...base, ...more, ...given };
      t.deepEqual(api.review?.(template as any), []);
      const order = await cloud.order(api, { machine_count: 2, template: template as any });
      t.like(await sent(cloud, order), data);
      await api.launch(cloud.session, order, cloud.call);
      cloud.simulator.advance(60_000);
      t.is(cloud.simulator.ledger().live[order.request_id]?.length, 2);
    });

/** The parameters of the machines of an order, in its call or in its launch template. */
const sent = async (cloud: TemplateStage, { prepared: { params, template } }: any): Promise<any> =>
  params ?? (await cloud.version(template))?.LaunchTemplateData;

for (const [name, api, more] of ways)
  test(`${name} starts machines with four EFA interfaces, in the subnet and the groups of the template`, async (t) => {
    const cloud = await templateStage(t, {}, { boot_ms: 1_000 });
    const efa = { machine_type: 'p4d.24xlarge', interface_type: 'efa', efa_count: 4, security_group_ids: ['sg-1'] };
    const template = { ...base, ...more, ...efa };
    t.deepEqual(api.review?.(template as any), []);
    const order = await cloud.order(api, { template: template as any });
    await api.launch(cloud.session, order, cloud.call);
    cloud.simulator.advance(60_000);
    const [machine] = await cloud.machines(order);
    t.is(machine?.SubnetId, subnet);
    t.deepEqual(
      machine?.NetworkInterfaces?.map((each) => [
        each.InterfaceType,
        each.Attachment?.NetworkCardIndex,
        each.Attachment?.DeviceIndex,
        each.Groups?.map(({ GroupId }) => GroupId),
      ]),
      [0, 1, 2, 3].map((card) => ['efa', card, card === 0 ? 0 : 1, ['sg-1']]),
    );
  });

for (const [name, api, more] of ways)
  test(`${name} gives machines a public address, or none`, async (t) => {
    const cloud = await templateStage(t, {}, { boot_ms: 1_000 });
    for (const public_ip of [true, false]) {
      const template = { ...base, ...more, public_ip, security_group_ids: ['sg-1'] };
      t.deepEqual(api.review?.(template as any), []);
      const order = await cloud.order(api, { template: template as any });
      await api.launch(cloud.session, order, cloud.call);
      cloud.simulator.advance(60_000);
      const [machine] = await cloud.machines(order);
      t.is(machine?.PublicIpAddress !== undefined, public_ip);
    }
  });

const block = { price_type: 'capacity_block', capacity_reservation: { id: 'cr-0b1' }, machine_type: 'p5.48xlarge' };
const blocks = [{ id: 'cr-0b1', instance_type: 'p5.48xlarge', zone: 'us-east-1d', count: 2 }];
for (const [name, api, more] of ways.filter(([way]) => ['RunInstances', 'EC2Fleet instant', 'ASG'].includes(way)))
  test(`${name} starts machines in a capacity block, and says when the block is full`, async (t) => {
    const cloud = await templateStage(t, {}, { boot_ms: 1_000, capacity_blocks: blocks });
    const template = { ...base, ...more, ...block };
    t.deepEqual(api.review?.(template as any), []);
    const order = await cloud.order(api, { machine_count: 3, template: template as any });
    t.deepEqual(
      order.offers?.map(({ key }) => key),
      [`p5.48xlarge|${subnet}|capacity-block`],
    );
    const { handle, shortfall } = await api.launch(cloud.session, order, cloud.call);
    cloud.simulator.advance(60_000);
    const known = { order, handle, known: [] };
    // The history of a group is not read at once.
    await api.observe(cloud.session, [known] as any, cloud.call);
    cloud.simulator.advance(5_000);
    const [seen] = await api.observe(cloud.session, [known] as any, cloud.call);
    t.deepEqual(
      (seen as any).machines.map(({ market, status }: any) => [market, status]),
      [1, 2].map(() => ['capacity-block', 'running']),
    );
    const [reason] = [...(shortfall ?? []), ...((seen as any).shortfall ?? [])];
    t.is(reason?.kind, 'capacity');
    t.is(reason?.offer, order.offers?.[0]?.key);
  });

test('IBM’s second list of types is that of the on-demand orders', async (t) => {
  const cloud = await templateStage(t, {}, { boot_ms: 1_000 });
  const mixed = {
    ...base,
    machine_type: undefined,
    price_type: 'mixed',
    machine_types: { 'm5.xlarge': 4 },
    machine_types_on_demand: { 'c5.large': 2, 'c5.xlarge': 4 },
  };
  for (const [name, api, more] of ways.slice(1)) {
    const template = { ...mixed, ...more, price_type: 'mixed' };
    t.deepEqual(api.review?.(template as any), [], name);
    const first = await cloud.order(api, { machine_count: 2, template: template as any });
    t.deepEqual(
      first.prepared.pools.map(({ key }: any) => key),
      [`m5.xlarge|${subnet}|spot`],
      name,
    );
    t.is(first.prepared.unit, 4, name);
    const offers = api.offers?.(template as any).filter(({ key }) => key.endsWith('on-demand')) ?? [];
    const second = await cloud.order(api, { machine_count: 2, template: template as any, offers });
    t.deepEqual(
      second.prepared.pools.map(({ key }: any) => key),
      ['c5.large', 'c5.xlarge'].map((type) => `${type}|${subnet}|on-demand`),
      name,
    );
    t.is(second.prepared.unit, 2, name);
    await api.launch(cloud.session, second, cloud.call);
    cloud.simulator.advance(60_000);
    t.is(cloud.simulator.ledger().live[second.request_id]?.length, 2, name);
  }
});

test('the number of Spot pools is sent in the parameter of each API with its strategy', async (t) => {
  const cloud = await templateStage(t);
  const given = { ...base, price_type: 'spot', pools_count: 3 };
  const inputOf = async (api: ProviderApi, more: object = {}) =>
    (await cloud.order(api, { template: { ...given, ...more } as any })).prepared.input;
  t.deepEqual((await inputOf(ec2Fleet)).SpotOptions, {
    AllocationStrategy: 'lowest-price',
    InstancePoolsToUseCount: 3,
  });
  t.like(await inputOf(spotFleet), { AllocationStrategy: 'lowestPrice', InstancePoolsToUseCount: 3 });
  t.like((await inputOf(asg)).MixedInstancesPolicy.InstancesDistribution, {
    SpotAllocationStrategy: 'lowest-price',
    SpotInstancePools: 3,
  });
  const other = { allocation_strategy: 'capacityOptimized' };
  t.deepEqual((await inputOf(ec2Fleet, other)).SpotOptions, { AllocationStrategy: 'capacity-optimized' });
  t.is((await inputOf(spotFleet, other)).InstancePoolsToUseCount, undefined);
  t.is((await inputOf(asg, other)).MixedInstancesPolicy.InstancesDistribution.SpotInstancePools, undefined);
});

const told = (api: ProviderApi, more: object): string[] =>
  ((api.review?.({ ...base, ...more } as any) ?? []) as Finding[]).map(({ level, path }) => `${level} ${path}`);

const wrong: readonly (readonly [string, object, readonly string[]])[] = [
  ['throughput of another type', { volume_type: 'gp2', throughput: 200 }, ['error /throughput']],
  ['throughput beyond the I/O operations', { volume_type: 'gp3', throughput: 1_000 }, ['error /throughput']],
  ['enough I/O operations for it', { volume_type: 'gp3', throughput: 1_000, iops: 4_000 }, []],
  [
    'more I/O operations than the size allows',
    { volume_type: 'io1', root_volume_size: 10, iops: 600 },
    ['error /iops'],
  ],
  ['the I/O operations of any gp3 volume', { volume_type: 'gp3', root_volume_size: 1, iops: 3_000 }, []],
  ['a key without encryption', { encrypted: false, kms_key_id: 'k' }, ['error /kms_key_id']],
  [
    'a volume without a size, and a device twice',
    { volumes: [{ device: '/dev/sdf' }, { device: '/dev/sdf', size: 5 }] },
    ['error /volumes/0/size', 'error /volumes/1/device'],
  ],
  ['EFA interfaces without the type', { efa_count: 2 }, ['warning /efa_count']],
  [
    'a public address on several interfaces',
    { interface_type: 'efa', efa_count: 2, public_ip: true },
    ['error /public_ip'],
  ],
  ['a Dedicated Host for Spot', { price_type: 'spot', tenancy: 'host' }, ['error /tenancy']],
  ['on-demand types without Spot', { machine_types_on_demand: { x: 1 } }, ['warning /machine_types_on_demand']],
  [
    'on-demand types of another weight',
    { machine_type: undefined, machine_types: { x: 1 }, machine_types_on_demand: { x: 2 }, price_type: 'mixed' },
    ['error /machine_types_on_demand/x'],
  ],
  [
    'native interfaces beside a field for them',
    { public_ip: true, launch_template_spec: { NetworkInterfaces: [{ DeviceIndex: 0 }] } },
    ['warning /public_ip'],
  ],
  ['a capacity block without a name', { price_type: 'capacity_block' }, ['error /capacity_reservation']],
];
for (const [what, more, paths] of wrong)
  test(`the review finds ${what}`, (t) => {
    t.deepEqual(told(ec2Fleet, more), [...paths]);
    t.deepEqual(told(asg, more), [...paths]);
  });

test('the review finds what one API cannot do', (t) => {
  const named = { price_type: 'capacity_block', capacity_reservation: { id: 'cr-1' } };
  t.deepEqual(told(ec2Fleet, { ...named, fleet_type: 'maintain' }), ['error /price_type']);
  t.deepEqual(told(spotFleet, named), ['error /price_type', 'error /price_type']);
  const several = { machine_type: undefined, machine_types: { a: 1, b: 1 } };
  t.deepEqual(told(asg, { ...named, ...several }), ['error /machine_types']);
  t.deepEqual(told(runInstances, { price_type: 'spot', pools_count: 2 }), ['warning /pools_count']);
  t.deepEqual(told(asg, { price_type: 'spot', pools_count: 21 }), ['error /pools_count']);
  t.deepEqual(told(ec2Fleet, { pools_count: 2 }), ['warning /pools_count']);
  t.deepEqual(told(ec2Fleet, { price_type: 'spot', pools_count: 2, allocation_strategy: 'diversified' }), [
    'warning /pools_count',
  ]);
  const share = { price_type: 'mixed', percent_on_demand: 40, machine_types_on_demand: { c: 1 } };
  t.deepEqual(told(ec2Fleet, share), ['error /machine_types_on_demand']);
});

test('the strategy of a template without Spot machines applies to its on-demand machines', async (t) => {
  const cloud = await templateStage(t);
  const given = { ...base, allocation_strategy: 'prioritized', machine_types: { 'm5.large': 1, 'c5.large': 1 } };
  const template = { ...given, machine_type: undefined };
  t.deepEqual(told(ec2Fleet, template), []);
  t.deepEqual(told(asg, template), []);
  const inputOf = async (api: ProviderApi) => (await cloud.order(api, { template: template as any })).prepared.input;
  t.deepEqual((await inputOf(ec2Fleet)).OnDemandOptions, { AllocationStrategy: 'prioritized' });
  t.is((await inputOf(asg)).MixedInstancesPolicy.InstancesDistribution.OnDemandAllocationStrategy, 'prioritized');
  t.deepEqual(told(ec2Fleet, { ...template, allocation_strategy: 'diversified' }), ['warning /allocation_strategy']);
  t.deepEqual(told(runInstances, template), ['warning /allocation_strategy']);
  t.deepEqual(told(runInstances, { allocation_strategy: 'lowestPrice' }), [], 'one type has one price');
});
