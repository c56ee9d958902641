import test from 'ava';
import { isFault, type MachineRef, type ProviderFault } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { idsOf, openGroups, refs, running } from './support.ts';

const weighted = {
  template_id: 't',
  machine_types: { 'm5.xlarge': 2, 'm5.2xlarge': 4 },
  subnet_ids: ['subnet-1', 'subnet-2'],
};

test('a release ends exactly the named machines, and the group replaces none', async (t) => {
  for (const template of [
    { template_id: 't' },
    weighted,
    { ...weighted, price_type: 'mixed', percent_on_demand: 50 },
  ]) {
    const cloud = await openGroups(t, { groups: { react_ms: 200, health_ms: 500, retry_ms: 500, delete_ms: 100 } });
    const { order, machines } = await running(cloud, { machine_count: 6, template });
    const [first, second, ...stay] = machines as [(typeof machines)[0], (typeof machines)[0], ...typeof machines];
    t.deepEqual(await cloud.release(order, { go: [first, second], stay }), { done: true });
    cloud.minute();
    t.deepEqual(cloud.live(order), idsOf(stay));
    t.deepEqual(await cloud.release(order, { go: [first, second], stay }), { done: true });
    cloud.minute();
    t.deepEqual(cloud.live(order), idsOf(stay));
    t.true((await cloud.observe(order, stay)).settled);
    const size = stay.reduce(
      (sum, { data }) => sum + ('machine_types' in template ? (data as { weight: number }).weight : 1),
      0,
    );
    t.like(await cloud.group(order), { MinSize: 0, MaxSize: size, DesiredCapacity: size });
  }
});

test('machines without scale-in protection stay too', async (t) => {
  const cloud = await openGroups(t, { groups: { react_ms: 200, health_ms: 30_000, retry_ms: 500, delete_ms: 100 } });
  const { order, machines } = await running(cloud, { machine_count: 4 });
  const name = order.prepared.name as string;
  await cloud.session.groups.write(
    (sdk) =>
      new sdk.SetInstanceProtectionCommand({
        AutoScalingGroupName: name,
        InstanceIds: idsOf(machines),
        ProtectedFromScaleIn: false,
      }),
    cloud.call,
  );
  const [first, ...stay] = machines;
  if (!first) return t.fail();
  await cloud.release(order, { go: [first], stay });
  cloud.minute();
  t.deepEqual(cloud.live(order), idsOf(stay));
});

const breaks: readonly (readonly [string, 'execute' | 'skip'])[] = [
  'SuspendProcesses',
  'TerminateInstances',
  'UpdateAutoScalingGroup',
].flatMap((action) => [[action, 'execute'] as const, [action, 'skip'] as const]);
for (const [action, effect] of breaks) {
  test(`broken off at ${action} (${effect}), then left alone or said again, a release ends and refills nothing else`, async (t) => {
    for (const weights of [false, true]) {
      const cloud = await openGroups(t, { groups: { react_ms: 200, health_ms: 500, retry_ms: 500, delete_ms: 100 } });
      const { order, machines } = await running(cloud, {
        machine_count: 5,
        ...(weights ? { template: weighted } : {}),
      });
      const [first, ...stay] = machines;
      if (!first) return t.fail();
      cloud.simulator.setKnobs({ faults: [{ action, effect, then: 'drop' }] });
      const launched = cloud.live(order);
      const fault = await t.throwsAsync<ProviderFault>(cloud.release(order, { go: [first], stay }));
      t.true(isFault(fault));
      cloud.minute();
      const left = cloud.live(order);
      t.true(left.every((id) => launched.includes(id)));
      t.true(idsOf(stay).every((id) => left.includes(id)));
      t.deepEqual(await cloud.release(order, { go: [first], stay }), { done: true });
      cloud.minute();
      t.deepEqual(cloud.live(order), idsOf(stay));
      t.is(await cloud.group(order).then((group) => group?.SuspendedProcesses?.length), 7);
    }
  });
}

