import test from 'ava';
import { isFault, type Launch, type MachineRef, type ProviderFault } from '../../../core/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { until } from '../../support/boot-broker.ts';
import { prepared, quietCall, sleep, stage } from '../cloud/support.ts';

const refs = (launch: Launch): MachineRef[] =>
  (launch.machines ?? []).map(({ machine_id, status, data }) => ({ machine_id, status, ...(data ? { data } : {}) }));
const ids = (launch: Launch): string[] =>
  refs(launch)
    .map((machine) => machine.machine_id)
    .toSorted();

test('a launch starts the ordered machines with their tags, and they are observed until they are ready', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(runInstances, cloud, {
    machine_count: 3,
    tags: { cost: '42' },
    template: { template_id: 't', tags: { team: 'blue' } },
  });

  const launch = await runInstances.launch(cloud.session, order, cloud.call);
  t.is(launch.machines?.length, 3);
  t.true(launch.settled);
  t.is(launch.shortfall, undefined);
  t.deepEqual(cloud.simulator.ledger().live[order.request_id]?.toSorted(), ids(launch));
  t.deepEqual(cloud.simulator.ledger().untagged, []);

  await sleep(40);
  const [seen] = await runInstances.observe(
    cloud.session,
    [{ handle: launch.handle, order, known: refs(launch) }],
    cloud.call,
  );
  if (!seen || isFault(seen)) return t.fail();
  t.true(seen.settled);
  t.is(seen.machines.length, 3);
  for (const machine of seen.machines) {
    t.true(machine.ready);
    t.is(machine.status, 'running');
    t.regex(machine.private_ip ?? '', /^\d+\.\d+\.\d+\.\d+$/);
    t.truthy(machine.name);
    t.like(machine.data, { market: 'on-demand', machine_type: 'm5.large', weight: 1 });
    t.regex(machine.zone ?? '', /^us-east-1[a-f]$/);
  }
});

test('a partial launch has a shortfall that names the offer', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  cloud.simulator.setKnobs({ capacity: [{ instance_type: 'm5.large', count: 2 }] });
  const order = await prepared(runInstances, cloud, { machine_count: 5 });
  const launch = await runInstances.launch(cloud.session, order, cloud.call);
  t.is(launch.machines?.length, 2);
  t.like(launch.shortfall?.[0], { offer: 'm5.large|subnet-1|on-demand', kind: 'capacity', count: 3 });
});

test('a lack of capacity is a fault of that kind, and the launch is sent once', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  cloud.simulator.setKnobs({ capacity: [{ count: 0 }] });
  const order = await prepared(runInstances, cloud, { machine_count: 5 });
  const fault = await t.throwsAsync<ProviderFault>(runInstances.launch(cloud.session, order, cloud.call));
  t.is(fault?.kind, 'capacity');
  t.is(fault?.code, 'InsufficientInstanceCapacity');
  t.regex(fault?.message ?? '', /Error Code: InsufficientInstanceCapacity$/);
  t.is(cloud.calls('RunInstances'), 1);
});

for (const then of ['drop', 'cut', 'bad-xml', 'html', 'error'] as const) {
  test(`an answer lost by '${then}' leaves the outcome unknown, and a replay gives the same machines`, async (t) => {
    const cloud = await stage();
    t.teardown(cloud.close);
    const order = await prepared(runInstances, cloud, { machine_count: 2 });
    cloud.simulator.setKnobs({ faults: [{ action: 'RunInstances', effect: 'execute', then }] });

    const fault = await t.throwsAsync<ProviderFault>(runInstances.launch(cloud.session, order, cloud.call));
    t.is(fault?.kind, 'unknown-outcome');
    t.is(cloud.calls('RunInstances'), 1);

    t.truthy(await runInstances.find?.(cloud.session, order, cloud.call));
    const launch = await runInstances.launch(cloud.session, order, cloud.call);
    t.deepEqual(ids(launch), cloud.simulator.ledger().live[order.request_id]?.toSorted());
    t.is(launch.machines?.length, 2);
  });
}

