import test from 'ava';
import { isFault } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { rateLimiter } from '../../../plugins/cloud/connection/rates/rate-limiter.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { openGroups, refs, type GroupStage, type Order } from './support.ts';

const limits = { rate_limits: { enabled: true } };
const autoScaling = (cloud: GroupStage) =>
  cloud.simulator.audit().filter(({ action }) => /Scaling|SuspendProcesses/.test(action));
const handleOf = ({ prepared: { name, unit, weighted } }: Order) => ({ name, unit, weighted });

test('20 groups that start at once are observed often, and leave the rate of Auto Scaling to orders and releases', async (t) => {
  const cloud = await openGroups(t, { boot_ms: 5_000, throttle: { default_buckets: true } }, limits);
  const orders: Order[] = [];
  for (let count = 0; count < 20; count += 1) orders.push(await cloud.order({ machine_count: 2 }));
  for (const order of orders) await cloud.launch(order);
  // An observation of some of the groups each 200 ms.
  const readyAt = new Map<Order, number>();
  for (let time = 0; time < 7_000; time += 200) {
    const some = orders.filter((_, index) => index % 4 === (time / 200) % 4);
    const watched = some.map((order) => ({ handle: handleOf(order), order, known: [] }));
    const seen = await asg.observe(cloud.session, watched, cloud.call);
    for (const [index, each] of seen.entries())
      if (!isFault(each) && each.settled && each.machines.filter((machine) => machine.ready).length === 2)
        readyAt.set(some[index] as Order, readyAt.get(some[index] as Order) ?? time);
    cloud.simulator.advance(200);
  }
  t.is(readyAt.size, 20);
  // The machines run after 6 s, and each group is observed each 0.8 s.
  t.true(Math.max(...readyAt.values()) <= 6_600, [...readyAt.values()].join(' '));
  const reads = autoScaling(cloud).filter(({ action }) => action.startsWith('Describe'));
  t.true(reads.length <= 12, `${reads.length} reads`);
  // All are returned at once: one call finds their groups, and no call waits for the rate limit.
  const before = autoScaling(cloud).length;
  await Promise.all(
    orders.map(async (order) => {
      const machines = cloud.live(order).map((machine_id) => ({ machine_id, status: 'running' as const }));
      await cloud.release(order, { go: machines, stay: [] });
    }),
  );
  t.is(autoScaling(cloud).length - before, 41);
  t.deepEqual(
    cloud.simulator.audit().filter(({ code }) => code === 'Throttling' || code === 'RequestLimitExceeded'),
    [],
  );
});

test('the histories of many groups that are short are read in turn, within their part of the rate', async (t) => {
  const cloud = await openGroups(t, { capacity: [{ count: 0 }], throttle: { default_buckets: true } }, limits);
  const orders: Order[] = [];
  for (let count = 0; count < 12; count += 1) orders.push(await cloud.order({ machine_count: 1 }));
  for (const order of orders) await cloud.launch(order);
  const explained = new Set<number>();
  for (let time = 0; time < 8_000; time += 1_000) {
    const watched = orders.map((order) => ({ handle: handleOf(order), order, known: [] }));
    const before = autoScaling(cloud).length;
    const seen = await asg.observe(cloud.session, watched, cloud.call);
    t.true(autoScaling(cloud).length - before <= 10);
    for (const [index, each] of seen.entries()) if (!isFault(each) && each.shortfall) explained.add(index);
    cloud.simulator.advance(1_000);
  }
  t.is(explained.size, 12);
});

test('a read of a group that was changed meanwhile, or that was sent before the change ended, is not used again', async (t) => {
  const cloud = await openGroups(t, {}, {});
  const order = await cloud.order({ machine_count: 2 });
  await cloud.launch(order);
  cloud.minute();
  const { machines } = await cloud.observe(order);
  await cloud.release(order, { stay: refs(machines).slice(0, 1), go: refs(machines).slice(1), incoming: 0 });
  const before = autoScaling(cloud).length;
  await cloud.observe(order, refs(machines));
  t.is(autoScaling(cloud).length - before, 1, 'the answer from before the release is not used');
  await cloud.observe(order, refs(machines));
  t.is(autoScaling(cloud).length - before, 1, 'the one from after it is');
});

test('a caller that gives up leaves the shared read to the others, and the last one ends it', async (t) => {
  const cloud = await openGroups(t, { latency_ms: { DescribeAutoScalingGroups: 100 } }, {});
  const order = await cloud.order({ machine_count: 1 });
  await cloud.launch(order);
  const first = new AbortController();
  const find = (signal: AbortSignal) => asg.find?.(cloud.session, order, { ...cloud.call, signal });
  const left = t.throwsAsync(async () => find(first.signal), { message: 'enough' });
  const stayed = find(cloud.call.signal);
  first.abort(new Error('enough'));
  await left;
  t.truthy(await stayed);
  const last = new AbortController();
  const given = t.throwsAsync(async () => find(last.signal), { message: 'enough' });
  last.abort(new Error('enough'));
  await given;
  t.truthy(await find(cloud.call.signal), 'the next read is not aborted');
});

test('reads of Auto Scaling have a part of its rate, however many there are', async (t) => {
  const clock = new FakeClock();
  const limiter = rateLimiter(clock, { AutoScaling: { requests: { capacity: 20, per_second: 5 } } });
  const { signal } = new AbortController();
  const lane = 'AutoScaling';
  const sent: string[] = [];
  const call = (action: string) =>
    void limiter.acquire({ action, lane }, 0, signal).then(
      () => sent.push(action),
      () => undefined,
    );
  for (let count = 0; count < 100; count += 1) call('DescribeAutoScalingGroups');
  for (let count = 0; count < 12; count += 1) call('SuspendProcesses');
  await clock.advance(5_000);
  const count = (action: string) => sent.filter((each) => each === action).length;
  t.is(count('DescribeAutoScalingGroups'), 8 + 10);
  t.is(count('SuspendProcesses'), 12);
});
