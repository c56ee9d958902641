import test, { type ExecutionContext } from 'ava';
import {
  silentLog,
  type MachineStatus,
  type Notice,
  type NoticeMessage,
  ProviderFault,
} from '../../../../core/index.ts';
import { startLoop } from '../../../../core/reconciler/loop.ts';
import type { Settings } from '../../../../core/reconciler/settings.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud, scriptedApi, scriptedType } from '../../../support/scripted-cloud.ts';

const message = (receipt: string, ...notices: readonly Notice[]): NoticeMessage => ({ receipt, notices });

/** A completed request of three machines in a cloud that has notices. */
async function threeAtRest(t: ExecutionContext, more: Partial<ScriptedCloud> = {}, settings: Partial<Settings> = {}) {
  const east = Object.assign(new ScriptedCloud(), { notices: true, ...more });
  const bench = await loopBench({ east }, settings);
  t.teardown(() => bench.close());
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'completed');
  const at = (ms = 0) => new Date(bench.clock.now() + ms).toISOString();
  return { bench, east, id, at };
}

const machineOf = async (bench: LoopBench, id: string, machine_id: string) =>
  (await bench.status(id)).machines.find((machine) => machine.machine_id === machine_id);
/** Machines at rest are observed in hours only, and their requests are held meanwhile. */
const rarely: Partial<Settings> = {
  observe_resting_ms: 36_000_000,
  observe_noticed_ms: 36_000_000,
  hold_ms: 36_000_000,
};

const eventsOf = async (bench: LoopBench, type: string) =>
  (await bench.store.find('event', { where: { type } })).map(({ data }) => data['machine_ids']);
const observations = ({ calls }: ScriptedCloud) => calls.filter((call) => call.startsWith('observe')).length;

test('a reclaim is stored before its message is acknowledged, and no observation without it withdraws it', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  const reclaim_at = at(120_000);
  east.messages = [message('r-1', { machine_id: 'm-1', kind: 'reclaim', at: at(), reclaim_at, message: 'It goes.' })];
  await bench.clock.advance(3_000);
  t.like(await machineOf(bench, id, 'm-1'), { status: 'running', reclaim_at, message: 'It goes.' });
  t.deepEqual(east.acknowledged, ['r-1']);
  t.deepEqual(await eventsOf(bench, 'machine.reclaim_noticed'), [['m-1']]);

  const machine = east.machines.get('m-1');
  if (machine) machine.report = { ...machine.report, reclaim_at: null };
  await bench.clock.advance(310_000);
  t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, reclaim_at);
  // The machine still lives five minutes after its end: the provider changed its mind.
  await bench.clock.advance(600_000);
  t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, undefined);
});

/** A message that announces a state of a machine. */
const state = (receipt: string, machine_id: string, status: MachineStatus, at: string): NoticeMessage =>
  message(receipt, { machine_id, kind: 'state', at, status });

test('a machine that ends is reported within two seconds of its notice, in whatever order and however often it comes', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  east.kill('m-1');
  const statuses = ['terminated', 'running', 'shutting-down', 'pending'] as const;
  east.messages = statuses.map((status) => state(status, 'm-1', status, at()));
  await bench.clock.advance(2_000);
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
  east.messages = [state('5', 'm-1', 'terminated', at()), state('6', 'm-1', 'running', at())];
  await bench.clock.advance(120_000);
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
  t.deepEqual(await eventsOf(bench, 'machine.lost'), [['m-1']]);
  t.is(east.acknowledged.length, 6);
});

for (const status of ['terminated', 'shutting-down', 'stopping', 'stopped', 'failed'] as const)
  test(`a notice that a machine is ${status} while the provider shows that it runs changes nothing`, async (t) => {
    const { bench, east, id, at } = await threeAtRest(t);
    const before = await machineOf(bench, id, 'm-1');
    east.messages = [state('r', 'm-1', status, at())];
    await bench.clock.advance(3_000);
    t.deepEqual(await machineOf(bench, id, 'm-1'), before);
    await bench.clock.advance(900_000);
    t.deepEqual(await machineOf(bench, id, 'm-1'), before);
    t.deepEqual(east.acknowledged, ['r']);
    t.deepEqual(await eventsOf(bench, 'machine.lost'), []);
    t.is(east.orders.length, 1, 'nothing replaces it');
  });