test('a release whose calls are throttled one after another has the same result', async (t) => {
  for (const action of [
    'DescribeAutoScalingGroups',
    'SuspendProcesses',
    'UpdateAutoScalingGroup',
    'TerminateInstances',
  ]) {
    const cloud = await openGroups(t, {}, { cloud_max_retries: 0 });
    const { order, machines } = await running(cloud, { machine_count: 3 });
    const [first, ...stay] = machines;
    if (!first) return t.fail();
    cloud.simulator.setKnobs({ throttle: { next: [{ action, times: 1 }] } });
    const fault = await t.throwsAsync<ProviderFault>(cloud.release(order, { go: [first], stay }));
    t.is(fault?.kind, 'throttled');
    cloud.minute();
    t.deepEqual(await cloud.release(order, { go: [first], stay }), { done: true });
    cloud.minute();
    t.deepEqual(cloud.live(order), idsOf(stay));
  }
});

test('a group of one type counts machines, whatever weight the template gives them', async (t) => {
  const cloud = await openGroups(t, { capacity: [{ count: 3 }] });
  const template = { template_id: 't', machine_types: { 'm5.large': 4 } };
  const { order, machines } = await running(cloud, { machine_count: 6, template });
  t.is(machines.length, 3);
  await cloud.release(order, { stay: machines, incoming: 2 });
  t.like(await cloud.group(order), { MaxSize: 5, DesiredCapacity: 5 });
  cloud.simulator.setKnobs({ capacity: [] });
  cloud.minute();
  cloud.minute();
  t.is(cloud.live(order).length, 5);
});

test('a release suspends processes that somebody resumed', async (t) => {
  const cloud = await openGroups(t, { groups: { react_ms: 200, health_ms: 30_000, retry_ms: 500, delete_ms: 100 } });
  const { order, machines } = await running(cloud, { machine_count: 2 });
  const name = order.prepared.name as string;
  await cloud.session.groups.write(
    (sdk) => new sdk.ResumeProcessesCommand({ AutoScalingGroupName: name }),
    cloud.call,
  );
  const [first, ...stay] = machines;
  if (!first) return t.fail();
  await cloud.release(order, { go: [first], stay });
  t.is((await cloud.group(order))?.SuspendedProcesses?.length, 7);
});

test('an old release that continues after a newer one ends nothing and starts nothing', async (t) => {
  const cloud = await openGroups(t);
  const { order, machines } = await running(cloud, { machine_count: 5 });
  const [first, second, ...rest] = machines as [(typeof machines)[0], (typeof machines)[0], ...typeof machines];
  await cloud.release(order, { go: [first], stay: [second, ...rest] });
  await cloud.release(order, { go: [second], stay: rest });
  await cloud.release(order, { go: [first], stay: [second, ...rest] });
  cloud.minute();
  t.deepEqual(cloud.live(order), idsOf(rest));
  await cloud.release(order, { go: [], stay: [], incoming: 5 });
  cloud.minute();
  t.deepEqual(cloud.live(order), idsOf(rest));
});

test('a stopped launch keeps its machines and gets no more, also when capacity returns', async (t) => {
  const cloud = await openGroups(t, { capacity: [{ count: 2 }] });
  const { order, machines } = await running(cloud, { machine_count: 5 });
  t.is(machines.length, 2);
  t.false(
    (await cloud.release(order, { stay: machines, incoming: 0 })).done,
    'what was decided before may still come',
  );
  t.false((await cloud.observe(order, machines)).settled);
  cloud.simulator.setKnobs({ capacity: [] });
  cloud.minute();
  t.deepEqual(await cloud.release(order, { stay: machines, incoming: 0 }), { done: true });
  t.deepEqual(cloud.live(order), idsOf(machines));
  t.true((await cloud.observe(order, machines)).settled);
});

test('a group without returns grows to the allowed size', async (t) => {
  const cloud = await openGroups(t, { capacity: [{ count: 2 }] });
  const { order, machines } = await running(cloud, { machine_count: 6 });
  t.deepEqual(await cloud.release(order, { stay: machines, incoming: 2 }), { done: true });
  cloud.simulator.setKnobs({ capacity: [] });
  cloud.minute();
  cloud.minute();
  t.is(cloud.live(order).length, 4);
  t.true(idsOf(machines).every((id) => cloud.live(order).includes(id)));
});

