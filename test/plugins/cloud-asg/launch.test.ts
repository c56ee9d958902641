import test from 'ava';
import type { ProviderFault } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { openGroups, type GroupStage, type Order } from './support.ts';

const kindOf = async (launch: Promise<unknown>): Promise<string> => {
  try {
    await launch;
    return 'launched';
  } catch (error) {
    return (error as ProviderFault).kind;
  }
};
/** A group of somebody else. */
const foreign = (cloud: GroupStage, order: Order, Tags: { Key: string; Value: string }[] = []) =>
  cloud.session.groups.write(
    (sdk) =>
      new sdk.CreateAutoScalingGroupCommand({
        AutoScalingGroupName: order.prepared.name,
        MinSize: 0,
        MaxSize: 0,
        AvailabilityZones: ['us-east-1a'],
        LaunchTemplate: order.prepared.input.LaunchTemplate,
        Tags,
      }),
    cloud.call,
  );

for (const then of ['drop', 'cut', 'html', 'bad-xml'] as const) {
  test(`after a lost answer (${then}) a replay finds the one group, and no second one is made`, async (t) => {
    const cloud = await openGroups(t, { faults: [{ action: 'CreateAutoScalingGroup', effect: 'execute', then }] });
    const order = await cloud.order({ machine_count: 3 });
    t.is(await kindOf(cloud.launch(order)), 'unknown-outcome');
    const found = await asg.find?.(cloud.session, order, cloud.call);
    const launch = await cloud.launch(order);
    t.deepEqual(launch.handle, found);
    t.deepEqual(await cloud.launch(order), launch);
    cloud.minute();
    t.is(cloud.live(order).length, 3);
    t.is(cloud.simulator.ledger().groups.length, 1);
  });
}

test('a lost answer followed by a failing replay stays an unknown outcome', async (t) => {
  const cloud = await openGroups(t, {
    faults: [{ action: 'CreateAutoScalingGroup', effect: 'execute', then: 'drop' }],
  });
  const order = await cloud.order({ machine_count: 1 });
  t.is(await kindOf(cloud.launch(order)), 'unknown-outcome');
  for (const action of ['DescribeAutoScalingGroups', 'SuspendProcesses']) {
    for (const code of ['Throttling', 'AccessDenied', 'ResourceContention', 'ValidationError']) {
      cloud.simulator.setKnobs({ faults: [{ action, times: null, effect: 'skip', then: 'error', code }] });
      t.is(await kindOf(cloud.launch(order)), 'unknown-outcome', `${action} ${code}`);
    }
  }
  cloud.simulator.setKnobs({ faults: [] });
  t.is(await kindOf(cloud.launch(order)), 'launched');
});

test('a crash after the group was made is repaired by the replay: until then protection keeps its machines', async (t) => {
  const cloud = await openGroups(t, { faults: [{ action: 'SuspendProcesses', effect: 'skip', then: 'drop' }] });
  const order = await cloud.order({ machine_count: 3 });
  t.is(await kindOf(cloud.launch(order)), 'unknown-outcome');
  t.deepEqual((await cloud.group(order))?.SuspendedProcesses, []);
  cloud.minute();
  const before = cloud.live(order);
  await cloud.launch(order);
  t.is((await cloud.group(order))?.SuspendedProcesses?.length, 6);
  cloud.minute();
  t.deepEqual(cloud.live(order), before);
  t.is(before.length, 3);
});

test('find returns nothing for an order that was not sent, and makes no call for one that was not prepared', async (t) => {
  const cloud = await openGroups(t, { faults: [{ action: 'CreateAutoScalingGroup', effect: 'skip', then: 'drop' }] });
  const order = await cloud.order({ machine_count: 1 });
  t.is(await kindOf(cloud.launch(order)), 'unknown-outcome');
  t.is(await asg.find?.(cloud.session, order, cloud.call), undefined);
  const asked = cloud.calls('DescribeAutoScalingGroups');
  t.is(await asg.find?.(cloud.session, { ...order, prepared: undefined }, cloud.call), undefined);
  t.is(cloud.calls('DescribeAutoScalingGroups'), asked);
  t.is(await kindOf(cloud.launch(order)), 'launched');
});