for (const staleMs of [1_000, 3_000, 8_000, 30_000])
  test(`a provider whose answers are ${staleMs / 1_000} s old is asked again until it shows the announced end`, async (t) => {
    const { bench, east, id, at } = await threeAtRest(t, {}, rarely);
    east.messages = [state('r', 'm-1', 'terminated', at())];
    await bench.clock.advance(staleMs);
    t.is((await machineOf(bench, id, 'm-1'))?.status, 'running');
    east.kill('m-1');
    await bench.clock.advance(staleMs < 10_000 ? 2_000 : 10_000);
    t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
    t.deepEqual(await eventsOf(bench, 'machine.lost'), [['m-1']]);
  });

test('a provider that does not answer is asked until it does, and then decides about the announced end', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t, {}, rarely);
  east.deaf = new ProviderFault('unavailable', 'It does not answer.');
  east.messages = [state('r', 'm-1', 'terminated', at()), state('s', 'm-2', 'terminated', at())];
  await bench.clock.advance(300_000);
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'running');
  east.deaf = undefined;
  east.kill('m-1');
  await bench.clock.advance(10_000);
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
  t.is((await machineOf(bench, id, 'm-2'))?.status, 'running');
});

test('a false notice costs a dozen observations of its machine alone, and ends by itself', async (t) => {
  const east = Object.assign(new ScriptedCloud({ machines_per_launch: 1_000 }), { notices: true });
  const bench = await loopBench({ east }, rarely);
  t.teardown(() => bench.close());
  await bench.request(1_000);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(60_000);
  const before = east.asked.length;
  east.messages = [state('r', 'm-7', 'terminated', new Date(bench.clock.now()).toISOString())];
  await bench.clock.advance(600_000);
  const asked = east.asked.slice(before);
  t.true(asked.length >= 5 && asked.length <= 15, `${asked.length} observations`);
  t.deepEqual([...new Set(asked)], [1]);
});

test('false notices about all of 10 000 machines in many requests share a few observations', async (t) => {
  t.timeout(240_000);
  const east = Object.assign(new ScriptedCloud({ machines_per_launch: 100 }), { notices: true });
  const bench = await loopBench({ east }, rarely);
  t.teardown(() => bench.close());
  for (let order = 0; order < 50; order++) await bench.request(200);
  await bench.clock.advance(3_000);
  east.boot();
  await bench.clock.advance(60_000);
  t.is(await bench.store.count('machine', { status: 'running' }), 10_000);
  const before = observations(east);
  const asked = east.asked.length;
  const forged = east
    .live()
    .map((id, index) => state(`r-${index}`, id, 'terminated', new Date(bench.clock.now()).toISOString()));
  // As a source gives them: a part in each answer.
  east.waiting = forged;
  await bench.clock.advance(600_000);
  t.is(east.acknowledged.length, 10_000);
  t.is(await bench.store.count('machine', { status: 'running' }), 10_000);
  t.deepEqual(await eventsOf(bench, 'machine.lost'), []);
  const calls = observations(east) - before;
  t.log(`${calls} calls, ${east.asked.length - asked} attempts`);
  t.true(calls <= 80, `${calls} calls`);
});

test('notices of one machine again and again do not keep the others from being observed', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  for (let second = 0; second < 60; second++) {
    east.messages = [state(`r-${second}`, 'm-1', 'terminated', at())];
    if (second === 10) east.kill('m-2');
    await bench.clock.advance(1_000);
  }
  t.is((await machineOf(bench, id, 'm-2'))?.status, 'terminated');
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'running');
});

for (const commit of [1, 2, 3, 4, 5])
  test(`a loop that is killed before its commit ${commit} still observes the machine of a true notice`, async (t) => {
    // The request is yielded until an observation that is due in an hour.
    const { bench, east, id, at } = await threeAtRest(t, {}, { observe_resting_ms: 3_600_000 });
    await bench.clock.advance(120_000);
    east.kill('m-1');
    east.messages = [state('r', 'm-1', 'terminated', at())];
    await bench.kill(commit);
    await bench.clock.advance(60_000);
    t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
    t.deepEqual(await eventsOf(bench, 'machine.lost'), [['m-1']]);
    t.deepEqual([...new Set(east.acknowledged)], ['r']);
  });