test('a group with a return gets no more machines and is settled', async (t) => {
  const cloud = await openGroups(t, { capacity: [{ count: 2 }] });
  const { order, machines } = await running(cloud, { machine_count: 5 });
  const [first, ...stay] = machines;
  if (!first) return t.fail();
  t.deepEqual(await cloud.release(order, { go: [first], stay, incoming: 3 }), { done: false, again_ms: 2_000 });
  cloud.simulator.setKnobs({ capacity: [] });
  cloud.minute();
  t.deepEqual(await cloud.release(order, { go: [first], stay }), { done: true });
  t.true((await cloud.observe(order, stay)).settled);
  t.deepEqual(cloud.live(order), idsOf(stay));
});

test('machines that start after the group was stopped are reported and released with the others', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({ machine_count: 3 });
  await cloud.launch(order);
  cloud.simulator.advance(600);
  t.deepEqual(await cloud.release(order, {}), { done: false, again_ms: 5_000 });
  cloud.simulator.advance(5_000);
  const seen = await cloud.observe(order);
  t.is(seen.machines.length, 3);
  t.deepEqual(await cloud.release(order, { go: refs(seen.machines) }), { done: true });
  cloud.minute();
  t.deepEqual(cloud.live(order), []);
  await cloud.disposed(order);
  t.like(cloud.simulator.ledger(), { groups: [], templates: [], live: {} });
});

test('a return of all leaves neither group nor launch template', async (t) => {
  const cloud = await openGroups(t);
  const { order, machines } = await running(cloud, { machine_count: 4 });
  t.deepEqual(await cloud.release(order, { go: machines }), { done: true });
  t.like(await cloud.group(order), { MinSize: 0, MaxSize: 0, DesiredCapacity: 0 });
  cloud.minute();
  t.deepEqual(cloud.live(order), []);
  t.false((await cloud.dispose(order)).done);
  t.is(cloud.simulator.ledger().templates.length, 1, 'as long as the group is there, it keeps its launch template');
  await cloud.disposed(order);
  t.deepEqual(await cloud.dispose(order), { done: true });
  t.like(cloud.simulator.ledger(), { groups: [], templates: [], live: {}, untagged: [] });
});

test('an order without a handle or without preparation is disposed of by the name of its group', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({ machine_count: 2 });
  await cloud.launch(order);
  cloud.simulator.advance(600);
  for (let done = false; !done; cloud.simulator.advance(2_000))
    done = (await asg.dispose?.(cloud.session, { order }, cloud.call))?.done ?? true;
  cloud.minute();
  t.like(cloud.simulator.ledger(), { groups: [], templates: [], live: {}, untagged: [] });

  const unready = await cloud.order();
  t.is(cloud.simulator.ledger().templates.length, 1);
  t.deepEqual(await asg.dispose?.(cloud.session, { order: { ...unready, prepared: undefined } }, cloud.call), {
    done: true,
  });
  t.deepEqual(cloud.simulator.ledger().templates, []);
});

test('machines that live when their group is gone are swept before the launch template goes', async (t) => {
  const cloud = await openGroups(t);
  const { order, machines } = await running(cloud, { machine_count: 2 });
  await cloud.session.groups.write(
    (sdk) =>
      new sdk.DetachInstancesCommand({
        AutoScalingGroupName: order.prepared.name,
        InstanceIds: idsOf(machines).slice(0, 1),
        ShouldDecrementDesiredCapacity: true,
      }),
    cloud.call,
  );
  await cloud.disposed(order);
  cloud.minute();
  t.like(cloud.simulator.ledger(), { groups: [], templates: [], live: {}, untagged: [] });
});

for (const code of ['ScalingActivityInProgress', 'ResourceContention']) {
  test(`a group that is busy (${code}) is told again`, async (t) => {
    const cloud = await openGroups(t);
    const { order, machines } = await running(cloud, { machine_count: 2 });
    const faults: KnobChange['faults'] = [{ action: 'UpdateAutoScalingGroup', effect: 'skip', then: 'error', code }];
    cloud.simulator.setKnobs({ faults });
    t.deepEqual(await cloud.release(order, { go: machines }), { done: false, again_ms: 5_000 });
    t.deepEqual(await cloud.release(order, { go: machines }), { done: true });
  });
}

