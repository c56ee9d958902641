import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { fastClock } from '../../support/fast-clock.ts';
import { eventOf, openWithQueue as open } from './interruption-support.ts';

const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

test('an interruption of a Spot machine is reported before any observation, and its message is deleted', async (t) => {
  const { simulator, order, reclaimed, until, machines, events, left, counts } = await open(t);
  const { id, ids } = await order('report', 2);
  const [victim = ''] = ids;
  t.deepEqual(await reclaimed(ids), []);
  simulator.setKnobs({ reclaim: [{ instance_ids: [victim] }] });
  const [found] = await until(async () => {
    const now = await reclaimed(ids);
    return now.length > 0 && now;
  });
  t.is(found.machine_id, victim);
  t.true(found.grace_period_s > 100 && found.grace_period_s <= 120, String(found.grace_period_s));
  const machine = (await machines(id)).find(({ machine_id }) => machine_id === victim);
  t.is(machine.status, 'running');
  t.truthy(machine.reclaim_at);
  await until(async () => (await events('machine.reclaim_noticed')).length === 1);
  await until(async () => left() === 0);
  t.is((await counts())['reclaim stored'], 1);
});

test('the end of a machine that anybody causes is reported by its change of state', async (t) => {
  const { ec2, order, reclaimed, until, machines, events } = await open(t);
  const { id, ids } = await order('report', 2);
  const [victim = ''] = ids;
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [victim] }));
  await until(async () => (await events('machine.lost')).length === 1);
  const states = (await machines(id)).map(({ machine_id, status }) => [machine_id === victim, status]);
  t.deepEqual(states.toSorted(), [
    [false, 'running'],
    [true, 'terminated'],
  ]);
  t.is((await reclaimed([victim]))[0]?.grace_period_s, 0);
});

test('a recommendation is reported with an hour, unless the template ignores it', async (t) => {
  const { simulator, order, reclaimed, until, events, left } = await open(t);
  const [reported, ignored] = [await order('report', 1), await order('ignore', 1)];
  await until(async () => left() === 0);
  simulator.setKnobs({ rebalance: [{}] });
  await until(async () => (await events('machine.rebalance_recommended')).length === 1);
  await until(async () => left() === 0);
  const found = await reclaimed([...reported.ids, ...ignored.ids]);
  t.deepEqual(
    found.map(({ machine_id }) => machine_id),
    reported.ids,
  );
  t.true(found[0].grace_period_s > 3_500 && found[0].grace_period_s <= 3_600);
  t.regex(found[0].reason, /recommends to replace it/);
});

test('a planned retirement is reported with its time', async (t) => {
  const { simulator, order, reclaimed, until } = await open(t);
  const { ids } = await order('report', 2);
  const [victim = ''] = ids;
  simulator.setKnobs({
    health: [{ instance_ids: [victim], event: 'instance-retirement', event_in_ms: 3_000_000 }],
  });
  const [found] = await until(async () => {
    const now = await reclaimed(ids);
    return now.length > 0 && now;
  });
  t.is(found.machine_id, victim);
  t.true(found.grace_period_s > 2_800 && found.grace_period_s <= 3_000);
});

test('a scheduled change that AWS closes withdraws its own time, and no warning', async (t) => {
  const { simulator, order, until, machines, events, send, left } = await open(t);
  const { id, ids } = await order('report', 2);
  const [warned = '', other = ''] = ids;
  const change = (statusCode: string) =>
    eventOf('AWS Health Event', {
      eventArn: 'arn:aws:health:us-east-1::event/EC2/1',
      service: 'EC2',
      eventTypeCategory: 'scheduledChange',
      eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
      statusCode,
      startTime: new Date(Date.now() + 1_800_000).toUTCString(),
      affectedEntities: ids.map((entityValue) => ({ entityValue })),
    });
  await send(change('upcoming'));
  await until(async () => (await machines(id)).every(({ reclaim_at }) => reclaim_at !== undefined));
  simulator.setKnobs({ reclaim: [{ instance_ids: [warned], notice_s: 120 }] });
  const noticed = async () =>
    (await events('machine.reclaim_noticed')).reduce((sum, { data }) => sum + data.machine_ids.length, 0);
  await until(async () => (await noticed()) === 3);
  await pause(1_000);
  await send(change('closed'));
  await until(async () => left() === 0);
  await until(async () => (await events('machine.reclaim_withdrawn')).length === 1);
  const after = new Map((await machines(id)).map((machine) => [machine.machine_id, machine]));
  t.is(after.get(other)?.reclaim_at, undefined);
  t.true(Date.parse(after.get(warned)?.reclaim_at) - Date.now() < 120_000);
  t.regex(after.get(warned)?.message, /interrupts the Spot instance/);
});