test('of two reclaims of one machine the earlier counts, and a cancelled one is withdrawn', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  const scheduled = (receipt: string, reclaim_at: string | null) =>
    message(receipt, { machine_id: 'm-1', kind: 'scheduled', at: at(), reclaim_at });
  const [early, late] = [at(1_800_000), at(3_000_000)];
  east.messages = [scheduled('1', late)];
  await bench.clock.advance(3_000);
  east.messages = [scheduled('2', early), scheduled('3', late)];
  await bench.clock.advance(3_000);
  t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, early);
  east.messages = [scheduled('4', null)];
  await bench.clock.advance(3_000);
  t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, undefined);
  t.deepEqual(await eventsOf(bench, 'machine.reclaim_withdrawn'), [['m-1']]);
});

test('planned work in two weeks is no reclaim yet', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  const notice: Notice = { machine_id: 'm-1', kind: 'scheduled', at: at(), reclaim_at: at(14 * 86_400_000) };
  east.messages = [message('1', notice)];
  await bench.clock.advance(3_000);
  t.deepEqual(east.acknowledged, ['1']);
  t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, undefined);
  t.deepEqual(await eventsOf(bench, 'machine.reclaim_noticed'), []);
});

test('a message about an unknown machine is acknowledged when it can never matter', async (t) => {
  const { bench, east, at } = await threeAtRest(t);
  const about = (receipt: string, kind: 'rebalance' | 'reclaim', age: number) =>
    message(receipt, { machine_id: 'm-99', kind, at: at(-age), reclaim_at: at() } as Notice);
  east.messages = [about('old', 'reclaim', 300_000), about('new', 'rebalance', 1_000), message('none')];
  await bench.clock.advance(3_000);
  t.deepEqual(east.acknowledged, ['old', 'none']);
  await bench.clock.advance(180_000);
  t.true(east.acknowledged.includes('new'));
});

test('machines at rest are observed rarely while notices arrive, and as ever soon after they stop', async (t) => {
  const { bench, east, at } = await threeAtRest(t);
  east.messages = [message('r', { machine_id: 'm-1', kind: 'state', at: at(), status: 'running' })];
  await bench.clock.advance(300_000);
  let before = observations(east);
  await bench.clock.advance(1_500_000);
  t.is(observations(east) - before, 5, 'one in five minutes');
  east.notices = new ProviderFault('credentials', 'Not allowed. Allow it.');
  await bench.clock.advance(60_000);
  before = observations(east);
  await bench.clock.advance(300_000);
  t.is(observations(east) - before, 10, 'one in thirty seconds');
  east.notices = true;
  await bench.clock.advance(400_000);
  before = observations(east);
  await bench.clock.advance(1_500_000);
  t.is(observations(east) - before, 5);
});

test('machines are observed as ever when a source answers and never names one of them', async (t) => {
  const { bench, east, at } = await threeAtRest(t);
  const foreign = message('r', { machine_id: 'm-99', kind: 'state', at: at(), status: 'running' });
  east.messages = [foreign];
  await bench.clock.advance(300_000);
  const before = observations(east);
  await bench.clock.advance(300_000);
  t.is(observations(east) - before, 10);
});

test('a notice that comes before its machine is stored shows that notices arrive', async (t) => {
  const east = Object.assign(new ScriptedCloud(), { notices: true });
  const bench = await loopBench({ east });
  t.teardown(() => bench.close());
  const at = new Date(bench.clock.now()).toISOString();
  east.messages = [message('r', { machine_id: 'm-1', kind: 'state', at, status: 'running' })];
  await bench.clock.advance(3_000);
  t.deepEqual(east.acknowledged, ['r']);
  await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(399_000);
  const before = observations(east);
  await bench.clock.advance(1_500_000);
  t.is(observations(east) - before, 5);
});