test('an aborted launch has an unknown outcome if it was sent, and otherwise was not executed', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(runInstances, cloud);
  const early = await t.throwsAsync<ProviderFault>(
    runInstances.launch(cloud.session, order, quietCall(AbortSignal.abort())),
  );
  t.is(early?.kind, 'unavailable');
  t.is(cloud.calls('RunInstances'), 0);

  cloud.simulator.setKnobs({ faults: [{ action: 'RunInstances', effect: 'execute', then: 'hang' }] });
  const stop = new AbortController();
  const failing = t.throwsAsync<ProviderFault>(runInstances.launch(cloud.session, order, quietCall(stop.signal)));
  await until(async () => cloud.calls('RunInstances') === 1);
  stop.abort();
  t.is((await failing)?.kind, 'unknown-outcome');
});

test('a fence that throws keeps the launch from being sent, and its error is thrown', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(runInstances, cloud);
  const lost = new Error('The claim is lost.');
  const fence = (): never => {
    throw lost;
  };
  t.is(await t.throwsAsync(runInstances.launch(cloud.session, order, { ...quietCall(), fence })), lost);
  t.is(cloud.calls('RunInstances'), 0);
});

test('find returns nothing without a launch, and a part of a launch does not count as all of it', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(runInstances, cloud, { machine_count: 2 });
  t.is(await runInstances.find?.(cloud.session, order, cloud.call), undefined);
  await runInstances.launch(cloud.session, order, cloud.call);
  t.is(await runInstances.find?.(cloud.session, { ...order, machine_count: 3 }, cloud.call), undefined);
  t.deepEqual(await runInstances.find?.(cloud.session, order, cloud.call), { client_token: order.token });
});

test('a release ends exactly the named machines, may be repeated, and succeeds for unknown ids', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(runInstances, cloud, { machine_count: 4 });
  const launch = await runInstances.launch(cloud.session, order, cloud.call);
  const [first, second, ...stay] = refs(launch);
  if (!first || !second) return t.fail();
  const long = { machine_id: 'i-0123456789abcdef0', status: 'running' as const };
  const aim = { go: [first, long, second], stay, incoming: 0 };
  t.deepEqual(await runInstances.release(cloud.session, launch.handle, aim, cloud.call), { done: true });
  t.deepEqual(await runInstances.release(cloud.session, launch.handle, aim, cloud.call), { done: true });
  t.deepEqual(await runInstances.release(cloud.session, launch.handle, { go: [], stay, incoming: 0 }, cloud.call), {
    done: true,
  });
  await sleep(40);
  t.deepEqual(
    cloud.simulator.ledger().live[order.request_id]?.toSorted(),
    stay.map((machine) => machine.machine_id).toSorted(),
  );
  const [seen] = await runInstances.observe(
    cloud.session,
    [{ handle: launch.handle, order, known: refs(launch) }],
    cloud.call,
  );
  if (!seen || isFault(seen)) return t.fail();
  t.is(seen.machines.find((machine) => machine.machine_id === first.machine_id)?.status, 'terminated');
});

test('an attempt whose machines are all gone has ended when its token is replayed', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(runInstances, cloud, { machine_count: 2 });
  const launch = await runInstances.launch(cloud.session, order, cloud.call);
  await runInstances.release(cloud.session, launch.handle, { go: refs(launch), stay: [], incoming: 0 }, cloud.call);
  await sleep(40);
  const again = await runInstances.launch(cloud.session, order, cloud.call);
  t.deepEqual(again.machines, []);
  t.true(again.settled);
});

test('an order of the Spot market starts Spot machines', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(runInstances, cloud, {
    template: { template_id: 't', price_type: 'spot', max_price: 5 },
  });
  const launch = await runInstances.launch(cloud.session, order, cloud.call);
  t.like(launch.machines?.[0]?.data, { market: 'spot' });
});

test('a token that was used with other parameters starts nothing, and its machines are returned', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(runInstances, cloud, { machine_count: 2 });
  const launch = await runInstances.launch(cloud.session, order, cloud.call);
  const other = { ...order, prepared: { params: { ...order.prepared.params, KeyName: 'other' } } };
  const again = await runInstances.launch(cloud.session, other, cloud.call);
  t.deepEqual(ids(again), ids(launch));
  t.is(cloud.simulator.ledger().live[order.request_id]?.length, 2);
});

