import test from 'ava';
import { isFault, type Launch, type MachineRef, type ProviderFault } from '../../../core/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { prepared, sleep, stage } from '../cloud/support.ts';

const refs = (launch: Launch): MachineRef[] =>
  (launch.machines ?? []).map(({ machine_id, status, data }) => ({ machine_id, status, ...(data ? { data } : {}) }));
const ids = (launch: Launch): string[] =>
  refs(launch)
    .map((machine) => machine.machine_id)
    .toSorted();
const twoTypes = {
  template_id: 't',
  machine_types: { 'm5.large': 1, 'c5.large': 1 },
  subnet_ids: ['subnet-1', 'subnet-2'],
};

test('an instant fleet starts the ordered machines and is settled', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(ec2Fleet, cloud, {
    machine_count: 5,
    template: { ...twoTypes, tags: { team: 'blue' } },
  });
  const launch = await ec2Fleet.launch(cloud.session, order, cloud.call);
  t.is(launch.machines?.length, 5);
  t.true(launch.settled);
  t.is(launch.shortfall, undefined);
  t.regex((launch.handle as { fleet_id: string }).fleet_id, /^fleet-/);
  t.deepEqual(cloud.simulator.ledger().live[order.request_id]?.toSorted(), ids(launch));
  t.deepEqual(cloud.simulator.ledger().untagged, []);

  await sleep(40);
  const [seen] = await ec2Fleet.observe(
    cloud.session,
    [{ handle: launch.handle, order, known: refs(launch) }],
    cloud.call,
  );
  if (!seen || isFault(seen)) return t.fail();
  t.deepEqual(
    seen.machines.map((machine) => machine.ready),
    Array.from({ length: 5 }, () => true),
  );
});

test('orders with equal contents share one launch template, which stays when they are disposed of', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const orders = await Promise.all([1, 2, 3].map(() => prepared(ec2Fleet, cloud, { template: twoTypes })));
  const templates = new Set(orders.map((order) => order.prepared.template.id));
  t.is(templates.size, 1);
  t.is(cloud.calls('CreateLaunchTemplate'), 1);
  const [order] = orders;
  if (!order) return t.fail();
  t.deepEqual(await ec2Fleet.dispose?.(cloud.session, { order }, cloud.call), { done: true });
  t.is(cloud.calls('DeleteLaunchTemplate'), 0);
});

test('the launch template of an order is deleted with it, also when the order was only prepared', async (t) => {
  const cloud = await stage({ launch_template: { reuse_existing: false } });
  t.teardown(cloud.close);
  const order = await prepared(ec2Fleet, cloud, { template: twoTypes });
  t.is(order.prepared.template.owner, 'order');
  await ec2Fleet.dispose?.(cloud.session, { order: { ...order, prepared: undefined as any } }, cloud.call);
  await ec2Fleet.dispose?.(cloud.session, { order }, cloud.call);
  t.deepEqual(cloud.simulator.ledger().templates, []);
});

test('a repeated preparation after a crash returns the same launch template and parameters', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(ec2Fleet, cloud, { template: twoTypes });
  const again = await ec2Fleet.prepare?.(await cloud.restarted(), { ...order, prepared: undefined }, cloud.call);
  t.deepEqual(JSON.parse(JSON.stringify(again)), order.prepared);
  t.is(cloud.calls('CreateLaunchTemplate'), 1);
});

test('a launch returns machines and reasons of shortfalls together', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  cloud.simulator.setKnobs({
    capacity: [
      { instance_type: 'm5.large', count: 0 },
      { instance_type: 'c5.large', count: 1 },
    ],
  });
  const order = await prepared(ec2Fleet, cloud, {
    machine_count: 5,
    template: { ...twoTypes, subnet_ids: ['subnet-1'] },
  });
  const launch = await ec2Fleet.launch(cloud.session, order, cloud.call);
  t.is(launch.machines?.length, 1);
  t.deepEqual(launch.shortfall?.map(({ offer, kind }) => [offer, kind]).toSorted(), [
    ['c5.large|subnet-1|on-demand', 'capacity'],
    ['m5.large|subnet-1|on-demand', 'capacity'],
  ]);
});

