import test from 'ava';
import { isFault, type Observation, type ProviderFault, type Watched } from '../../../core/index.ts';
import { packed } from '../../../plugins/cloud/observe/describe.ts';
import { cloud, terminate } from '../../../plugins/cloud/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { launched } from './launched.ts';
import { prepared, sleep, stage } from './support.ts';

test('values of filters are packed into as few calls as their pages allow', (t) => {
  const asked = Array.from({ length: 100 }, (_, i) => ({ value: `req-${i}`, machines: 100 }));
  t.deepEqual(
    packed(asked).map((pack) => pack.length),
    [...Array.from({ length: 11 }, () => 9), 1],
  );
  t.deepEqual(
    packed(Array.from({ length: 450 }, (_, i) => ({ value: `i-${i}`, machines: 1 }))).map((pack) => pack.length),
    [200, 200, 50],
  );
  t.deepEqual(
    packed([
      { value: 'a', machines: 5_000 },
      { value: 'b', machines: 1 },
    ]),
    [['a'], ['b']],
  );
  t.deepEqual(packed([]), []);
});

test('few machines that are all known are described by id in one call', async (t) => {
  const there = await stage();
  t.teardown(there.close);
  const watched = await launched(there, 3, 2);
  const few = watched.map((each) => ({ ...each, order: { ...each.order, machine_count: 1000 } }));
  const seen = await runInstances.observe(there.session, few, there.call);
  t.is(there.calls('DescribeInstances'), 1);
  t.deepEqual(
    seen.map((each) => (isFault(each) ? -1 : each.machines.length)),
    [2, 2, 2],
  );
});

test('unknown machines are found by the tag of their request', async (t) => {
  const there = await stage();
  t.teardown(there.close);
  const [first, second] = await launched(there, 2, 2);
  if (!first || !second) return t.fail();
  const seen = await runInstances.observe(there.session, [{ ...first, known: [] }, second], there.call);
  t.deepEqual(
    seen.map((each) => (isFault(each) ? -1 : each.machines.length)),
    [2, 2],
  );
});

test('a machine that is not visible yet is not reported and causes no fault', async (t) => {
  const there = await stage();
  t.teardown(there.close);
  there.simulator.setKnobs({ visible_ms: { id: 60_000, filter: 60_000, tag: 60_000 } });
  const watched = await launched(there, 1, 2);
  const [seen] = await runInstances.observe(there.session, watched, there.call);
  if (!seen || isFault(seen)) return t.fail();
  t.deepEqual(seen.machines, []);
  // Nor can it be ended: it has to be tried again.
  t.deepEqual(await terminate(there.session, watched[0]?.known ?? [], there.call), { done: false, again_ms: 5_000 });
});

/** As the core knows them, launched long ago. */
const old = (watched: Watched, more: readonly string[] = []): Watched => ({
  ...watched,
  known: [...watched.known, ...more.map((machine_id) => ({ machine_id, status: 'running' as const }))].map(
    (machine) => ({
      ...machine,
      launched_at: '2020-01-01T00:00:00.000Z',
    }),
  ),
});
const strange = ['i-0000000000000000a', 'i-0000000000000000b'];

test('a machine whose id EC2 does not know is reported as terminated unless it is young', async (t) => {
  const there = await stage();
  t.teardown(there.close);
  const [watched] = await launched(there, 1, 2);
  if (!watched) return t.fail();
  await sleep(30);
  const [seen] = await runInstances.observe(there.session, [old(watched, strange)], there.call);
  if (!seen || isFault(seen)) return t.fail();
  t.deepEqual(
    seen.machines.map(({ machine_id, status, ready }) => [machine_id, status, ready]).toSorted(),
    [
      ...strange.map((machine_id) => [machine_id, 'terminated', false]),
      ...watched.known.map(({ machine_id }) => [machine_id, 'running', true]).toSorted(),
    ].toSorted(),
  );
  t.regex(
    seen.machines.find(({ status }) => status === 'terminated')?.message ?? '',
    /Error Code: InvalidInstanceID\.NotFound$/,
  );

  const now = new Date().toISOString();
  const young = {
    ...watched,
    known: strange.map((machine_id) => ({ machine_id, status: 'running' as const, launched_at: now })),
  };
  const unborn = { ...watched, known: strange.map((machine_id) => ({ machine_id, status: 'pending' as const })) };
  for (const each of await runInstances.observe(there.session, [young, unborn], there.call))
    t.deepEqual(isFault(each) || each.machines.filter(({ machine_id }) => strange.includes(machine_id)), []);
});

