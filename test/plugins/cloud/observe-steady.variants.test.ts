import { RunInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import type { Watched } from '../../../core/index.ts';
import type { MachineData } from '../../../plugins/cloud/index.ts';
import { inStatus, instanceTags, machinesOf, many } from './steady-support.ts';
import { sleep } from './support.ts';
import { tries } from '../../support/variants.ts';

const minute = 60_000;

test('machines at rest are checked by their statuses without a description', async (t) => {
  const { there, watched } = await many(t);
  const { seen, calls } = await there.observe(watched);
  t.deepEqual(calls, { DescribeInstanceStatus: 2 });
  for (const [i, each] of seen.entries()) {
    const known = watched[i]?.known ?? [];
    t.deepEqual(
      machinesOf(each).toSorted((a, b) => a.machine_id.localeCompare(b.machine_id)),
      known
        .map(({ machine_id, data = {} }) => {
          const { zone = 'none' } = data as MachineData;
          return { machine_id, status: 'running' as const, ready: true, reclaim_at: null, zone, data };
        })
        .toSorted((a, b) => a.machine_id.localeCompare(b.machine_id)),
    );
    t.true((each as { settled: boolean }).settled);
  }
});

test('few machines are described even at rest, and so are attempts that are not at rest', async (t) => {
  const { there, watched } = await many(t);
  t.deepEqual((await there.observe(watched.slice(0, 5))).calls, { DescribeInstances: 2 });
  const { calls, seen } = await there.observe(watched.map((each, i) => (i === 0 ? { ...each, steady: false } : each)));
  t.deepEqual(calls, { DescribeInstances: 2 });
  t.true(machinesOf(seen[0]).every(({ name }) => name !== undefined));
});

test('one attempt that is not at rest is described beside others that are', async (t) => {
  const { there, watched } = await many(t);
  const more = await there.steady(200, 'subnet-2');
  const { calls, seen } = await there.observe([...watched, { ...more, steady: false }]);
  t.deepEqual(calls, { DescribeInstanceStatus: 2, DescribeInstances: 1 });
  t.deepEqual(inStatus(seen, 'running'), [200, 200, 200, 200, 200, 200, 200]);
  t.true(machinesOf(seen[6]).every(({ name }) => name !== undefined));
  t.true(machinesOf(seen[0]).every(({ name }) => name === undefined));
});

test('a machine that a person ended is terminated in the next observation, with its reason, and only it is described', async (t) => {
  const { there, watched } = await many(t);
  const victim = watched[3]?.known[7]?.machine_id ?? '';
  await there.session.write(() => new TerminateInstancesCommand({ InstanceIds: [victim] }), there.call);
  await sleep(40);
  const { seen, calls } = await there.observe(watched);
  t.deepEqual(calls, { DescribeInstanceStatus: 2, DescribeInstances: 1 });
  t.deepEqual(inStatus(seen, 'running'), [200, 200, 200, 199, 200, 200]);
  const found = machinesOf(seen[3]).find(({ machine_id }) => machine_id === victim);
  t.is(found?.status, 'terminated');
  t.regex(found?.message ?? '', /Error Code: Client\.UserInitiatedShutdown$/);
});

test('a machine that the statuses lack is alive if a description shows it, and is otherwise not reported', async (t) => {
  const { there, watched } = await many(t);
  const [first, ...others] = watched as [Watched, ...Watched[]];
  const ghost = { ...first.known[0], machine_id: 'i-0123456789abcdef0' } as Watched['known'][number];
  // Its zone is not where it runs: the listing of the other zone does not show it.
  const known = first.known.map((machine, i) =>
    i === 0 ? { ...machine, data: { ...machine.data, zone: 'us-east-1c' } } : machine,
  );
  const { seen, calls } = await there.observe([{ ...first, known: [...known, ghost] }, ...others]);
  t.deepEqual(calls, { DescribeInstanceStatus: 2, DescribeInstances: 1 });
  t.deepEqual(
    machinesOf(seen[0])
      .map(({ machine_id }) => machine_id)
      .toSorted(),
    known.map(({ machine_id }) => machine_id).toSorted(),
  );
  t.is(machinesOf(seen[0]).find(({ machine_id }) => machine_id === known[0]?.machine_id)?.status, 'running');
});

test('a machine that only its group listed is described', async (t) => {
  const { there, watched } = await many(t);
  const [first, ...others] = watched as [Watched, ...Watched[]];
  const named = first.known.map((machine, i) =>
    i === 0 ? { machine_id: machine.machine_id, status: machine.status, data: machine.data ?? {} } : machine,
  );
  const more = [await there.steady(200, 'subnet-1'), await there.steady(200, 'subnet-2')];
  const { seen } = await there.observe([{ ...first, known: named }, ...others, ...more]);
  t.true(machinesOf(seen[0]).every(({ name }) => name !== undefined));
  t.true(machinesOf(seen[1]).every(({ name }) => name === undefined));
});

test('every attempt is described once in ten minutes in turn, which finds unknown machines with its tags', async (t) => {
  t.timeout(300_000);
  const { there, watched } = await many(t);
  const [first] = watched as [Watched, ...Watched[]];
  const TagSpecifications = [{ ResourceType: 'instance' as const, Tags: instanceTags(first.order) }];
  const { Instances } = await there.session.write(
    () =>
      new RunInstancesCommand({
        ImageId: 'ami-1',
        InstanceType: 'm5.large',
        MinCount: 1,
        MaxCount: 1,
        SubnetId: 'subnet-1',
        TagSpecifications,
      }),
    there.call,
  );
  const stranger = Instances?.[0]?.InstanceId;
  const described = new Map(watched.map((each) => [each.order.request_id, 0]));
  let most = 0;
  let found = 0;
  // Ten minutes for each time, and one more to the last moment.
  const times = tries(1, 2);
  for (let i = 0; i < 10 * times + 1; i++) {
    const { seen } = await there.observe(watched);
    const full = seen.flatMap((each, n) => (machinesOf(each).some(({ name }) => name !== undefined) ? [n] : []));
    for (const n of full) {
      const id = watched[n]?.order.request_id ?? '';
      described.set(id, (described.get(id) ?? 0) + 1);
    }
    most = Math.max(most, full.length);
    if (machinesOf(seen[0]).some(({ machine_id }) => machine_id === stranger)) found += 1;
    there.pass(minute);
  }
  t.true(
    [...described.values()].every((found) => found === times),
    JSON.stringify([...described]),
  );
  t.is(found, times);
  t.true(most < 6, 'they do not all come at once');
});
