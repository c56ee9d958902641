import test from 'ava';
import { isFault, type Log, type ProviderApi, silentLog, systemClock } from '../../../core/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { prepared, sleep, stage, type Stage } from './support.ts';
import { tries } from '../../support/variants.ts';

const on = { tag_instance_id: true, cloud_max_retries: 0 };

/** A clock whose time passes only while it is read, a tenth of a second each time. */
function countingClock() {
  let monotonic = 0;
  return { now: () => Date.now(), monotonic: () => (monotonic += 100), sleep: systemClock.sleep };
}

/** A clock whose time never ends an observation, however slow the computer is. */
const still = { now: () => Date.now(), monotonic: () => 0, sleep: systemClock.sleep };

async function started(cloud: Stage, machine_count: number, api: ProviderApi = runInstances) {
  const order = await prepared(api, cloud, { machine_count });
  const { handle } = await api.launch(cloud.session, order, cloud.call);
  await sleep(40);
  return { handle, order, known: [] };
}

const tagged = (cloud: Stage) =>
  cloud.simulator.audit().filter(({ action, executed, code }) => action === 'CreateTags' && executed && code === null);

async function tagsOf(cloud: Stage, ids: readonly string[]) {
  const { Tags = [] } = await cloud.session.read(
    (ec2) =>
      new ec2.DescribeTagsCommand({
        Filters: [
          { Name: 'resource-id', Values: [...ids] },
          { Name: 'key', Values: ['InstanceID'] },
        ],
      }),
    cloud.call,
  );
  return Object.fromEntries(Tags.map(({ ResourceId = '', Value }) => [ResourceId, Value]));
}

async function volumesOf(cloud: Stage, machine_id: string): Promise<string[]> {
  const { Reservations = [] } = await cloud.session.read(
    (ec2) => new ec2.DescribeInstancesCommand({ InstanceIds: [machine_id] }),
    cloud.call,
  );
  return Reservations.flatMap(({ Instances = [] }) =>
    Instances.flatMap(({ BlockDeviceMappings = [] }) => BlockDeviceMappings.flatMap(({ Ebs }) => Ebs?.VolumeId ?? [])),
  );
}

for (const [name, api] of [
  ['RunInstances', runInstances as ProviderApi],
  ['EC2Fleet', ec2Fleet],
] as const) {
  test(`${name}: with tag_instance_id each machine and its volumes get the id of the machine as a tag, once`, async (t) => {
    const cloud = await stage(on, { clock: still });
    t.teardown(cloud.close);
    const watched = await started(cloud, 3, api);
    const [seen] = await api.observe(cloud.session, [watched], cloud.call);
    if (!seen || isFault(seen)) return t.fail();
    t.is(seen.machines.length, 3);
    for (const { machine_id } of seen.machines) {
      const volumes = await volumesOf(cloud, machine_id);
      t.true(volumes.length > 0);
      const expected = Object.fromEntries([machine_id, ...volumes].map((id) => [id, machine_id]));
      t.deepEqual(await tagsOf(cloud, [machine_id, ...volumes]), expected);
    }
    await api.observe(cloud.session, [watched], cloud.call);
    // A restarted broker reads the tags, and sets none again.
    await api.observe(await cloud.restarted(), [watched], cloud.call);
    t.is(tagged(cloud).length, 3);
  });
}

test('without tag_instance_id no machine is tagged after its launch', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  await runInstances.observe(cloud.session, [await started(cloud, 2)], cloud.call);
  t.is(cloud.calls('CreateTags'), 0);
});

test('machines that do not run yet are tagged once they run', async (t) => {
  const cloud = await stage(on, {}, { knobs: { boot_ms: 60_000 } });
  t.teardown(cloud.close);
  const watched = await started(cloud, 2);
  await runInstances.observe(cloud.session, [watched], cloud.call);
  t.is(cloud.calls('CreateTags'), 0);
});

test('one observation tags a part of hundreds of machines, and later ones the rest', async (t) => {
  const cloud = await stage(on, { clock: countingClock() });
  t.teardown(cloud.close);
  const orders = [];
  const parts = tries(2, 6);
  const all = parts * 100;
  for (let i = 0; i < parts; i++) orders.push(await started(cloud, 100));
  const counts = [];
  for (let i = 0; i < 100 && tagged(cloud).length < all; i++) {
    const before = tagged(cloud).length;
    const seen = await runInstances.observe(cloud.session, orders, cloud.call);
    t.is(seen.flatMap((each) => (isFault(each) ? [] : each.machines)).length, all);
    counts.push(tagged(cloud).length - before);
  }
  t.true(Math.max(...counts) <= 100, `${Math.max(...counts)} calls in one observation`);
  t.is(tagged(cloud).length, all);
  // Also an observation of one order alone continues with the others.
  t.is(new Set(tagged(cloud).flatMap(({ ids }) => ids.filter((id) => id.startsWith('i-')))).size, all);
});

test('a tag that AWS denies costs one call in ten minutes and no observation', async (t) => {
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_about, message = '') => void warnings.push(message) };
  let ahead = 0;
  const clock = { now: () => Date.now(), monotonic: () => ahead, sleep: systemClock.sleep };
  const cloud = await stage(on, { clock }, { knobs: { auth: { denied: [{ action: 'CreateTags' }] } as any } });
  t.teardown(cloud.close);
  const call = { ...cloud.call, log };
  const watched = await started(cloud, 6);
  for (let i = 0; i < 3; i++) {
    const [seen] = await runInstances.observe(cloud.session, [watched], call);
    if (!seen || isFault(seen)) return t.fail();
    t.is(seen.machines.filter(({ ready }) => ready).length, 6);
  }
  t.is(cloud.calls('CreateTags'), 1);
  t.is(warnings.filter((message) => /CreateTags/.test(message)).length, 1);
  ahead = 600_000;
  cloud.simulator.setKnobs({ auth: { denied: [] } });
  await runInstances.observe(cloud.session, [watched], call);
  t.is(tagged(cloud).length, 6);
});

test('a machine that CreateTags does not see yet, and a lost answer, are tried again by the next observation', async (t) => {
  const cloud = await stage(on, { clock: still });
  t.teardown(cloud.close);
  const watched = await started(cloud, 4);
  cloud.simulator.setKnobs({
    faults: [
      { action: 'CreateTags', effect: 'skip', then: 'error', code: 'InvalidInstanceID.NotFound', status: 400 },
      { action: 'CreateTags', nth: 2, effect: 'execute', then: 'drop' },
      { action: 'CreateTags', nth: 3, effect: 'skip', then: 'error', code: 'RequestLimitExceeded' },
    ],
  });
  for (let i = 0; i < 4; i++) await runInstances.observe(cloud.session, [watched], cloud.call);
  const ids = cloud.simulator.ledger().live[watched.order.request_id] ?? [];
  t.deepEqual(await tagsOf(cloud, ids), Object.fromEntries(ids.map((id) => [id, id])));
});

test('a machine with as many tags as it may have stays without the tag, and is not tried for ever', async (t) => {
  const cloud = await stage(on, { clock: still });
  t.teardown(cloud.close);
  const tags = Object.fromEntries(Array.from({ length: 47 }, (_, i) => [`tag${i}`, 'x']));
  const order = await prepared(runInstances, cloud, { template: { tags } as any });
  const { handle } = await runInstances.launch(cloud.session, order, cloud.call);
  await sleep(40);
  for (let i = 0; i < 3; i++) await runInstances.observe(cloud.session, [{ handle, order, known: [] }], cloud.call);
  t.is(cloud.calls('CreateTags'), 1);
});
