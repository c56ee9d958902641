import test from 'ava';
import { silentLog, type Notice, type NoticeMessage, ProviderFault } from '../../../../../core/index.ts';
import { startLoop } from '../../../../../core/reconciler/loop.ts';
import { loopBench } from '../../../../support/loop-bench.ts';
import {
  eventsOf,
  machineOf,
  message,
  observations,
  requestsAtRest,
  stateMessage as state,
  threeAtRest,
} from '../../../../support/notices-bench.ts';
import { ScriptedCloud, scriptedApi, scriptedType } from '../../../../support/scripted-cloud.ts';
import { aBroker } from '../../../../../plugin-testkit/storage/records.ts';
import { tries } from '../../../../support/variants.ts';

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

test('a source that always answers at once leaves time for everything else', async (t) => {
  const { bench, east, at } = await threeAtRest(t);
  let number = 0;
  Object.defineProperty(east, 'messages', {
    get: () => [state(`r-${number++}`, 'm-99', 'running', at())],
    set(kept: unknown) {
      void kept;
    },
  });
  const receptions = () => east.calls.filter((call) => call === 'receive').length;
  await bench.clock.advance(60_000);
  const before = receptions();
  await bench.clock.advance(10_000);
  t.is(receptions() - before, 500);
  const asked = observations(east);
  const halfMinutes = tries(3, 10);
  await bench.clock.advance(halfMinutes * 30_000);
  t.is(observations(east) - asked, halfMinutes, 'machines are observed as ever');
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

test('rare observations are spread, so that each minute has its share of the machines', async (t) => {
  const sizes = [1_000, 1_000, 1_000, 500, 500, 200, 200, 200, 200, 100, 50, 30, 10, 5, 3, 1, 1];
  const { bench, east, at } = await requestsAtRest(t, sizes);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  east.messages = [state('r', 'm-1', 'running', at())];
  await bench.clock.advance(400_000);
  for (let round = 0; round < 4; round++) {
    const minutes: number[] = [];
    for (let minute = 0; minute < 5; minute++) {
      const before = east.asked.length;
      await bench.clock.advance(60_000);
      minutes.push(east.asked.slice(before).reduce((sum, machines) => sum + machines, 0));
    }
    t.is(
      minutes.reduce((sum, machines) => sum + machines, 0),
      total,
      'each once in five minutes',
    );
    t.true(Math.max(...minutes) <= 1_300, `${minutes}`);
  }
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

test('a notice of a state that its machine does not have is no evidence that notices arrive', async (t) => {
  const { bench, east, at } = await requestsAtRest(t, [10]);
  await bench.clock.advance(54_000);
  const rounds = () => east.asked.filter((machines) => machines === 10).length;
  const before = rounds();
  for (let minute = 0; minute < 5; minute++) {
    east.messages = [state(`${minute}`, 'm-1', 'terminated', at())];
    await bench.clock.advance(60_000);
  }
  t.is(rounds() - before, 10, 'one in thirty seconds');
});

test('the announced end of a machine is evidence that notices arrive once the provider shows it', async (t) => {
  const { bench, east, at } = await threeAtRest(t);
  await bench.clock.advance(60_000);
  east.kill('m-1');
  east.messages = [state('r', 'm-1', 'terminated', at())];
  await bench.clock.advance(400_000);
  const before = observations(east);
  await bench.clock.advance(1_500_000);
  t.is(observations(east) - before, 5);
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
  const [health] = await bench.store.find('fact', { where: { topic: 'health', name: 'east' } });
  t.like(health?.value, { status: 'healthy' });
  east.notices = true;
  const reclaim_at = at(300_000);
  east.messages = [message('r', { machine_id: 'm-2', kind: 'reclaim', at: at(), reclaim_at })];
  await bench.clock.advance(70_000);
  t.is((await machineOf(bench, id, 'm-2'))?.reclaim_at, reclaim_at);
});

test('an answer that is no list of messages is a failed reception', async (t) => {
  for (const answer of [{}, Array.from({ length: 201 }, (_, index) => message(`r-${index}`))]) {
    const { bench, east, id, at } = await threeAtRest(t);
    east.messages = answer as never;
    await bench.clock.advance(3_000);
    t.deepEqual(east.acknowledged, []);
    const reclaim_at = at(120_000);
    east.messages = [message('r', { machine_id: 'm-1', kind: 'reclaim', at: at(), reclaim_at })];
    await bench.clock.advance(70_000);
    t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, reclaim_at, 'it was tried again');
  }
});

/** What a plugin may put into a list of messages by mistake. */
const wrong: Readonly<Record<string, (at: string) => unknown>> = {
  'no object': () => 7,
  null: () => null,
  'no notices': () => ({ receipt: 'bad' }),
  'an unknown status': (at) => ({
    receipt: 'bad',
    notices: [{ machine_id: 'm-2', kind: 'state', status: 'dead', at }],
  }),
  'an unknown kind': (at) => ({ receipt: 'bad', notices: [{ machine_id: 'm-2', kind: 'gone', at }] }),
  'no time': () => ({ receipt: 'bad', notices: [{ machine_id: 'm-2', kind: 'rebalance', at: 'now' }] }),
  'no machine': (at) => ({ receipt: 'bad', notices: [{ machine_id: '', kind: 'rebalance', at }] }),
  'a long machine id': (at) => ({ receipt: 'bad', notices: [{ machine_id: 'm'.repeat(300), kind: 'rebalance', at }] }),
  'a right notice before a wrong one': (at) => ({
    receipt: 'bad',
    notices: [
      { machine_id: 'm-2', kind: 'rebalance', at },
      { machine_id: 'm-2', kind: 'reclaim', at },
    ],
  }),
  'too many notices': (at) => ({
    receipt: 'bad',
    notices: Array.from({ length: 10_001 }, () => ({ machine_id: 'm-2', kind: 'rebalance', at })),
  }),
  'a property that throws': () => ({
    receipt: 'bad',
    get notices() {
      throw new Error('No.');
    },
  }),
  'no receipt': (at) => ({ notices: [{ machine_id: 'm-2', kind: 'rebalance', at }] }),
};

for (const [what, make] of Object.entries(wrong))
  test(`a message with ${what} among others is counted and removed, and the others are used`, async (t) => {
    const { bench, east, id, at } = await threeAtRest(t);
    const reclaim_at = at(120_000);
    const bad = make(at());
    east.messages = [
      message('r-1', { machine_id: 'm-1', kind: 'reclaim', at: at(), reclaim_at }),
      bad as NoticeMessage,
      message('r-3', { machine_id: 'm-3', kind: 'rebalance', at: at() }),
    ];
    await bench.clock.advance(3_000);
    t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, reclaim_at);
    t.truthy((await machineOf(bench, id, 'm-3'))?.rebalance_at);
    t.is((await machineOf(bench, id, 'm-2'))?.rebalance_at, undefined);
    const removed = what === 'no object' || what === 'null' || what === 'no receipt' ? [] : ['bad'];
    t.deepEqual([...new Set(east.acknowledged)].toSorted(), [...removed, 'r-1', 'r-3']);
  });

test('fields of a notice that the contract does not have are not stored', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  const cyclic: Record<string, unknown> = { big: 1n };
  cyclic['self'] = cyclic;
  const reclaim_at = at(120_000);
  const notice: Notice = { machine_id: 'm-1', kind: 'reclaim', at: at(), reclaim_at, message: 'x'.repeat(100_000) };
  east.messages = [message('r', Object.assign(notice, { more: cyclic }))];
  await bench.clock.advance(3_000);
  const machine = await machineOf(bench, id, 'm-1');
  t.is(machine?.reclaim_at, reclaim_at);
  t.true(JSON.stringify(machine).length < 2_500);
});

for (const commit of [1, 2, 3])
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
    broker: aBroker({ host: 'elsewhere' }),
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

test('a notice about a machine of an instance that is not connected yet waits in the shared source', async (t) => {
  const east = new ScriptedCloud();
  const west = Object.assign(new ScriptedCloud(), { notices: true });
  const bench = await loopBench({ east, west });
  t.teardown(() => bench.close());
  const id = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  // Announced while no broker ran, and received before the account of the instance is known.
  const at = new Date(bench.clock.now() - 600_000).toISOString();
  const known = Promise.withResolvers<string>();
  Object.assign(east, { identity: known.promise });
  west.messages = [message('r', { machine_id: 'm-1', kind: 'rebalance', at })];
  await bench.kill();
  await bench.clock.advance(3_000);
  t.deepEqual(west.acknowledged, []);
  known.resolve('scripted');
  await bench.clock.advance(60_000);
  t.is((await machineOf(bench, id, 'm-1'))?.rebalance_at, at);
  t.true(west.acknowledged.includes('r'));
});

test('notices of an instance count also when another process receives them from a source that instances share', async (t) => {
  const { bench, east, at } = await threeAtRest(t);
  const west = Object.assign(new ScriptedCloud(), { notices: true });
  const limits = { max_instances_per_request: 100, max_concurrent_requests: null };
  const common = { type: 'scripted', enabled: true, priority: 1, weight: 10, template_defaults: {}, limits };
  const second = await startLoop({
    store: bench.store,
    instances: Object.entries({ east, west }).map(([name, cloud]) => ({
      ...common,
      name,
      sweep: 'off' as const,
      config: { cloud },
    })),
    types: [scriptedType],
    apis: [scriptedApi(west.capabilities)],
    schemes: [],
    data_directory: '',
    clock: bench.clock,
    log: silentLog,
    broker: aBroker({ host: 'elsewhere' }),
  });
  t.teardown(() => Promise.all([second.stop(), bench.clock.advance(20_000)]));
  await bench.clock.advance(60_000);
  for (let round = 0; round < 2; round++) {
    west.messages = [state(`${round}`, 'm-1', 'running', at())];
    await bench.clock.advance(200_000);
    const before = observations(east);
    await bench.clock.advance(300_000);
    t.true(observations(east) - before <= 3, `${observations(east) - before}`);
    // The machine ends, with a notice.
    if (round === 0) east.kill('m-2');
    if (round === 0) west.messages = [state('gone', 'm-2', 'terminated', at())];
    await bench.clock.advance(120_000);
  }
});