test('a fleet without machines is a launch with a shortfall, and is sent once', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  cloud.simulator.setKnobs({ capacity: [{ count: 0 }] });
  const order = await prepared(ec2Fleet, cloud, { machine_count: 5, template: twoTypes });
  const launch = await ec2Fleet.launch(cloud.session, order, cloud.call);
  t.deepEqual(launch.machines, []);
  t.true(launch.settled);
  t.is(launch.shortfall?.length, 4);
  t.is(cloud.calls('CreateFleet'), 1);
});

test('pools that a fleet never tried are one reason without an offer, however many they are', async (t) => {
  const cloud = await stage({}, {}, { knobs: { capacity: [{ count: 0 }], fleets: { instant_tries: 3 } as any } });
  t.teardown(cloud.close);
  const sizes = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge'];
  const machine_types = Object.fromEntries(
    sizes.flatMap((size) => ['m5', 'm5a'].map((each) => [`${each}.${size}`, 1])),
  );
  const order = await prepared(ec2Fleet, cloud, { template: { machine_types } as any });
  const { shortfall = [] } = await ec2Fleet.launch(cloud.session, order, cloud.call);
  const named = shortfall.filter(({ offer }) => offer !== undefined);
  t.deepEqual([named.length, shortfall.length], [3, 4]);
  const others = shortfall.find(({ offer }) => offer === undefined);
  t.like(others, { kind: 'capacity', code: 'UnfulfillableCapacity', lack: 'untried' });
  t.true(named.every(({ lack }) => lack === undefined));
});

test('a weighted fleet starts no more machines than ordered', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const machine_types = { 'm5.xlarge': 2, 'm5.2xlarge': 4 };
  const order = await prepared(ec2Fleet, cloud, { machine_count: 5, template: { template_id: 't', machine_types } });
  t.is(order.prepared.input.TargetCapacitySpecification.TotalTargetCapacity, 10);
  const launch = await ec2Fleet.launch(cloud.session, order, cloud.call);
  t.true((launch.machines?.length ?? 0) >= 3 && (launch.machines?.length ?? 0) <= 5);
});

test('a mixed fleet has the ordered share on demand', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const template = {
    ...twoTypes,
    price_type: 'mixed',
    percent_on_demand: 40,
    allocation_strategy: 'capacityOptimized',
  };
  const order = await prepared(ec2Fleet, cloud, { machine_count: 5, template });
  t.is(order.prepared.input.SpotOptions.AllocationStrategy, 'capacity-optimized');
  const launch = await ec2Fleet.launch(cloud.session, order, cloud.call);
  const markets = (launch.machines ?? []).map((machine) => (machine.data as { market: string }).market).toSorted();
  t.deepEqual(markets, ['on-demand', 'on-demand', 'spot', 'spot', 'spot']);
});

for (const fleet_replay of ['bare', 'full'] as const) {
  test(`a replay after a lost answer gives the same machines, when its answer is ${fleet_replay}`, async (t) => {
    const cloud = await stage();
    t.teardown(cloud.close);
    cloud.simulator.setKnobs({
      tokens: { fleet_replay },
      faults: [{ action: 'CreateFleet', effect: 'execute', then: 'drop' }],
    });
    const order = await prepared(ec2Fleet, cloud, { machine_count: 3, template: twoTypes });
    const fault = await t.throwsAsync<ProviderFault>(ec2Fleet.launch(cloud.session, order, cloud.call));
    t.is(fault?.kind, 'unknown-outcome');

    const found = await ec2Fleet.find?.(cloud.session, order, cloud.call);
    const launch = await ec2Fleet.launch(cloud.session, order, cloud.call);
    t.deepEqual(launch.handle, found);
    t.is(launch.machines?.length, 3);
    t.is(launch.shortfall, undefined);
    t.deepEqual(ids(launch), cloud.simulator.ledger().live[order.request_id]?.toSorted());
  });
}