test('the release of a group that somebody deleted waits for a while and is then done', async (t) => {
  const cloud = await openGroups(t);
  const { order, machines } = await running(cloud, { machine_count: 2 });
  const name = order.prepared.name as string;
  await cloud.session.groups.write(
    (sdk) => new sdk.DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name, ForceDelete: true }),
    cloud.call,
  );
  t.deepEqual(await cloud.release(order, { go: machines }), { done: true });
  cloud.minute();
  t.false((await cloud.release(order, { go: machines })).done);
  t.false((await cloud.observe(order, machines)).settled);
  cloud.simulator.advance(130_000);
  t.true((await cloud.release(order, { go: machines })).done);
  t.true((await cloud.observe(order, machines)).settled);
});

test('a release keeps machines that are not in service yet by lowering the size later', async (t) => {
  const cloud = await openGroups(t, {
    groups: { react_ms: 200, health_ms: 500, retry_ms: 500, delete_ms: 100 } as any,
  });
  const order = await cloud.order({ machine_count: 4 });
  cloud.simulator.setKnobs({ boot_ms: { min: 1_000, max: 60_000 } });
  await cloud.launch(order);
  cloud.simulator.advance(20_000);
  const { machines } = await cloud.observe(order);
  const [first, ...stay] = refs(machines).toSorted(
    (a, b) => Number(b.status === 'running') - Number(a.status === 'running'),
  );
  if (!first) return t.fail();
  t.is(first.status, 'running');
  t.true(stay.some(({ status }) => status === 'pending'));
  t.deepEqual(await cloud.release(order, { go: [first], stay }), { done: false, again_ms: 2_000 });
  cloud.simulator.advance(20_000);
  t.deepEqual(cloud.live(order), idsOf(stay));
  t.like(await cloud.group(order), { DesiredCapacity: 4 });
  cloud.minute();
  t.deepEqual(await cloud.release(order, { go: [first], stay }), { done: true });
  cloud.minute();
  t.like(await cloud.group(order), { MinSize: 0, MaxSize: 3, DesiredCapacity: 3 });
  t.deepEqual(cloud.live(order), idsOf(stay));
});

test('a machine that was ordered before the group was stopped is kept when it comes', async (t) => {
  const cloud = await openGroups(t, {
    groups: { react_ms: 5_000, health_ms: 500, retry_ms: 500, delete_ms: 100 } as any,
  });
  const order = await cloud.order({ machine_count: 4 });
  cloud.simulator.setKnobs({ partial: [{ action: 'CreateAutoScalingGroup', deliver: 3, times: 1 }] });
  await cloud.launch(order);
  cloud.simulator.advance(14_000);
  const { machines } = await cloud.observe(order);
  const [first, ...stay] = refs(machines);
  t.is(stay.length, 2);
  if (!first) return t.fail();
  t.like(await cloud.release(order, { go: [first], stay, incoming: 1 }), { done: false });
  cloud.simulator.advance(10_000);
  t.is(cloud.live(order).length, 3);
  cloud.minute();
  const known = refs((await cloud.observe(order, stay)).machines).filter(({ status }) => status === 'running');
  t.is(known.length, 3);
  t.deepEqual(await cloud.release(order, { go: [first], stay: known }), { done: true });
  cloud.minute();
  t.deepEqual(cloud.live(order), idsOf(known));
});

test('a release of all is not done while the group has machines that were not seen yet', async (t) => {
  for (const seconds of [2, 60]) {
    const cloud = await openGroups(t, { visible_ms: { tag: 20_000, filter: 20_000, id: 20_000 } });
    const order = await cloud.order({ machine_count: 4 });
    await cloud.launch(order);
    cloud.simulator.advance(seconds * 1_000);
    t.is(cloud.live(order).length, 4);
    let go: readonly MachineRef[] = [];
    for (let i = 0; ; i++) {
      if ((await cloud.release(order, { go })).done) break;
      t.true(i < 100, 'it is never done');
      cloud.simulator.advance(2_000);
      go = refs((await cloud.observe(order, go)).machines).filter(({ status }) => status !== 'terminated');
    }
    t.deepEqual(cloud.live(order), []);
  }
});
