import test from 'ava';
import type { MachineData } from '../../../plugins/cloud/index.ts';
import { idsOf, openGroups, tally } from './support.ts';

const twoTypes = {
  template_id: 't',
  machine_types: { 'm5.large': 1, 'c5.large': 1 },
  subnet_ids: ['subnet-1', 'subnet-2'],
};
const market = ({ data }: { readonly data?: object }) => (data as MachineData).market;

test('a group starts the ordered machines with their tags and is settled once all run', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({
    machine_count: 5,
    template: { template_id: 't', tags: { team: 'blue' } },
    tags: { who: 'me' },
  });
  const launch = await cloud.launch(order);
  t.false(launch.settled);
  t.false((await cloud.observe(order)).settled);
  cloud.simulator.advance(1_100);
  const young = await cloud.observe(order);
  t.is(young.machines.length, 5);
  t.false(young.settled);
  cloud.minute();
  const seen = await cloud.observe(order);
  t.true(seen.settled);
  t.is(seen.shortfall, undefined);
  t.true(seen.machines.every((machine) => machine.ready));
  t.deepEqual(idsOf(seen.machines), cloud.live(order));
  t.deepEqual(cloud.simulator.ledger().untagged, []);

  const group = await cloud.group(order);
  t.like(group, {
    MinSize: 0,
    MaxSize: 5,
    DesiredCapacity: 5,
    HealthCheckType: 'EC2',
    NewInstancesProtectedFromScaleIn: true,
  });
  t.deepEqual(group?.SuspendedProcesses?.map((each) => each.ProcessName).toSorted(), [
    'AZRebalance',
    'AlarmNotification',
    'InstanceRefresh',
    'ReplaceUnhealthy',
    'ScheduledActions',
    'Terminate',
  ]);
  t.true(group?.Tags?.every((tag) => tag.PropagateAtLaunch === false));
  const { Tags = [] } = await cloud.session.read(
    (ec2) => new ec2.DescribeTagsCommand({ Filters: [{ Name: 'resource-type', Values: ['instance'] }] }),
    cloud.call,
  );
  const machine = Tags.filter(({ ResourceId }) => ResourceId === Tags[0]?.ResourceId);
  t.like(Object.fromEntries(machine.map(({ Key, Value }) => [Key, Value])), {
    team: 'blue',
    who: 'me',
    'muster:request-id': order.request_id,
    'muster:attempt': '1',
    'muster:installation': 'inst-1',
  });
});

test('a group of Spot machines has a price limit and the strategy in its own spelling', async (t) => {
  const cloud = await openGroups(t);
  const template = { ...twoTypes, price_type: 'spot', allocation_strategy: 'capacityOptimized', max_price: 0.5 };
  const order = await cloud.order({ machine_count: 4, template });
  await cloud.launch(order);
  cloud.minute();
  const seen = await cloud.observe(order);
  t.deepEqual(tally(seen.machines.map(market)), { spot: 4 });
  t.like((await cloud.group(order))?.MixedInstancesPolicy?.InstancesDistribution, {
    SpotAllocationStrategy: 'capacity-optimized',
    SpotMaxPrice: '0.5',
    OnDemandBaseCapacity: 0,
    OnDemandPercentageAboveBaseCapacity: 0,
  });
});

test('a mixed group has the ordered share on demand, rounded to whole machines', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({
    machine_count: 5,
    template: { ...twoTypes, price_type: 'mixed', percent_on_demand: 30 },
  });
  await cloud.launch(order);
  cloud.minute();
  t.deepEqual(tally((await cloud.observe(order)).machines.map(market)), { 'on-demand': 2, spot: 3 });
});

test('a weighted group starts no more machines than ordered', async (t) => {
  const cloud = await openGroups(t);
  const machine_types = { 'm5.xlarge': 2, 'm5.2xlarge': 4 };
  for (const more of [{}, { price_type: 'mixed', percent_on_demand: 50 }, { price_type: 'spot' }]) {
    const order = await cloud.order({ machine_count: 5, template: { template_id: 't', machine_types, ...more } });
    t.is(order.prepared.input.DesiredCapacity, 10);
    await cloud.launch(order);
    cloud.minute();
    const seen = await cloud.observe(order);
    t.true(seen.settled);
    t.true(seen.machines.length >= 3 && seen.machines.length <= 5, String(seen.machines.length));
    t.is(cloud.live(order).length, seen.machines.length);
  }
});

