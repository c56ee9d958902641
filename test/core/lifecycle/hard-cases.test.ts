import test from 'ava';
import { BrokerError, ProviderFault } from '../../../core/index.ts';
import { Cleanup } from '../../../core/requests/cleanup.ts';
import { loopBench } from '../../support/loop-bench.ts';
import { ScriptedCloud, type Script } from '../../support/scripted-cloud.ts';
/** Every launch ends in this, until the script is taken away. */
const again = (make: () => ProviderFault): Script => {
  const script: Script = (_order, cloud) => {
    cloud.scripts.unshift(script);
    return make();
  };
  return script;
};

test('an order that was never carried out is left for another instance, after a restart at which its instance cannot be reached', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  east.scripts.push(again(() => new ProviderFault('throttled', 'Later.')));
  const bench = await loopBench({ east, west });
  const id = await bench.request(1, { timeout: 600 });
  await bench.clock.advance(5_000);
  // Not enumerable: only `connect` reads it.
  const config = Object.defineProperty({}, 'cloud', {
    get() {
      throw new ProviderFault('unavailable', 'Connection refused.');
    },
  });
  bench.configure('east', { config });
  await bench.restart();
  await bench.clock.advance(200_000);
  const then = west.live(id).length;
  t.is(then, 1, 'west serves');
  await bench.close();
});

test('a cancelled request whose only order was never sent ends though its instance left the configuration', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  east.scripts.push(again(() => new ProviderFault('throttled', 'Later.')));
  const bench = await loopBench({ east, west });
  const id = await bench.request(1, { timeout: 3_600 });
  await bench.clock.advance(5_000);
  bench.configure('east', { name: 'gone' });
  await bench.restart();
  await bench.desk.cancel(id, 'x');
  await bench.clock.advance(300_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'cancelled');
  await bench.close();
});

test('an order that was never carried out is not sent to an instance that is disabled meanwhile', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  for (let i = 0; i < 3; i++) east.scripts.push(() => new ProviderFault('throttled', 'Later.', { retry_after_ms: 60_000 }));
  const bench = await loopBench({ east, west });
  await bench.request(1);
  await bench.clock.advance(5_000);
  const before = east.orders.length;
  bench.configure('east', { enabled: false });
  await bench.restart();
  await bench.clock.advance(400_000);
  t.is(east.orders.length, before, 'no launch is sent to a disabled instance');
  await bench.close();
});

test('a machine that is returned while it counts as gone, and lives, is ended', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  east.hidden.add('m-1');
  await bench.clock.advance(200_000);
  const { machines } = await bench.status(id);
  t.truthy(machines.find((m) => m.machine_id === 'm-1')?.gone_at, 'it counts as gone');
  await bench.desk.giveBack(['m-1'], 600, {});
  await bench.clock.advance(1_000);
  east.hidden.clear();
  await bench.clock.advance(1_800_000);
  t.deepEqual(east.live(id), ['m-2']);
  await bench.close();
});

test('returning a machine that is being reclaimed ends no other machine that is in use', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot('m-1', 'm-2');
  await bench.clock.advance(5_000);
  const m1 = east.machines.get('m-1');
  if (m1) m1.report = { ...m1.report, status: 'shutting-down', ready: false };
  await bench.clock.advance(5_000);
  t.is(east.machines.size, 4, 'replaced');
  await bench.desk.giveBack(['m-1'], 600, {});
  await bench.clock.advance(10_000);
  t.true(east.live(id).includes('m-2'), 'the caller works on m-2 and did not give it back');
  await bench.close();
});