test('repeated, mixed, foreign and malformed messages are harmless, counted and deleted', async (t) => {
  const { simulator, order, until, events, left, counts, send, reclaimed, warnings } = await open(t, {
    queues: { names: ['events'], repeat: 1, foreign: 0, malformed: 1, delay_ms: { min: 0, max: 300 } },
  });
  const { ids } = await order('report', 5);
  const [victim = ''] = ids;
  simulator.setKnobs({ reclaim: [{ instance_ids: [victim] }] });
  const old = new Date(Date.now() - 3_600_000).toISOString();
  const about = (id: string, type: string, detail: object) => eventOf(type, { 'instance-id': id, ...detail }, old);
  await send(about('i-0123456789abcdef0', 'EC2 Spot Instance Interruption Warning', {}));
  await send(about('i-0123456789abcdef0', 'EC2 Instance State-change Notification', { state: 'terminated' }));
  await send(about(ids[1] ?? '', 'EC2 Instance State-change Notification', { state: 'pending' }));
  await send(about(ids[1] ?? '', 'EC2 Spot Instance Interruption Warning', {}));
  await send(about('vol-1', 'EC2 Instance State-change Notification', { state: 'running' }));
  await send(JSON.stringify({ 'detail-type': 'EBS Volume Notification', time: old, detail: {} }));
  await send('[]');
  await send('null');
  await until(async () => (await events('machine.reclaim_noticed')).length > 0 && left() === 0);
  t.deepEqual(
    (await reclaimed(ids)).map(({ machine_id }) => machine_id),
    [victim],
  );
  t.is((await events('machine.reclaim_noticed')).length, 1);
  const counted = await counts();
  t.is(counted['reclaim unknown'], 1);
  const [stored = 0, unchanged = 0] = [counted['reclaim stored'], counted['reclaim unchanged']];
  t.true(stored >= 1 && unchanged >= 1);
  t.is(stored + unchanged, 3, 'the warning, its repeat, and a warning from an hour ago');
  t.true((counted['other malformed'] ?? 0) >= 3);
  t.is(counted['other unknown'], 1);
  t.true(warnings.some((text) => /removed unread: It is no JSON/.test(text)));
});

test('a fresh warning about a machine that is not stored yet is left in the queue', async (t) => {
  const { order, send, left, until, counts } = await open(t);
  await order('report', 1);
  await until(async () => left() === 0);
  const detail = { 'instance-id': 'i-0123456789abcdef0', 'instance-action': 'terminate' };
  await send(eventOf('EC2 Spot Instance Interruption Warning', detail));
  await send('x');
  await until(async () => (await counts())['other malformed'] === 1);
  await until(async () => left() === 1);
  t.is((await counts())['reclaim unknown'], undefined);
});