test('machines that a listing lacks are described by id, and without an answer nothing is reported about them', async (t) => {
  const there = await stage({ cloud_max_retries: 0 });
  t.teardown(there.close);
  const watched = await launched(there, 2, 2);
  await sleep(30);
  const ours = watched.map((each) => old(each));
  // Lists are behind, ids are not: an empty listing of the whole instance.
  there.simulator.setKnobs({ visible_ms: { id: 0, filter: 60_000, tag: 60_000 } });
  const statuses = (seen: readonly (Observation | ProviderFault)[]) =>
    seen.map((each) => (isFault(each) ? each.kind : each.machines.map(({ status }) => status)));
  t.deepEqual(statuses(await runInstances.observe(there.session, ours, there.call)), [
    ['running', 'running'],
    ['running', 'running'],
  ]);
  there.simulator.setKnobs({
    faults: [
      { action: 'DescribeInstances', nth: 2, times: 9, effect: 'skip', then: 'error', code: 'RequestLimitExceeded' },
    ],
  });
  t.deepEqual(statuses(await runInstances.observe(there.session, ours, there.call)), [[], []]);
});

test('a machine that EC2 has purged is reported as terminated, whatever else the call names', async (t) => {
  const there = await stage();
  t.teardown(there.close);
  const [first, second] = await launched(there, 2, 3);
  if (!first || !second) return t.fail();
  const [gone] = first.known;
  await sleep(30);
  await terminate(there.session, [gone ?? t.fail('none')] as Watched['known'], there.call);
  there.simulator.advance(7_200_000);
  await sleep(30);
  const seen = await runInstances.observe(there.session, [old(first), { ...second, known: [] }], there.call);
  t.deepEqual(
    seen.map((each) => (isFault(each) ? each.kind : each.machines.map(({ status }) => status).toSorted())),
    [
      ['running', 'running', 'terminated'],
      ['running', 'running', 'running'],
    ],
  );
});

test('a call that fails is the fault of the attempts that it concerned', async (t) => {
  const there = await stage({ cloud_max_retries: 0 });
  t.teardown(there.close);
  const watched = await launched(there, 2, 2);
  there.simulator.setKnobs({
    faults: [{ action: 'DescribeInstances', effect: 'skip', then: 'error', code: 'RequestLimitExceeded' }],
  });
  const seen = await runInstances.observe(there.session, watched, there.call);
  t.deepEqual(
    seen.map((each) => isFault(each) && each.kind),
    ['throttled', 'throttled'],
  );
});

test('a protected machine does not keep the others of a release from being terminated', async (t) => {
  const there = await stage();
  t.teardown(there.close);
  const guarded = await prepared(runInstances, there, {
    template: { template_id: 't', provider_api_spec: { DisableApiTermination: true } },
  });
  const kept = (await runInstances.launch(there.session, guarded, there.call)).machines ?? [];
  const [free] = await launched(there, 1, 3);
  const error = await t.throwsAsync(terminate(there.session, [...kept, ...(free?.known ?? [])], there.call));
  t.true(isFault(error));
  t.regex((error as Error).message, /Error Code: OperationNotPermitted$/);
  await sleep(40);
  const live = there.simulator.ledger().live;
  t.is(live[guarded.request_id]?.length, 1);
  t.is(live[free?.order.request_id ?? '']?.length ?? 0, 0);
});

test('the resources of an installation are listed for that installation alone', async (t) => {
  const there = await stage();
  t.teardown(there.close);
  const [watched] = await launched(there, 1, 2);
  const ours = await Array.fromAsync(cloud.owned?.(there.session, 'inst-1', there.call) ?? []);
  t.deepEqual(
    ours.map(({ kind, request_id, attempt }) => ({ kind, request_id, attempt })),
    [
      { kind: 'machine', request_id: watched?.order.request_id, attempt: 1 },
      { kind: 'machine', request_id: watched?.order.request_id, attempt: 1 },
    ],
  );
  t.deepEqual(await Array.fromAsync(cloud.owned?.(there.session, 'inst-2', there.call) ?? []), []);
});

test('machine types are listed with their processors and memory', async (t) => {
  const there = await stage();
  t.teardown(there.close);
  const types = await Array.fromAsync(cloud.machineTypes?.(there.session, there.call) ?? []);
  t.true(types.length > 50);
  t.deepEqual(
    types.find((type) => type.name === 'm5.large'),
    { name: 'm5.large', vcpus: 2, cores: 1, memory_mib: 8192, arch: 'x86_64' },
  );
});
