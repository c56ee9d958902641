import test from 'ava';
import { isFault } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { shortfallOf } from '../../../plugins/cloud-asg/observe/group-shortfall.ts';
import { isStuck } from '../../../plugins/cloud-asg/observe/is-stuck.ts';
import { poolsOf } from '../../../plugins/cloud/index.ts';
import { idsOf, openGroups, refs, running, tally, type Order } from './support.ts';

const twoTypes = {
  template_id: 't',
  machine_types: { 'm5.large': 1, 'c5.large': 1 },
  subnet_ids: ['subnet-1', 'subnet-2'],
};
const watch = (order: Order, known = [] as ReturnType<typeof refs>) => {
  const { name, unit, weighted } = order.prepared;
  return { handle: { name, unit, weighted }, order, known };
};

test('a group that stays short reports a shortfall by offer and is not settled', async (t) => {
  const cloud = await openGroups(t, { capacity: [{ count: 1 }] });
  const order = await cloud.order({ machine_count: 9, template: twoTypes });
  await cloud.launch(order);
  await cloud.observe(order);
  cloud.minute();
  const seen = await cloud.observe(order);
  t.is(seen.machines.length, 4);
  t.false(seen.settled);
  t.true(seen.stuck);
  t.deepEqual(seen.shortfall?.map(({ offer, kind }) => [offer, kind]).toSorted(), [
    ['c5.large|subnet-1|on-demand', 'capacity'],
    ['c5.large|subnet-2|on-demand', 'capacity'],
    ['m5.large|subnet-1|on-demand', 'capacity'],
    ['m5.large|subnet-2|on-demand', 'capacity'],
  ]);
  await cloud.release(order, { stay: refs(seen.machines) });
  cloud.simulator.setKnobs({ capacity: [] });
  cloud.minute();
  t.true((await cloud.release(order, { stay: refs(seen.machines) })).done);
  t.deepEqual(cloud.live(order), idsOf(seen.machines));
});

/**
 * The SDK asks again after any error of a cloud whose clock is far from the computer's, as that of a standing one is.
 */
const once = { cloud_max_retries: 0 };

test('the history of a short group is not read at every observation, and one that cannot be read says nothing', async (t) => {
  const cloud = await openGroups(
    t,
    {
      capacity: [{ count: 0 }],
      faults: [{ action: 'DescribeScalingActivities', effect: 'skip', then: 'error', code: 'ValidationError' }],
    },
    once,
  );
  const order = await cloud.order({ machine_count: 2 });
  await cloud.launch(order);
  for (let looks = 0; looks < 11; looks += 1) {
    const seen = await cloud.observe(order);
    t.is(seen.shortfall === undefined, looks < 4 || looks % 2 === 1, String(looks));
    cloud.simulator.advance(1_000);
  }
});

test('a group without subnets is short only when all its zones lack capacity', async (t) => {
  const template = { template_id: 't', subnet_ids: undefined } as any;
  for (const [capacity, short] of [
    [[{ zone: 'us-east-1a', count: 0 }], false],
    [[{ count: 0 }], true],
  ] as const) {
    const cloud = await openGroups(t, { capacity });
    const order = await cloud.order({ machine_count: 3, template });
    await cloud.launch(order);
    await cloud.observe(order);
    cloud.minute();
    const seen = await cloud.observe(order);
    t.is(seen.shortfall !== undefined, short);
    t.is(seen.stuck === true, short);
    t.is(seen.machines.length, short ? 0 : 3);
  }
});

test('a shortage of Spot is not reported for on-demand pools', async (t) => {
  const cloud = await openGroups(t, { capacity: [{ market: 'spot', count: 0 }] });
  const template = { ...twoTypes, price_type: 'mixed', percent_on_demand: 50 };
  const order = await cloud.order({ machine_count: 4, template });
  await cloud.launch(order);
  await cloud.observe(order);
  cloud.minute();
  const seen = await cloud.observe(order);
  t.deepEqual(tally(seen.machines.map(({ data }) => (data as { market: string }).market)), { 'on-demand': 2 });
  t.true(seen.stuck, 'what is on demand has its share');
  t.deepEqual(tally(seen.shortfall?.map(({ offer }) => offer?.split('|')[2]) ?? []), { spot: 4 });
});

