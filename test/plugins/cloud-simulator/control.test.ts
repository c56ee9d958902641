// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import { CreateTagsCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { runningClock } from '../../../plugins/cloud-simulator/clock.ts';
import { accountOf } from '../../../plugins/cloud-simulator/wire/caller.ts';
import { launch, openCloud } from './support.ts';

const tagged = (value: string) => ({
  TagSpecifications: [{ ResourceType: 'instance' as const, Tags: [{ Key: 'muster:request-id', Value: value }] }],
});

test('knobs are merged, lists are replaced, and what is unknown or wrong is named', async (t) => {
  const { simulator } = await openCloud(t);
  const post = ask(simulator.url, 'POST', '/_sim/knobs');
  t.like((await post({ boot_ms: 5, visible_ms: { tag: 9 }, capacity: [{ count: 1 }] })).body, {
    boot_ms: 5,
    visible_ms: { id: 0, filter: 0, tag: 9 },
  });
  t.like((await post({ capacity: [{ zone: 'us-east-1a', count: 2 }] })).body, {
    boot_ms: 5,
    capacity: [{ zone: 'us-east-1a', count: 2 }],
  });
  const wrong = await post({
    boot: 5,
    throttle: { default_buckets: 'yes' },
    faults: [{ action: 'RunInstances', effect: 'maybe', then: 'drop' }],
  });
  t.is(wrong.status, 400);
  t.regex(wrong.body.error, /\/boot: unknown; known: boot_ms, /);
  t.regex(wrong.body.error, /\/throttle\/default_buckets: expected true or false/);
  t.regex(wrong.body.error, /\/faults\/0\/effect: expected one of execute, skip/);
  t.is((await ask(simulator.url, 'GET', '/_sim/knobs')()).body.boot_ms, 5);
});

test('the ledger lists live machines by request, untagged machines, launches by token and machine seconds', async (t) => {
  const { ec2, client, simulator } = await openCloud(t);
  const { Instances = [] } = await ec2.send(launch({ MaxCount: 2, ClientToken: 'one', ...tagged('req-1') }));
  await ec2.send(launch({ ClientToken: 'two' }));
  await client({ key: 'AKIATEST0002' }).send(launch({ ClientToken: 'three' }));
  simulator.advance(10_000);
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [Instances[0]?.InstanceId ?? ''] }));
  simulator.advance(10_000);
  const ledger = (account?: string) =>
    ask(simulator.url, 'GET', `/_sim/ledger${account === undefined ? '' : `?account=${account}`}`)();
  const own = (await ledger(accountOf('AKIATEST0001'))).body;
  t.deepEqual(own.live, { 'req-1': [Instances[1]?.InstanceId] });
  t.is(own.untagged.length, 1);
  t.deepEqual(own.launches, { one: 2, two: 1 });
  t.is(own.machine_seconds, 50);
  t.deepEqual((await ledger()).body.launches, { one: 2, two: 1, three: 1 });
  t.deepEqual((await ledger('AKIATEST0002')).body.launches, { three: 1 });
  simulator.advance(7_200_000);
  t.is(simulator.ledger('AKIATEST0001').machine_seconds, 10 + 2 * 7220);
});

test('a machine that is tagged later moves from untagged to its request', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = (await ec2.send(launch())).Instances?.[0]?.InstanceId ?? '';
  t.deepEqual(simulator.ledger().untagged, [id]);
  await ec2.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'muster:request-id', Value: 'req-9' }] }));
  t.deepEqual(simulator.ledger().live, { 'req-9': [id] });
});

test('the audit lists calls after a number, and replays have the hash of their first call', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  for (const MaxCount of [1, 1, 2]) await ec2.send(launch({ MaxCount, ClientToken: 'one' })).catch(() => {});
  const { entries, next } = (await ask(simulator.url, 'GET', '/_sim/audit?since=0')()).body;
  t.is(next, 3);
  t.is(entries[0].params_hash, entries[1].params_hash);
  t.not(entries[0].params_hash, entries[2].params_hash);
  t.deepEqual(
    entries.map((entry: { n: number; ids: string[]; executed: boolean; code: string | null }) => [
      entry.n,
      entry.ids.length,
      entry.executed,
      entry.code,
    ]),
    [
      [1, 1, true, null],
      [2, 0, true, null],
      [3, 0, false, 'IdempotentParameterMismatch'],
    ],
  );
  t.is((await ask(simulator.url, 'GET', '/_sim/audit?since=2')()).body.entries.length, 1);
  t.is((await ask(simulator.url, 'GET', '/_sim/audit?since=x')()).status, 400);
});

test('a reset removes everything except the knobs, and on request the knobs too', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const first = (await ec2.send(launch({ ClientToken: 'one' }))).Instances?.[0]?.InstanceId;
  simulator.setKnobs({ boot_ms: 7 });
  await ask(simulator.url, 'POST', '/_sim/reset')();
  t.deepEqual(simulator.ledger().launches, {});
  t.deepEqual(simulator.audit(), []);
  t.is(simulator.knobs.boot_ms, 7);
  t.not((await ec2.send(launch({ ClientToken: 'one' }))).Instances?.[0]?.InstanceId, first);
  await ask(simulator.url, 'POST', '/_sim/reset')({ knobs: true });
  t.is(simulator.knobs.boot_ms, 2000);
});