test('a root volume has the device name of the image, which is read once', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const template = { template_id: 't', root_volume_size: 40, volume_type: 'gp3' };
  const orders = await Promise.all([1, 2, 3].map(() => prepared(runInstances, cloud, { template })));
  t.is(cloud.calls('DescribeImages'), 1);
  const [mapping] = orders[0]?.prepared.params.BlockDeviceMappings ?? [];
  t.regex(mapping.DeviceName, /^\/dev\//);
  t.deepEqual(mapping.Ebs, { VolumeSize: 40, VolumeType: 'gp3', DeleteOnTermination: true });
});

test('machines that the cloud accepted and that never ran are a shortfall', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  cloud.simulator.setKnobs({
    late_failures: [{ code: 'Server.InsufficientInstanceCapacity', message: 'none left', after_ms: 5 }],
    boot_ms: 200,
  });
  const order = await prepared(runInstances, cloud, { machine_count: 2 });
  const launch = await runInstances.launch(cloud.session, order, cloud.call);
  await sleep(60);
  const [seen] = await runInstances.observe(
    cloud.session,
    [{ handle: launch.handle, order, known: refs(launch) }],
    cloud.call,
  );
  if (!seen || isFault(seen)) return t.fail();
  t.like(seen.shortfall?.[0], { offer: 'm5.large|subnet-1|on-demand', kind: 'capacity', count: 1 });
});

test('without subnets a lack of capacity in one zone leads to the next zone, and the type stays usable in the region', async (t) => {
  const capacity = ['us-east-1a', 'us-east-1b'].map((zone) => ({ zone, count: zone.endsWith('b') ? 1 : 0 }));
  const cloud = await stage({}, {}, { knobs: { zone_choice: 'first', capacity } });
  t.teardown(cloud.close);
  const template = { template_id: 't', subnet_ids: undefined } as any;
  const order = (machine_count = 1) => prepared(runInstances, cloud, { machine_count, template });
  const first = await order();
  t.is(first.prepared.params.Placement, undefined);
  const fault = await t.throwsAsync<ProviderFault>(runInstances.launch(cloud.session, first, cloud.call));
  t.deepEqual([fault?.kind, fault?.offer], ['capacity', 'm5.large|us-east-1a|on-demand']);

  const second = await order(3);
  t.deepEqual(second.prepared.params.Placement, { AvailabilityZone: 'us-east-1b' });
  const partial = await runInstances.launch(cloud.session, second, cloud.call);
  t.is(partial.machines?.length, 1);
  t.like(partial.shortfall?.[0], { offer: 'm5.large|us-east-1b|on-demand', kind: 'capacity', count: 2 });

  const third = await runInstances.launch(cloud.session, await order(2), cloud.call);
  t.deepEqual(
    third.machines?.map(({ zone }) => zone),
    ['us-east-1c', 'us-east-1c'],
  );
});

test('without subnets a type that all zones lack is short in the region', async (t) => {
  const cloud = await stage({}, {}, { knobs: { zone_choice: 'first', capacity: [{ count: 0 }] } });
  t.teardown(cloud.close);
  const template = { template_id: 't', subnet_ids: undefined } as any;
  const offers: (string | undefined)[] = [];
  for (let at = 0; at < 6; at += 1) {
    const order = await prepared(runInstances, cloud, { template });
    offers.push((await t.throwsAsync<ProviderFault>(runInstances.launch(cloud.session, order, cloud.call)))?.offer);
  }
  t.is(new Set(offers).size, 6);
  t.is(offers.at(-1), 'm5.large|*|on-demand');
});

const zonePlaces: readonly (readonly [string, object, object])[] = [
  ['a tenancy', { tenancy: 'default' }, { Tenancy: 'default' }],
  ['a public address', { public_ip: true }, {}],
  [
    'an interface of a native specification',
    { launch_template_spec: { NetworkInterfaces: [{ DeviceIndex: 0 }] } },
    {},
  ],
];
for (const [name, fields, placement] of zonePlaces) {
  test(`without subnets, ${name} does not prevent a launch in another zone`, async (t) => {
    const capacity = [{ zone: 'us-east-1a', count: 0 }];
    const cloud = await stage({}, {}, { knobs: { zone_choice: 'first', capacity } });
    t.teardown(cloud.close);
    const template = { template_id: 't', subnet_ids: undefined, ...fields } as any;
    const first = await prepared(runInstances, cloud, { template });
    const fault = await t.throwsAsync<ProviderFault>(runInstances.launch(cloud.session, first, cloud.call));
    t.is(fault?.offer, 'm5.large|us-east-1a|on-demand');
    const second = await prepared(runInstances, cloud, { template });
    t.deepEqual(second.prepared.params.Placement, { ...placement, AvailabilityZone: 'us-east-1b' });
    const { machines } = await runInstances.launch(cloud.session, second, cloud.call);
    t.is(machines?.[0]?.zone, 'us-east-1b');
  });
}