test('a shortage on demand is not reported for Spot pools, and the group continues while one market may deliver', async (t) => {
  const cloud = await openGroups(t, {
    capacity: [
      { market: 'on-demand', count: 0 },
      { market: 'spot', instance_type: 'm5.large', count: 1 },
    ],
  });
  const template = { ...twoTypes, price_type: 'mixed', percent_on_demand: 50 };
  const order = await cloud.order({ machine_count: 4, template });
  await cloud.launch(order);
  await cloud.observe(order);
  cloud.minute();
  const seen = await cloud.observe(order);
  t.deepEqual(tally(seen.shortfall?.map(({ offer }) => offer?.split('|')[2]) ?? []), { 'on-demand': 4 });
});

test('messages of scaling activities are mapped to codes and pools', (t) => {
  const pools = poolsOf({ template_id: 't', machine_type: 'm5.large', subnet_ids: ['subnet-1', 'subnet-2'] } as any);
  const kinds = (StatusMessage: string, more: object = {}) =>
    shortfallOf([{ StatusCode: 'Failed', StatusMessage, ...more } as any], pools, ['us-east-1a']).map(
      ({ kind, code, offer }) => [kind, code, offer?.split('|')[1]].join(' '),
    );
  const here = { Details: '{"Subnet ID":"subnet-2","Availability Zone":"us-east-1b"}' };
  t.deepEqual(
    kinds(
      'We currently do not have sufficient m5.large capacity in the Availability Zone you requested. Launching EC2 instance failed.',
      here,
    ),
    ['capacity InsufficientInstanceCapacity subnet-2'],
  );
  t.deepEqual(
    kinds(
      'Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested more vCPU capacity than your limit. Launching EC2 instance failed.',
    ),
    ['quota VcpuLimitExceeded subnet-1', 'quota VcpuLimitExceeded subnet-2'],
  );
  t.deepEqual(
    kinds(
      'Could not launch Spot Instances. UnfulfillableCapacity - Unable to fulfill capacity. Launching EC2 instance failed.',
    ),
    [],
  );
  t.deepEqual(kinds('Something new. Launching EC2 instance failed.', { Details: 'no JSON' }), [
    'unavailable LaunchFailed subnet-1',
    'unavailable LaunchFailed subnet-2',
  ]);
  t.deepEqual(kinds('The instance was terminated before it was in service.', { StatusCode: 'Cancelled' }), []);
  t.deepEqual(kinds('', { StatusCode: 'Successful' }), []);
});

test('without subnets a pool is short once all zones of the group are', (t) => {
  const pools = poolsOf({ template_id: 't', machine_type: 'm5.large' } as any);
  const failed = (zone: string) => ({
    StatusCode: 'Failed',
    StatusMessage: 'We currently do not have sufficient m5.large capacity.',
    Details: JSON.stringify({ 'Availability Zone': zone }),
  });
  const short = (...zones: string[]) => shortfallOf(zones.map(failed) as any, pools, ['a', 'b']).length;
  t.is(short('a'), 0);
  t.is(short('a', 'b'), 1);
});

test('a group is stuck when every market that still lacks units has said why, in all its pools', (t) => {
  const pools = poolsOf({
    template_id: 't',
    machine_types: { 'm5.large': 2, 'm5.xlarge': 4 },
    price_type: 'mixed',
  } as any);
  const prepared = { pools, weighted: true, unit: 2, target: { 'on-demand': 4, spot: 4 } } as any;
  const machine = (market: string, weight: number, status = 'running') =>
    ({ machine_id: 'i', status, ready: true, data: { market, weight } }) as any;
  const said = (market: string, kind = 'capacity') =>
    pools.flatMap((pool) =>
      pool.market === market ? [{ offer: pool.key, kind, code: 'x', message: 'x' } as any] : [],
    );
  t.true(isStuck(prepared, [machine('on-demand', 4)], said('spot')));
  t.false(isStuck(prepared, [machine('on-demand', 2)], said('spot')));
  t.false(isStuck(prepared, [machine('on-demand', 4, 'terminated')], said('spot')));
  t.false(isStuck(prepared, [machine('on-demand', 4)], said('spot').slice(1)));
  t.false(isStuck(prepared, [machine('on-demand', 4)], said('spot', 'unavailable')));
  t.true(isStuck(prepared, [], [...said('spot'), ...said('on-demand', 'quota')]));
  t.false(isStuck({ ...prepared, weighted: false, unit: 1 }, [machine('on-demand', 4)], said('spot')));
});

