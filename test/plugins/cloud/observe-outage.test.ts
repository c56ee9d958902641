import { CreateTagsCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import { isFault, type Watched } from '../../../core/index.ts';
import { cloud, observeMachines } from '../../../plugins/cloud/index.ts';
import { inStatus, machinesOf, steadyStage, type SteadyStage } from './steady-support.ts';
import { sleep } from './support.ts';

const out = { outages: [{ zone: 'us-east-1b' }] };
const over = { outages: [] };

/** Requests at rest: the first ones in the zone that will not answer, the last ones elsewhere. */
async function there(
  t: ExecutionContext,
  machines: number,
): Promise<{ place: SteadyStage; here: Watched; both: Watched; away: Watched }> {
  const place = await steadyStage();
  t.teardown(place.close);
  const here = await place.steady(machines, 'subnet-1');
  const left = await place.steady(machines, 'subnet-1');
  const right = await place.steady(machines, 'subnet-2');
  const away = await place.steady(machines, 'subnet-2');
  // One request with machines in two zones.
  const Resources = right.known.map(({ machine_id }) => machine_id);
  const Tags = [{ Key: 'muster:request-id', Value: left.order.request_id }];
  for (let i = 0; i < Resources.length; i += 500)
    await place.session.write(
      () => new CreateTagsCommand({ Resources: Resources.slice(i, i + 500), Tags }),
      place.call,
    );
  const both = {
    ...left,
    known: [...left.known, ...right.known],
    order: { ...left.order, machine_count: 2 * machines },
  };
  t.deepEqual([...new Set(here.known.map(zone))], ['us-east-1b']);
  t.deepEqual([...new Set(away.known.map(zone))], ['us-east-1c']);
  return { place, here, both, away };
}

const zone = ({ data }: { data?: object }) => (data as { zone?: string } | undefined)?.zone;

const ids = (machines: readonly { readonly machine_id: string }[]) =>
  machines.map(({ machine_id }) => machine_id).toSorted();

async function end(place: SteadyStage, machine_id: string | undefined): Promise<void> {
  await place.session.write(() => new TerminateInstancesCommand({ InstanceIds: [machine_id ?? ''] }), place.call);
  await sleep(40);
}

const sizes = [
  [3, 'few, by id'],
  [150, 'more, by the tag'],
  [400, 'many, by their statuses'],
] as const;
for (const [size, how] of sizes) {
  test(`of machines at rest (${how}) those outside the zone that does not answer are seen, and none is lost`, async (t) => {
    t.timeout(300_000);
    const { place, here, both, away } = await there(t, size);
    const victim = away.known[0]?.machine_id;
    await end(place, victim);
    place.simulator.setKnobs(out);
    for (let i = 0; i < 4; i++) {
      place.pass(30_000);
      const { seen } = await place.observe([here, both, away]);
      t.true(isFault(seen[0]), 'nothing is known of any of them');
      t.deepEqual(ids(machinesOf(seen[1])), ids(both.known));
      t.true(machinesOf(seen[1]).every(({ status }) => status === 'running'));
      t.is(machinesOf(seen[1]).filter(({ ready }) => ready).length, size);
      t.deepEqual(ids(machinesOf(seen[2])), ids(away.known));
      t.is(machinesOf(seen[2]).find(({ machine_id }) => machine_id === victim)?.status, 'terminated');
      t.deepEqual(
        seen.map((each) => isFault(each) || each.settled),
        [true, true, true],
      );
    }
    place.simulator.setKnobs(over);
    place.pass(61_000);
    const { seen } = await place.observe([here, both, away]);
    t.deepEqual(inStatus(seen, 'running'), [size, 2 * size, size - 1]);
    t.true(machinesOf(seen[1]).every(({ ready }) => ready));
  });
}

test('a machine that ended during an outage of its zone is reported once the zone answers', async (t) => {
  const { place, both, away } = await there(t, 3);
  const victim = both.known.find((machine) => zone(machine) === 'us-east-1b')?.machine_id;
  await end(place, victim);
  place.simulator.setKnobs(out);
  const during = await place.observe([both, away]);
  t.is(machinesOf(during.seen[0]).find(({ machine_id }) => machine_id === victim)?.status, 'running');
  place.simulator.setKnobs(over);
  place.pass(61_000);
  const after = await place.observe([both, away]);
  t.is(machinesOf(after.seen[0]).find(({ machine_id }) => machine_id === victim)?.status, 'terminated');
});

test('a zone that does not answer is left out of calls for a minute and then tried again', async (t) => {
  const { place, both, away } = await there(t, 3);
  const observe = async () => (await place.observe([both, away])).calls['DescribeInstances'] ?? 0;
  await observe();
  place.simulator.setKnobs(out);
  t.true((await observe()) > 2);
  place.pass(30_000);
  t.is(await observe(), 1);
  place.pass(30_000);
  t.true((await observe()) > 2);
});

test('an attempt that may have machines in a silent zone is not settled unless it has all its machines', async (t) => {
  const { place, both, away } = await there(t, 3);
  place.simulator.setKnobs(out);
  const arriving = async (...watched: Watched[]) =>
    observeMachines(
      place.session,
      watched.map((each) => ({ ...each, steady: false })),
      place.call,
      { arriving: true },
    );
  const settled = async (...watched: Watched[]) =>
    (await arriving(...watched)).map((each) => (isFault(each) ? 'fault' : each.settled));
  const more = { ...away, order: { ...away.order, machine_count: 4 } };
  t.deepEqual(await settled(both, away, more), [true, true, false]);
  // Nothing of them is known, and three are seen.
  const unknown = { ...both, known: [] };
  t.deepEqual(await settled(unknown), [false]);
  const [seen] = await arriving(unknown);
  t.is(machinesOf(seen).length, 3);
});

test('a new order without known machines is not settled while a zone does not answer', async (t) => {
  const { place, both, away } = await there(t, 3);
  place.simulator.setKnobs(out);
  const { seen } = await place.observe([
    { ...both, known: [], steady: false },
    { ...away, steady: false },
  ]);
  t.deepEqual(
    seen.map((each) => isFault(each) || each.settled),
    [false, true],
  );
});

test('an outage of all zones is one fault, and zones are not described one by one each time', async (t) => {
  const { place, both, away } = await there(t, 3);
  place.simulator.setKnobs({ outages: [{ zone: '*' }] });
  const first = await place.observe([both, away]);
  t.deepEqual(
    first.seen.map((each) => isFault(each) && each.kind),
    ['unavailable', 'unavailable'],
  );
  t.is((await place.observe([both, away])).calls['DescribeInstances'], 1);
});

test('a fault that is no outage of a zone causes no calls for single zones', async (t) => {
  const { place, both, away } = await there(t, 3);
  place.simulator.setKnobs({
    faults: [{ action: 'DescribeInstances', effect: 'skip', then: 'error', code: 'AuthFailure' }],
  });
  const { seen, calls } = await place.observe([both, away]);
  t.true(seen.every((each) => isFault(each) && each.kind === 'credentials'));
  t.is(calls['DescribeInstances'], 1);
});

test('a second zone that stops answering is left out too', async (t) => {
  const { place, here, both, away } = await there(t, 3);
  const third = await place.steady(3, 'subnet-4');
  place.simulator.setKnobs(out);
  await place.observe([here, both, away, third]);
  place.simulator.setKnobs({ outages: [{ zone: 'us-east-1b' }, { zone: 'us-east-1c' }] });
  const { seen } = await place.observe([here, both, away, third]);
  t.deepEqual(
    seen.map((each) => (isFault(each) ? 'fault' : each.machines.length)),
    ['fault', 'fault', 'fault', 3],
  );
});

test('the sweep lists each machine of the zones that answer once', async (t) => {
  const { place, both, away } = await there(t, 3);
  const listed = async () => {
    const found = await Array.fromAsync(cloud.owned?.(place.session, 'inst-1', place.call) ?? []);
    return found.filter(({ kind }) => kind === 'machine').map(({ id }) => id);
  };
  place.simulator.setKnobs(out);
  const elsewhere = [...both.known, ...away.known].filter((machine) => zone(machine) !== 'us-east-1b');
  t.deepEqual((await listed()).toSorted(), ids(elsewhere));
  place.simulator.setKnobs(over);
  place.pass(61_000);
  t.is((await listed()).length, 12);
});