test('a named launch template without a subnet does not prevent a launch in another zone', async (t) => {
  const capacity = [{ zone: 'us-east-1a', count: 0 }];
  const cloud = await stage({}, {}, { knobs: { zone_choice: 'first', capacity } });
  t.teardown(cloud.close);
  const data = { ImageId: 'ami-1', InstanceType: 'c5.large' as const, Placement: { Tenancy: 'default' as const } };
  const made = await cloud.session.write(
    (ec2) => new ec2.CreateLaunchTemplateCommand({ LaunchTemplateName: 'base', LaunchTemplateData: data }),
    cloud.call,
  );
  const launch_template_id = made.LaunchTemplate?.LaunchTemplateId;
  const fields = { image_id: undefined, machine_type: undefined, subnet_ids: undefined, launch_template_id };
  const template = { template_id: 't', ...fields } as any;
  const first = await prepared(runInstances, cloud, { template });
  const fault = await t.throwsAsync<ProviderFault>(runInstances.launch(cloud.session, first, cloud.call));
  t.is(fault?.offer, 'c5.large|us-east-1a|on-demand');
  const second = await prepared(runInstances, cloud, { template });
  t.deepEqual(second.prepared.params.Placement, { Tenancy: 'default', AvailabilityZone: 'us-east-1b' });
  const { machines } = await runInstances.launch(cloud.session, second, cloud.call);
  t.is(machines?.[0]?.zone, 'us-east-1b');
});

test('a launch whose template names a zone, a subnet or a placement group stays in its place', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  for (const spec of [
    { Placement: { AvailabilityZone: 'us-east-1a' } },
    { Placement: { GroupName: 'near' } },
    { SubnetId: 'subnet-1' },
    { NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: 'subnet-1' }] },
    { NetworkInterfaces: [{ DeviceIndex: 0, NetworkInterfaceId: 'eni-1' }] },
  ]) {
    const template = { template_id: 't', subnet_ids: undefined, launch_template_spec: spec } as any;
    const order = await prepared(runInstances, cloud, { template });
    t.is(order.prepared.open_pool, undefined);
  }
});

test('without subnets, an image that does not fit the type rules out no zone, and concerns the template alone', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const unsupported = { effect: 'skip', then: 'error', code: 'Unsupported', status: 400, times: 1 } as const;
  cloud.simulator.setKnobs({ faults: [{ action: 'RunInstances', ...unsupported }] });
  const template = { template_id: 't', subnet_ids: undefined } as any;
  const first = await prepared(runInstances, cloud, { template });
  const fault = await t.throwsAsync<ProviderFault>(runInstances.launch(cloud.session, first, cloud.call));
  t.like(fault, { kind: 'capacity', code: 'Unsupported', lack: 'terms' });
  t.true(fault?.offer === undefined || fault.offer === 'm5.large|*|on-demand');
  const second = await prepared(runInstances, cloud, { template });
  t.is(second.prepared.params.Placement, undefined);
});

test('without subnets, a zone that does not offer the type is left out', async (t) => {
  const capacity = [...'abcd'].map((letter) => ({ zone: `us-east-1${letter}`, count: 0 }));
  const cloud = await stage({}, {}, { knobs: { zone_choice: 'first', capacity } });
  t.teardown(cloud.close);
  const template = { template_id: 't', machine_type: 'm6i.large', subnet_ids: undefined } as any;
  const faults: (ProviderFault | undefined)[] = [];
  for (let at = 0; at < 5; at += 1) {
    const order = await prepared(runInstances, cloud, { template });
    faults.push(await t.throwsAsync<ProviderFault>(runInstances.launch(cloud.session, order, cloud.call)));
  }
  t.like(faults.at(-1), { code: 'Unsupported', lack: undefined, offer: 'm6i.large|us-east-1e|on-demand' });
  const last = await prepared(runInstances, cloud, { template });
  t.is((await runInstances.launch(cloud.session, last, cloud.call)).machines?.[0]?.zone, 'us-east-1f');
});
