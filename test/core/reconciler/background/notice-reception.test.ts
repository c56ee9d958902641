import test, { type ExecutionContext } from 'ava';
import { silentLog, type Notice, type NoticeMessage, ProviderFault } from '../../../../core/index.ts';
import { startLoop } from '../../../../core/reconciler/loop.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud, scriptedApi, scriptedType } from '../../../support/scripted-cloud.ts';

const message = (receipt: string, ...notices: readonly Notice[]): NoticeMessage => ({ receipt, notices });

/** A completed request of three machines in a cloud that has notices. */
async function threeAtRest(t: ExecutionContext, more: Partial<ScriptedCloud> = {}) {
  const east = Object.assign(new ScriptedCloud(), { notices: true, ...more });
  const bench = await loopBench({ east });
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

test('notices in any order never take a machine back to an earlier state, and repeats have no effect', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  const state = (receipt: string, status: 'pending' | 'running' | 'shutting-down' | 'terminated') =>
    message(receipt, { machine_id: 'm-1', kind: 'state', at: at(), status });
  east.hidden.add('m-1');
  east.messages = [
    state('1', 'terminated'),
    state('2', 'running'),
    state('3', 'shutting-down'),
    state('4', 'pending'),
  ];
  await bench.clock.advance(3_000);
  east.messages = [state('5', 'terminated'), state('6', 'running')];
  await bench.clock.advance(3_000);
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
  t.deepEqual(await eventsOf(bench, 'machine.lost'), [['m-1']]);
  t.is(east.acknowledged.length, 6);
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