test('who turned from a full instance to one without a limit holds nobody up', async (t) => {
  const offers = [{ key: 'a', zone: undefined } as never];
  const [east, west] = [new ScriptedCloud({}, offers), new ScriptedCloud({}, offers)];
  const bench = await loopBench({ east, west }, { pending_timeout_ms: 36_000_000 });
  bench.configure('east', { limits: { max_instances_per_request: 10_000, max_concurrent_requests: 1 } });
  await bench.restart();
  let n = 0;
  const script: Script = (_order, cloud) => {
    if (++n < 4) {
      cloud.scripts.unshift(script);
      return new ProviderFault('throttled', 'Later.', { retry_after_ms: 3_000 });
    }
    return new ProviderFault('capacity', 'None.', { offer: 'a' } as never);
  };
  east.scripts.push(script);
  await bench.request(1, { timeout: 7_200 });
  await bench.clock.advance(1_000);
  const b = await bench.request(1, { timeout: 7_200 });
  await bench.clock.advance(60_000);
  t.is(west.live(b).length, 1, 'b turned to west; its machine boots for long');
  await bench.clock.advance(200_000);
  const d = await bench.request(1, { timeout: 3_600 });
  await bench.clock.advance(600_000);
  t.is(east.live(d).length + west.live(d).length, 1, 'east is free: d is served');
  await bench.close();
});

test('all or nothing that was undone is not completed', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2, { partial: 'all_or_nothing' } as never);
  await bench.clock.advance(1_000);
  east.boot('m-1');
  await bench.clock.advance(3_000);
  east.scripts.push(again(() => new ProviderFault('quota', 'No more.')));
  east.kill('m-1');
  east.boot('m-2');
  await bench.clock.advance(60_000);
  const { request } = await bench.status(id);
  t.is(east.live(id).length, 0);
  t.is(request.status, 'failed');
  await bench.close();
});

test('a request that keeps trying goes on asking where the clock is set back', async (t) => {
  const offers = [{ key: 'a' } as never];
  const east = new ScriptedCloud({}, offers);
  let n = 0;
  const script: Script = (order, cloud) => {
    n += 1;
    cloud.scripts.unshift(script);
    return lacking ? new ProviderFault('capacity', 'None.', { offer: 'a' } as never) : cloud.start(order);
  };
  let lacking = true;
  east.scripts.push(script);
  const bench = await loopBench({ east });
  const id = await bench.request(1, { retry_until_timeout: true, timeout: 3_600 });
  await bench.clock.advance(60_000);
  bench.clock.jump(-3_600_000);
  lacking = false;
  await bench.clock.advance(600_000);
  t.is(east.live(id).length, 1, 'capacity is found within 15 s');
  await bench.close();
});

test('a request whose time is over and whose order is in doubt does not spin', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(again(() => new ProviderFault('unknown-outcome', 'Lost.')));
  const bench = await loopBench({ east });
  await bench.request(1, { timeout: 60 });
  await bench.clock.advance(50_000);
  let sleeps = 0;
  const sleep = bench.clock.sleep.bind(bench.clock);
  bench.clock.sleep = (ms, signal) => {
    sleeps += 1;
    return sleep(ms, signal);
  };
  await bench.clock.advance(8_000);
  sleeps = 0;
  await bench.clock.advance(4_000);
  sleeps = 0;
  await bench.clock.advance(8_000);
  t.true(sleeps < 200);
  await bench.close();
});

test('a jump of the clock moves each machine once, though the storage fails between two parts until the claim is lost', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1_000 });
  const bench = await loopBench({ east });
  const id = await bench.request(450);
  await bench.clock.advance(5_000);
  t.is(east.live(id).length, 450);
  const { commit, renew } = { commit: bench.store.commit.bind(bench.store), renew: bench.store.renew.bind(bench.store) };
  let parts = 0;
  let failing = true;
  const fail = () => {
    throw new BrokerError('UNAVAILABLE', 'The disk is full.');
  };
  bench.store.commit = async (changes) => {
    if (failing && changes.some((each) => 'kind' in each && each.kind === 'machine') && ++parts > 1) fail();
    return commit(changes);
  };
  bench.store.renew = async (owner, ms) => (failing ? fail() : renew(owner, ms));
  bench.clock.jump(-660_000);
  await bench.clock.advance(25_000);
  failing = false;
  await bench.clock.advance(60_000);
  t.is(east.machines.size, 450, 'none was judged slow and ordered anew');
  await bench.close();
});