test('a replay of a fleet with a shortfall returns its machines and reasons', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  cloud.simulator.setKnobs({
    capacity: [{ count: 1 }],
    faults: [{ action: 'CreateFleet', effect: 'execute', then: 'cut' }],
  });
  const order = await prepared(ec2Fleet, cloud, {
    machine_count: 5,
    template: { ...twoTypes, subnet_ids: ['subnet-1'] },
  });
  await t.throwsAsync(ec2Fleet.launch(cloud.session, order, cloud.call));
  t.is(await ec2Fleet.find?.(cloud.session, order, cloud.call), undefined);
  const launch = await ec2Fleet.launch(cloud.session, order, cloud.call);
  t.is(launch.machines?.length, 2);
  t.is(launch.shortfall?.length, 2);
});

test('a release ends exactly the named machines and does not change the fleet', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(ec2Fleet, cloud, { machine_count: 4, template: twoTypes });
  const launch = await ec2Fleet.launch(cloud.session, order, cloud.call);
  const [first, ...stay] = refs(launch);
  if (!first) return t.fail();
  const aim = { go: [first], stay, incoming: 0 };
  t.deepEqual(await ec2Fleet.release(cloud.session, launch.handle, aim, cloud.call), { done: true });
  t.deepEqual(await ec2Fleet.release(cloud.session, launch.handle, aim, cloud.call), { done: true });
  await sleep(40);
  t.deepEqual(
    cloud.simulator.ledger().live[order.request_id]?.toSorted(),
    stay.map((machine) => machine.machine_id).toSorted(),
  );
  t.is(cloud.calls('DeleteFleets'), 0);
});

test('parameters that the cloud refuses are a fault that is never retried', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  cloud.simulator.setKnobs({ strict_ids: true });
  const order = await prepared(ec2Fleet, cloud, { machine_count: 1, template: twoTypes });
  const fault = await t.throwsAsync<ProviderFault>(ec2Fleet.launch(cloud.session, order, cloud.call));
  t.is(fault?.kind, 'invalid');
});

test('a deleted launch template is created again by the next attempt', async (t) => {
  let monotonic = 0;
  const clock = { now: () => Date.now(), monotonic: () => monotonic, sleep: async () => {} };
  const cloud = await stage({}, { clock });
  t.teardown(cloud.close);
  const order = await prepared(ec2Fleet, cloud, { template: twoTypes });
  await cloud.session.write(
    (ec2) => new ec2.DeleteLaunchTemplateCommand({ LaunchTemplateId: order.prepared.template.id }),
    cloud.call,
  );

  const young = await t.throwsAsync<ProviderFault>(ec2Fleet.launch(cloud.session, order, cloud.call));
  t.is(young?.kind, 'unavailable');
  monotonic = 400_000;
  const old = await t.throwsAsync<ProviderFault>(ec2Fleet.launch(cloud.session, order, cloud.call));
  t.is(old?.kind, 'gone');
  const next = await prepared(ec2Fleet, cloud, { request_id: order.request_id, attempt: 2, template: twoTypes });
  t.not(next.prepared.template.id, order.prepared.template.id);
});

test("the template's own launch template is used at a number", async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const made = await cloud.session.write(
    (ec2) =>
      new ec2.CreateLaunchTemplateCommand({
        LaunchTemplateName: 'mine',
        LaunchTemplateData: { ImageId: 'ami-7', InstanceType: 'm5.large' },
      }),
    cloud.call,
  );
  const launch_template_id = made.LaunchTemplate?.LaunchTemplateId as string;
  const bare = {
    template_id: 't',
    launch_template_id,
    image_id: undefined,
    machine_type: undefined,
    subnet_ids: undefined,
  } as any;
  const order = await prepared(ec2Fleet, cloud, { template: bare });
  t.deepEqual(order.prepared.template, { id: launch_template_id, version: '1', owner: 'foreign' });
  t.is((await ec2Fleet.launch(cloud.session, order, cloud.call)).machines?.length, 1);

  const laid = await prepared(ec2Fleet, cloud, { template: { ...bare, key_name: 'mine' } });
  t.is(laid.prepared.template.owner, 'shared');
  t.is((await ec2Fleet.launch(cloud.session, laid, cloud.call)).machines?.length, 1);
});