test('attributes select the types of a group', async (t) => {
  const cloud = await openGroups(t);
  const instance_requirements = { VCpuCount: { Min: 2, Max: 4 }, MemoryMiB: { Min: 4096 } };
  for (const price_type of ['ondemand', 'spot']) {
    const template = { template_id: 't', price_type, instance_requirements } as any;
    const order = await cloud.order({ machine_count: 3, template });
    await cloud.launch(order);
    cloud.minute();
    const seen = await cloud.observe(order);
    t.is(seen.machines.length, 3);
    t.true(seen.settled);
  }
});

test('priorities order the types of a group', async (t) => {
  const cloud = await openGroups(t);
  const template = { ...twoTypes, machine_types_priority: { 'c5.large': 1, 'm5.large': 2 } };
  const order = await cloud.order({ machine_count: 3, template });
  await cloud.launch(order);
  cloud.minute();
  t.deepEqual(tally((await cloud.observe(order)).machines.map(({ data }) => (data as MachineData).machine_type)), {
    'c5.large': 3,
  });
});

test('a template without subnets has machines in all zones', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({ machine_count: 3, template: { template_id: 't', subnet_ids: undefined } as any });
  await cloud.launch(order);
  cloud.minute();
  t.is(new Set((await cloud.observe(order)).machines.map(({ data }) => (data as MachineData).zone)).size, 3);
});

test("the template's own launch template is the ground of the order's", async (t) => {
  const cloud = await openGroups(t);
  const made = await cloud.session.write(
    (ec2) =>
      new ec2.CreateLaunchTemplateCommand({
        LaunchTemplateName: 'mine',
        LaunchTemplateData: {
          ImageId: 'ami-7',
          InstanceType: 'm5.large',
          InstanceMarketOptions: { MarketType: 'spot' },
        },
      }),
    cloud.call,
  );
  const launch_template_id = made.LaunchTemplate?.LaunchTemplateId as string;
  const bare = { template_id: 't', launch_template_id, image_id: undefined, machine_type: undefined } as any;
  for (const price_type of ['ondemand', 'spot']) {
    const order = await cloud.order({ machine_count: 2, template: { ...bare, price_type } });
    t.is(order.prepared.template.owner, 'order');
    await cloud.launch(order);
    cloud.minute();
    t.deepEqual(tally((await cloud.observe(order)).machines.map(market)), {
      [price_type === 'spot' ? 'spot' : 'on-demand']: 2,
    });
    t.is(cloud.live(order).length, 2);
  }
});

test('a native specification replaces everything except name, sizes, tags, launch template and protection', async (t) => {
  const cloud = await openGroups(t);
  const provider_api_spec = {
    AutoScalingGroupName: 'theirs',
    MinSize: 3,
    DesiredCapacity: 9,
    NewInstancesProtectedFromScaleIn: false,
    CapacityRebalance: true,
    MaxInstanceLifetime: 86_400,
    DefaultCooldown: 7,
    Tags: [
      { Key: 'muster:attempt', Value: '9', PropagateAtLaunch: true },
      { Key: 'cost', Value: 'x', PropagateAtLaunch: true },
    ],
    MixedInstancesPolicy: { InstancesDistribution: { OnDemandAllocationStrategy: 'prioritized' } },
  };
  const order = await cloud.order({ machine_count: 2, template: { template_id: 't', provider_api_spec } });
  await cloud.launch(order);
  cloud.minute();
  const group = await cloud.group(order);
  t.like(group, {
    MinSize: 0,
    DesiredCapacity: 2,
    NewInstancesProtectedFromScaleIn: true,
    CapacityRebalance: false,
    DefaultCooldown: 7,
  });
  t.is(group?.MaxInstanceLifetime, undefined);
  t.is(group?.MixedInstancesPolicy?.InstancesDistribution?.OnDemandAllocationStrategy, 'prioritized');
  t.is(group?.Tags?.find((tag) => tag.Key === 'cost')?.PropagateAtLaunch, true);
  t.is(group?.Tags?.find((tag) => tag.Key === 'muster:attempt')?.Value, '1');
  t.is(cloud.live(order).length, 2);
});

test('a repeated preparation after a crash returns the same launch template and parameters', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({ template: twoTypes });
  const again = await cloud.order({ ...order, prepared: undefined });
  t.deepEqual(again.prepared, order.prepared);
  t.is(cloud.calls('CreateLaunchTemplate'), 1);
});