for (const boot_ms of [100_000, 100]) {
  test(`machines that the group lists and EC2 does not show yet are counted (boot ${boot_ms} ms), but not for ever`, async (t) => {
    const never = 3_600_000;
    const cloud = await openGroups(t, {
      visible_ms: { id: never, filter: never, tag: never, template: 0, fleet: 0 },
      boot_ms,
    });
    const order = await cloud.order({ machine_count: 3 });
    await cloud.launch(order);
    cloud.simulator.advance(5_000);
    const seen = await cloud.observe(order);
    t.is(seen.machines.length, 3);
    t.is(seen.settled, boot_ms === 100);
    t.true(seen.machines.every((machine) => machine.status === 'pending' && !machine.ready));
    t.deepEqual(idsOf(seen.machines), cloud.live(order));
    cloud.simulator.advance(301_000);
    t.deepEqual((await cloud.observe(order)).machines, []);
  });
}

test('many groups and their machines are observed in a few calls, and a fault concerns the groups of its call alone', async (t) => {
  const cloud = await openGroups(t, {}, once);
  const orders = await Promise.all(Array.from({ length: 60 }, () => cloud.order({ machine_count: 1 })));
  for (const order of orders) await cloud.launch(order);
  cloud.minute();
  const before = cloud.simulator.audit().length;
  const seen = await asg.observe(
    cloud.session,
    orders.map((order) => watch(order)),
    cloud.call,
  );
  t.true(seen.every((each) => !isFault(each) && each.settled && each.machines.length === 1));
  t.is(cloud.simulator.audit().length - before, 3);

  const [first, second, ...rest] = orders as [Order, Order, ...Order[]];
  cloud.minute();
  cloud.simulator.setKnobs({
    faults: [{ action: 'DescribeAutoScalingGroups', nth: 2, effect: 'skip', then: 'error', code: 'AccessDenied' }],
  });
  const some = await asg.observe(
    cloud.session,
    [first, second, ...rest].map((order) => watch(order)),
    cloud.call,
  );
  t.is(some.filter(isFault).length, 10);
});

test('lost machines are not replaced, and the group says that no more will come', async (t) => {
  const cloud = await openGroups(t);
  const { order, machines } = await running(cloud, { machine_count: 3 });
  const [first] = machines;
  if (!first) return t.fail();
  await cloud.session.write(
    (ec2) => new ec2.TerminateInstancesCommand({ InstanceIds: [first.machine_id] }),
    cloud.call,
  );
  cloud.minute();
  cloud.minute();
  const seen = await cloud.observe(order, machines);
  t.true(seen.settled);
  t.is(seen.machines.find((machine) => machine.machine_id === first.machine_id)?.status, 'terminated');
  t.is(cloud.live(order).length, 2);
});

test('a machine that ends before it runs is a shortfall, and its group does not try again', async (t) => {
  const cloud = await openGroups(t, { late_failures: [{ code: 'Server.InsufficientInstanceCapacity' }] });
  const order = await cloud.order({ machine_count: 3 });
  await cloud.launch(order);
  cloud.simulator.advance(1_100);
  const young = await cloud.observe(order);
  cloud.minute();
  cloud.minute();
  const seen = await cloud.observe(order, refs(young.machines));
  t.true(seen.settled);
  t.deepEqual(
    seen.shortfall?.map(({ kind, count }) => [kind, count]),
    [['capacity', 1]],
  );
  t.is(cloud.live(order).length, 2);
});

test('an observation suspends processes that somebody resumed', async (t) => {
  const cloud = await openGroups(t);
  const { order, machines } = await running(cloud, { machine_count: 3 });
  const name = order.prepared.name as string;
  await cloud.session.groups.write(
    (sdk) => new sdk.ResumeProcessesCommand({ AutoScalingGroupName: name }),
    cloud.call,
  );
  cloud.minute();
  await cloud.observe(order, machines);
  t.is((await cloud.group(order))?.SuspendedProcesses?.length, 6);
});

test('a group does not rebalance its zones', async (t) => {
  const cloud = await openGroups(t, { capacity: [{ zone: 'us-east-1a', count: 0 }] });
  const { order, machines } = await running(cloud, {
    machine_count: 6,
    template: { template_id: 't', subnet_ids: undefined } as any,
  });
  t.is(machines.length, 6);
  cloud.simulator.setKnobs({ capacity: [] });
  cloud.minute();
  cloud.minute();
  t.deepEqual(cloud.live(order), idsOf(machines));
});