test('after a take-over a handle that does not accept at once is told again until it does', async (t) => {
  const east = new ScriptedCloud({ late_release_ms: 5_000 });
  const bench = await loopBench({ east });
  await bench.request(150);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  const of = (attempt: number) => [...east.machines].filter(([, m]) => m.attempt === attempt).map(([m]) => m);
  await bench.desk.giveBack([of(1)[0]!, of(2)[0]!], 600, {});
  await bench.clock.advance(10_000);
  await bench.desk.giveBack([of(1)[1]!], 600, {});
  await bench.kill(1);
  const told: string[] = [];
  Object.defineProperty(east, 'hold', {
    get() {
      const refused = told.length === 2;
      told.push(refused ? 'not yet' : 'done');
      return refused;
    },
  });
  await bench.clock.advance(300_000);
  t.is(told.at(-1), 'done', 'the repeated release was accepted by both');
  await bench.close();
});

test('a return ends where the clock was set back, though its machine vanishes at once', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(120_000);
  bench.clock.jump(-3_600_000);
  await bench.clock.advance(10_000);
  east.hidden.add('m-1');
  const { request } = await bench.desk.giveBack(['m-1'], 600, {});
  await bench.clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-2']);
  await bench.clock.advance(100_000);
  await bench.clock.advance(900_000);
  const back = await bench.status(request.request_id);
  t.is(back.request.status, 'completed');
  await bench.close();
});

test('a release that was accepted and did not happen is asked for again', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  const kill = east.kill.bind(east);
  let calls = 0;
  east.kill = (m) => void (++calls > 1 && kill(m));
  await bench.desk.giveBack(['m-1'], 600, {});
  await bench.clock.advance(1_800_000);
  t.deepEqual(east.live(id), ['m-2']);
  await bench.close();
});

test('an event is journalled once where the storage cannot say what became of a part', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1_000 });
  const bench = await loopBench({ east });
  const commit = bench.store.commit.bind(bench.store);
  let failed = 0;
  bench.store.commit = async (changes) => {
    await commit(changes);
    if (
      failed === 0 &&
      changes.some((each) => 'kind' in each && each.kind === 'machine') &&
      !changes.some((c) => c.op === 'put' && c.kind === 'request')
    ) {
      failed += 1;
      throw new BrokerError('UNAVAILABLE', 'The answer was lost.', { outcome: 'unknown' });
    }
  };
  const id = await bench.request(450);
  await bench.clock.advance(5_000);
  const events = await bench.store.find('event', { where: { request_id: id, type: 'machine.launched' } });
  const ids = events.flatMap(({ data }) => data['machine_ids'] as string[]);
  t.is(failed, 1);
  t.is(ids.length, 450, 'each machine is told of once');
  await bench.close();
});

test('what lives is found by the sweep after everything that was ordered there was purged', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, {}, {}, 'terminate');
  const id = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  await bench.desk.giveBack(['m-1'], 600, {});
  await bench.clock.advance(100_000);
  await bench.clock.advance(1_800_000);
  await new Cleanup(bench.store, bench.clock).requests(0.01);
  const born = new Date(bench.clock.now() - 3_600_000).toISOString();
  east.listed = [
    {
      kind: 'machine',
      id: 'm-9',
      request_id: id,
      attempt: 1,
      created_at: born,
      machine: { machine_id: 'm-9', status: 'running', ready: true },
    },
  ] as never;
  await bench.clock.advance(2_400_000);
  t.deepEqual([...new Set(east.removed)], ['m-9']);
  await bench.close();
});

test('a sighting of a machine that another request has stops no other wish', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const a = await bench.request(1);
  await bench.clock.advance(1_000);
  const b = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  const [theirs] = east.live(b);
  await bench.store.commit([
    {
      op: 'insert',
      kind: 'wish',
      record: {
        wish_id: 'w-1',
        kind: 'found',
        request_id: a,
        machines: [],
        found: { attempt: 1, reports: [{ machine_id: theirs!, status: 'running', ready: true }] },
        created_at: bench.clock.now(),
        absorbed: false,
      },
    },
  ]);
  await bench.clock.advance(2_000);
  const [mine] = east.live(a);
  await bench.desk.giveBack([mine!], 600, {});
  await bench.clock.advance(300_000);
  t.deepEqual(east.live(a), []);
  await bench.close();
});