test('an existing group of another owner ends the order and stays untouched', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({ machine_count: 2 });
  await foreign(cloud, order, [{ Key: 'muster:request-id', Value: order.request_id }]);
  const fault = await t.throwsAsync<ProviderFault>(cloud.launch(order));
  t.is(fault?.kind, 'invalid');
  t.regex(fault?.message ?? '', /exists that this order did not create/);
  t.is(await asg.find?.(cloud.session, order, cloud.call), undefined);
  t.deepEqual(await cloud.dispose(order), { done: true });
  t.deepEqual(cloud.simulator.ledger().groups, [order.prepared.name]);
  t.deepEqual(cloud.simulator.ledger().templates, []);
  t.deepEqual((await cloud.group(order))?.SuspendedProcesses, []);
});

test('the group of another attempt does not count as the group of this one', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({ machine_count: 2 });
  await foreign(
    cloud,
    order,
    Object.entries({
      'muster:request-id': order.request_id,
      'muster:installation': 'inst-1',
      'muster:attempt': '7',
    }).map(([Key, Value]) => ({
      Key,
      Value,
    })),
  );
  t.is(await kindOf(cloud.launch(order)), 'invalid');
});

test('an order whose group is being deleted has ended', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({ machine_count: 2 });
  await cloud.launch(order);
  cloud.minute();
  await cloud.dispose(order);
  t.is((await cloud.group(order))?.Status, 'Delete in progress');
  t.is(await kindOf(cloud.launch(order)), 'gone');
});

test('a delayed call after the disposal creates no group', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({ machine_count: 2 });
  await cloud.launch(order);
  await cloud.disposed(order);
  t.is(await kindOf(cloud.launch(order)), 'unavailable');
  // A new launch template may be visible late; after five minutes it is known to be deleted.
  cloud.simulator.advance(310_000);
  t.is(await kindOf(cloud.launch(order)), 'gone');
  t.deepEqual(cloud.simulator.ledger().groups, []);
});

test('a launch template or profile that is not visible yet is retried, a wrong one is not', async (t) => {
  const cloud = await openGroups(t, { visible_ms: { id: 0, filter: 0, tag: 0, template: 5_000, fleet: 0 } });
  const order = await cloud.order({ machine_count: 1 });
  t.is(await kindOf(cloud.launch(order)), 'unavailable');
  cloud.simulator.advance(6_000);
  t.is(await kindOf(cloud.launch(order)), 'launched');

  cloud.simulator.setKnobs({ strict_ids: true, visible_ms: { template: 0 } });
  t.is(
    await kindOf(
      cloud.launch(await cloud.order({ machine_count: 1, template: { template_id: 't', image_id: 'ami-404' } })),
    ),
    'invalid',
  );
});

test('throttling is a fault of that kind, and the order is sent when the bucket has filled', async (t) => {
  const cloud = await openGroups(t, {
    throttle: { default_buckets: true, buckets: { autoscaling: { requests: { capacity: 2, per_second: 1 } } } },
  });
  const orders = await Promise.all([1, 2].map(() => cloud.order({ machine_count: 1 })));
  const [first, second] = orders as [Order, Order];
  t.is(await kindOf(cloud.launch(first)), 'launched');
  t.is(await kindOf(cloud.launch(second)), 'throttled');
  cloud.simulator.advance(2_000);
  t.is(await kindOf(cloud.launch(second)), 'launched');
});

test('nothing is sent after the claim is lost', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({ machine_count: 1 });
  const lost = new Error('The claim is lost.');
  const call = {
    ...cloud.call,
    fence() {
      throw lost;
    },
  };
  t.is(await t.throwsAsync(asg.launch(cloud.session, order, call)), lost);
  t.is(cloud.calls('CreateAutoScalingGroup'), 0);
});