test('clock, health and catalogue answer; unknown routes are told which are known', async (t) => {
  const { simulator } = await openCloud(t);
  const before = simulator.clock.now();
  t.is(
    (await ask(simulator.url, 'POST', '/_sim/clock')({ advance_ms: 60_000 })).body.now,
    new Date(before + 60_000).toISOString(),
  );
  t.is((await ask(simulator.url, 'POST', '/_sim/clock')({ advance_ms: -1 })).status, 400);
  t.is((await ask(simulator.url, 'POST', '/_sim/clock')({ advance: 1 })).status, 400);
  t.deepEqual((await ask(simulator.url, 'GET', '/_sim/health')()).body, {
    pid: process.pid,
    state_id: simulator.stateId,
  });
  const catalogue = (await ask(simulator.url, 'GET', '/_sim/catalogue')()).body;
  t.deepEqual(catalogue.regions['eu-west-1'].zones, ['eu-west-1a', 'eu-west-1b', 'eu-west-1c']);
  t.truthy(catalogue.instance_types[0].memory_mib);
  const unknown = await ask(simulator.url, 'GET', '/_sim/ledgers')();
  t.is(unknown.status, 404);
  t.regex(unknown.body.error, /GET \/_sim\/ledger,/);
});

test('the same seed gives the same ids', async (t) => {
  const id = async (seed: number) =>
    (await (await openCloud(t, { seed })).ec2.send(launch())).Instances?.[0]?.InstanceId;
  t.is(await id(7), await id(7));
  t.not(await id(7), await id(8));
});

test('setting the seed again repeats random decisions and no ids', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { boot_ms: { min: 1000, max: 9000 } } });
  const ids: string[] = [];
  const boots = async () => {
    simulator.setKnobs({ seed: 5 });
    const { Instances = [] } = await ec2.send(launch({ MaxCount: 3, InstanceMarketOptions: { MarketType: 'spot' } }));
    ids.push(...Instances.flatMap((one) => [one.InstanceId ?? '', one.SpotInstanceRequestId ?? '']));
    return [...simulator.state.region(accountOf('AKIATEST0001'), 'us-east-1').instances]
      .slice(-3)
      .map((one) => one.runningAt - one.launchedAt);
  };
  t.deepEqual(await boots(), await boots());
  t.is(new Set(ids).size, 12);
});

test('control routes name everything that is wrong with a call', async (t) => {
  const { simulator } = await openCloud(t);
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await ask(simulator.url, method, path)(body);
    return `${answer.status} ${answer.body.error}`;
  };
  t.regex(
    await send('POST', '/_sim/clock', { advance: 1, ms: 2 }),
    /^400 \/advance_ms: is missing\n\/advance: unknown; .*\n\/ms: unknown/,
  );
  t.regex(await send('POST', '/_sim/clock', { advance_ms: '1' }), /^400 \/advance_ms: expected milliseconds/);
  t.regex(await send('POST', '/_sim/clock', { advance_ms: 1e300 }), /^400 The clock ends with the year 9000/);
  t.regex(
    await send('POST', '/_sim/reset', { knobs: 1, all: true }),
    /^400 \/knobs: expected true or false\n\/all: unknown/,
  );
  t.regex(await send('POST', '/_sim/reset', []), /^400 \/: expected an object/);
  t.regex(await send('GET', '/_sim/audit?since=-1'), /^400 \?since: expected the number/);
  t.regex(await send('GET', '/_sim/audit?since=1&limit=5'), /^400 \?limit: unknown; known: since/);
  t.regex(await send('GET', '/_sim/ledger?acount=1&x=2'), /^400 \?acount: unknown; known: account\n\?x: unknown/);
  const broken = await fetch(`${simulator.url}/_sim/knobs`, { method: 'POST', body: '{' });
  t.is(broken.status, 400);
  t.regex(((await broken.json()) as { error: string }).error, /^The body is not JSON: /);
  for (const [method, path] of [
    ['GET', '/_sim'],
    ['GET', '/_sim/'],
    ['GET', '/_sim/reset'],
    ['DELETE', '/_sim/knobs'],
  ] as const)
    t.regex(
      await send(method, path),
      /^404 Unknown control route .* Known routes: GET \/_sim\/health, .*GET \/_sim\/scenarios/,
    );
  t.deepEqual(simulator.audit(), []);
});

test('the scenarios are listed with what happens in them, and can be set by name', async (t) => {
  const { simulator } = await openCloud(t);
  const { body } = await ask(simulator.url, 'GET', '/_sim/scenarios')();
  t.is(typeof body['capacity-shortage'], 'string');
  for (const name of Object.keys(body)) {
    const set = await ask(simulator.url, 'POST', '/_sim/knobs')({ scenario: name });
    t.is(set.status, 200, name);
    t.is(set.body.scenario, name);
  }
  t.regex(
    (await ask(simulator.url, 'POST', '/_sim/knobs')({ scenario: 'x' })).body.error,
    /\/scenario: expected one of calm, /,
  );
});

test('a running clock never goes back, and a reset takes its steps back', (t) => {
  const clock = runningClock();
  const before = clock.now();
  clock.advance(3_600_000);
  const later = clock.now();
  t.true(later >= before + 3_600_000);
  t.true(clock.now() >= later);
  clock.reset();
  t.true(clock.now() < later);
  t.throws(() => clock.advance(-1), { instanceOf: RangeError });
  t.throws(() => clock.advance(Number.NaN), { instanceOf: RangeError });
});

function ask(url: string, method: string, path: string) {
  return async (body?: unknown): Promise<{ status: number; body: any }> => {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
}

test('the knobs show the seed in force, under every scenario and after a reset', async (t) => {
  const { simulator } = await openCloud(t, { seed: 41 });
  const knobs = async () => (await ask(simulator.url, 'GET', '/_sim/knobs')()).body;
  t.is((await knobs()).seed, 41);
  simulator.setKnobs({ scenario: 'chaos' });
  t.is((await knobs()).seed, 41);
  simulator.setKnobs({ scenario: null, seed: 7 });
  simulator.reset({ knobs: true });
  t.is((await knobs()).seed, 7);
});