test('without the permission for the queue machines are observed as without one, and a warning names the remedy', async (t) => {
  const { simulator, order, until, warnings, ec2, events, call } = await open(
    t,
    { auth: { denied: [{ action: 'ReceiveMessage' }] } },
    { settings: { observe_resting_ms: 500, observe_noticed_ms: 3_600_000 } },
  );
  const { ids } = await order('report', 2);
  const found = await until(async () => warnings.find((text) => text.includes('do not arrive')));
  t.regex(found, /Notices about machines of 'east' do not arrive/);
  t.regex(found, /Allow sqs:ReceiveMessage and sqs:DeleteMessage on the queue\.$/);
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [ids[0] ?? ''] }));
  await until(async () => (await events('machine.lost')).length === 1);
  const { body } = await call('GET', '/providers/');
  t.notRegex(JSON.stringify(body), /unhealthy/, 'the instance itself is well');

  simulator.setKnobs({ auth: { denied: [] } });
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [ids[1] ?? ''] }));
  await until(async () => (await events('machine.lost')).length === 2);
});

test('a queue that does not exist, is throttled, or breaks connections is a warning, and is used once it serves', async (t) => {
  const { simulator, order, until, warnings, reclaimed } = await open(
    t,
    { queues: { names: [] } },
    // The waits between two tries pass in a tenth of their time.
    { clock: fastClock(10) },
  );
  const { ids } = await order('report', 1);
  await until(async () => warnings.some((text) => /Create the queue, or correct interruption_queue\.url/.test(text)));
  simulator.setKnobs({
    queues: { names: ['events'] },
    faults: [{ action: 'ReceiveMessage', times: 2, effect: 'skip', then: 'drop' }],
    throttle: { next: [{ action: 'ReceiveMessage', times: 1 }] },
  });
  simulator.setKnobs({ reclaim: [{ instance_ids: ids }] });
  const [found] = await until(async () => {
    const now = await reclaimed(ids);
    return now.length > 0 && now;
  });
  t.is(found.machine_id, ids[0]);
});

test('a broker that ends between storing and deleting repeats the messages, without a second effect', async (t) => {
  const { simulator, broker, boot, order, until, reclaimed, events, left, close, machines } = await open(t, {
    faults: [{ action: 'DeleteMessageBatch', times: null, effect: 'skip', then: 'hang' }],
  });
  const { id, ids } = await order('report', 1);
  simulator.setKnobs({ reclaim: [{ instance_ids: ids }] });
  // An observation may show the reclaim earlier than the message.
  await until(async () => (await events('machine.reclaim_noticed')).length === 1);
  t.true(left() > 0);
  t.is((await reclaimed(ids)).length, 1);
  t.truthy(broker);
  await close();

  simulator.setKnobs({ faults: [] });
  // The messages become visible again.
  simulator.advance(31_000);
  const next = await boot();
  t.teardown(next.close);
  await until(async () => left() === 0);
  const journal = await next.broker.store.find('event', { where: { type: 'machine.reclaim_noticed' } });
  t.is(journal.length, 1);
  t.is((await machines(id, next))[0]?.status, 'running');
});

test('while notices arrive, machines at rest are observed at the rare interval', async (t) => {
  const { simulator, order, until, left } = await open(
    t,
    {},
    { settings: { observe_resting_ms: 200, observe_noticed_ms: 3_600_000, sweep_first_ms: 3_600_000 } },
  );
  await order('report', 3);
  await until(async () => left() === 0);
  const observed = () => simulator.audit().filter(({ action }) => action === 'DescribeInstances').length;
  // A round at the usual interval may still run. Without notices there would be five more in each second.
  await until(async () => {
    const before = observed();
    await pause(2_000);
    return observed() === before;
  });
  t.pass();
});

test('a thousand interruptions at once are all stored, and their messages deleted', async (t) => {
  t.timeout(120_000);
  const { simulator, order, until, events, left } = await open(t);
  const orders = [];
  for (let index = 0; index < 4; index++) orders.push(await order('report', 250));
  await until(async () => left() === 0);
  const began = performance.now();
  simulator.setKnobs({ reclaim: [{}] });
  const noticed = async () =>
    (await events('machine.reclaim_noticed')).reduce((sum, { data }) => sum + data.machine_ids.length, 0);
  await until(async () => (await noticed()) === 1_000);
  t.log(`stored after ${Math.round(performance.now() - began)} ms`);
  await until(async () => left() === 0);
  t.is(await noticed(), 1_000);
});