test('machines are observed as ever once a machine ends without a notice, until notices come again', async (t) => {
  const { bench, east, at, id } = await threeAtRest(t);
  const running = () => message('r', { machine_id: 'm-1', kind: 'state', at: at(), status: 'running' });
  east.messages = [running()];
  await bench.clock.advance(400_000);
  // The rule that sends the notices is removed: the source stays empty.
  east.kill('m-2');
  await bench.clock.advance(400_000);
  t.is((await machineOf(bench, id, 'm-2'))?.status, 'terminated');
  await bench.clock.advance(60_000);
  let before = observations(east);
  await bench.clock.advance(300_000);
  t.is(observations(east) - before, 10, 'one in thirty seconds');
  east.messages = [running()];
  await bench.clock.advance(400_000);
  before = observations(east);
  await bench.clock.advance(1_500_000);
  t.is(observations(east) - before, 5);
});

test('a reception that fails is tried again with growing waits, and says nothing about the health of the instance', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  east.notices = new ProviderFault('credentials', 'Not allowed.');
  const tries = () => east.calls.filter((call) => call === 'receive').length;
  await bench.clock.advance(2_000);
  const before = tries();
  await bench.clock.advance(600_000);
  t.true(tries() - before >= 9 && tries() - before <= 15, `${tries() - before} tries`);
  const health = await bench.store.get('fact', { topic: 'health', name: 'east', item: '' });
  t.like(health?.value, { status: 'healthy' });
  east.notices = true;
  const reclaim_at = at(300_000);
  east.messages = [message('r', { machine_id: 'm-2', kind: 'reclaim', at: at(), reclaim_at })];
  await bench.clock.advance(70_000);
  t.is((await machineOf(bench, id, 'm-2'))?.reclaim_at, reclaim_at);
});

test('an answer that breaks the contract is a failed reception', async (t) => {
  const { bench, east } = await threeAtRest(t);
  east.messages = [
    { receipt: 'r', notices: [{ machine_id: 'm-1', kind: 'state', status: 'dead', at: 'now' } as never] },
  ];
  await bench.clock.advance(3_000);
  t.deepEqual(east.acknowledged, []);
  const machines = await bench.store.find('machine', {});
  t.true(machines.every(({ status }) => status === 'running'));
});

for (const commit of [1, 2, 3, 4])
  test(`a loop that is killed before its commit ${commit} only repeats the message`, async (t) => {
    const { bench, east, id, at } = await threeAtRest(t);
    const reclaim_at = at(3_000_000);
    east.messages = [
      message('r-1', { machine_id: 'm-1', kind: 'reclaim', at: at(), reclaim_at }),
      message('r-2', { machine_id: 'm-2', kind: 'rebalance', at: at() }),
    ];
    await bench.kill(commit);
    await bench.clock.advance(120_000);
    t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, reclaim_at);
    t.deepEqual(await eventsOf(bench, 'machine.reclaim_noticed'), [['m-1']]);
    t.deepEqual(await eventsOf(bench, 'machine.rebalance_recommended'), [['m-2']]);
    t.deepEqual([...new Set(east.acknowledged)].toSorted(), ['r-1', 'r-2']);
    t.is(await bench.store.count('signal', { applied: false }), 0);
  });

test('of two loops on one store one receives, and the other goes on when that one stops', async (t) => {
  const { bench, east } = await threeAtRest(t);
  const other = Object.assign(new ScriptedCloud(), { notices: true });
  const instance = {
    name: 'east',
    type: 'scripted',
    enabled: true,
    priority: 1,
    weight: 10,
    config: { cloud: other },
  };
  const limits = { max_instances_per_request: 100, max_concurrent_requests: null };
  const second = await startLoop({
    store: bench.store,
    instances: [{ ...instance, template_defaults: {}, sweep: 'off', limits }],
    types: [scriptedType],
    apis: [scriptedApi(other.capabilities)],
    schemes: [],
    data_directory: '',
    clock: bench.clock,
    log: silentLog,
    owner: { host: 'elsewhere', boot: 'b', pid: 1, started: 1, thread: 1 },
  });
  t.teardown(() => Promise.all([second.stop(), bench.clock.advance(20_000)]));
  const receptions = ({ calls }: ScriptedCloud) => calls.filter((call) => call === 'receive').length;
  const before = receptions(east);
  await bench.clock.advance(120_000);
  t.true(receptions(east) > before + 50);
  t.is(receptions(other), 0);
  await bench.close();
  await bench.clock.advance(10_000);
  t.true(receptions(other) > 0);
});
