import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud, type Script } from '../../../support/scripted-cloud.ts';
import { variants } from '../../../support/variants.ts';

/** The most requests that had an active attempt at an instance at any commit, by the instance. */
function mostOpen(bench: LoopBench): Map<string, number> {
  const most = new Map<string, number>();
  const commit = bench.store.commit.bind(bench.store);
  bench.store.commit = async (changes) => {
    await commit(changes);
    const active = await bench.store.find('attempt', { where: { active: true } });
    for (const [name, mine] of Map.groupBy(active, (attempt) => attempt.provider_instance))
      most.set(name, Math.max(most.get(name) ?? 0, new Set(mine.map((attempt) => attempt.request_id)).size));
  };
  return most;
}

/** Each order is throttled once, so that its request has an open attempt for a while. */
const slowly = (cloud: ScriptedCloud): void => {
  const seen = new Set<string>();
  const script: Script = (order, into) => {
    into.scripts.unshift(script);
    if (seen.has(order.token)) return into.start(order);
    seen.add(order.token);
    return new ProviderFault('throttled', 'Later.', { retry_after_ms: 3_000 });
  };
  cloud.scripts.push(script);
};

/** Requests in the order in which they got their first attempt. */
function openedIn(bench: LoopBench): string[] {
  const opened = new Set<string>();
  const commit = bench.store.commit.bind(bench.store);
  bench.store.commit = async (changes) => {
    await commit(changes);
    for (const change of changes)
      if (change.op === 'put' && change.kind === 'attempt') opened.add(change.record.request_id);
    order.splice(0, order.length, ...opened);
  };
  const order: string[] = [];
  return order;
}

for (const limit of variants([3, 1])) {
  test(`of twenty requests at once no more than ${limit} are open, and they are served in the order of acceptance`, async (t) => {
    const east = new ScriptedCloud();
    slowly(east);
    const bench = await loopBench({ east }, {}, { max_concurrent_requests: limit });
    const most = mostOpen(bench);
    const opened = openedIn(bench);
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) {
      ids.push(await bench.request(1));
      await bench.clock.advance(5);
    }
    await bench.clock.advance(400_000);
    t.is(most.get('east'), limit);
    t.deepEqual(opened, ids);
    for (const id of ids) t.is(east.live(id).length, 1);
    await bench.close();
  });
}

test('a fallback counts as well', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  for (let i = 0; i < 10; i++) east.scripts.push(() => new ProviderFault('quota', 'No more.'));
  slowly(west);
  const bench = await loopBench({ east, west }, {}, { max_concurrent_requests: 2 });
  const most = mostOpen(bench);
  const ids: string[] = [];
  for (let i = 0; i < 10; i++) ids.push(await bench.request(1));
  await bench.clock.advance(400_000);
  t.is(most.get('west'), 2);
  for (const id of ids) t.is(west.live(id).length, 1);
  await bench.close();
});

test('a request that is cancelled while it waits no longer delays the others', async (t) => {
  const east = new ScriptedCloud();
  slowly(east);
  const bench = await loopBench({ east }, {}, { max_concurrent_requests: 1 });
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    ids.push(await bench.request(1));
    await bench.clock.advance(5);
  }
  const [first = '', second = '', third = ''] = ids;
  await bench.clock.advance(2_000);
  t.regex((await bench.status(second)).request.message, /Waiting for a slot/);
  await bench.requestCommands.cancel(second, undefined);
  await bench.clock.advance(400_000);
  t.deepEqual([east.live(first).length, east.live(second).length, east.live(third).length], [1, 0, 1]);
  t.is((await bench.status(second)).request.status, 'cancelled');
  await bench.close();
});

test('a waiting request in quarantine at its instance does not delay the others', async (t) => {
  const east = new ScriptedCloud();
  slowly(east);
  const bench = await loopBench({ east }, {}, { max_concurrent_requests: 1 });
  const ids: string[] = [];
  for (const template_id of ['small', 'hangs', 'small']) {
    ids.push(await bench.request(1, { template_id }));
    await bench.clock.advance(5);
  }
  const [first = '', second = '', third = ''] = ids;
  await bench.clock.advance(1_000);
  t.is((await bench.status(second)).request.waits_for, 'east');
  bench.leaveAlone('east', 'hangs', 1_800_000);
  await bench.restart();
  await bench.clock.advance(120_000);
  t.deepEqual([east.live(first).length, east.live(second).length, east.live(third).length], [1, 0, 1]);
  await bench.clock.advance(1_800_000);
  t.is(east.live(second).length, 1, 'its turn comes');
  await bench.close();
});

test('an order that was never executed and is in quarantine blocks no slot', async (t) => {
  const east = new ScriptedCloud();
  const script: Script = (order, cloud) => {
    cloud.scripts.unshift(script);
    const isBad = order.template.template_id === 'hangs' && bench.clock.monotonic() < began + 60_000;
    return isBad ? new ProviderFault('throttled', 'Later.', { retry_after_ms: 3_000 }) : cloud.start(order);
  };
  east.scripts.push(script);
  const bench = await loopBench({ east }, {}, { max_concurrent_requests: 1 });
  const began = bench.clock.monotonic();
  const first = await bench.request(1, { template_id: 'hangs' });
  await bench.clock.advance(1_000);
  bench.leaveAlone('east', 'hangs', 1_800_000);
  await bench.restart();
  const second = await bench.request(1);
  await bench.clock.advance(60_000);
  t.deepEqual([east.live(first).length, east.live(second).length], [0, 1]);
  await bench.clock.advance(1_800_000);
  t.is(east.live(first).length, 1, 'it is ordered anew');
  await bench.close();
});

test('a request that was cancelled leaves the queue for a slot although another call of it takes long', async (t) => {
  const west = new ScriptedCloud({ machines_per_launch: 2 });
  const east = new ScriptedCloud({ machines_per_launch: 2 });
  const bench = await loopBench({ west, east }, {}, { max_concurrent_requests: 1 });
  const { clock } = bench;
  let eastMs = 20_000;
  east.beforeLaunch = () => clock.sleep(eastMs);
  await bench.request(1, {}, { provider_instance: 'east' });
  await clock.advance(2_000);
  // Of two orders at west one delivers nothing and falls back to east, and the other one takes long.
  const noMore = { kind: 'capacity', code: 'ICE', message: 'No more.', count: 2 } as const;
  west.scripts.push((order) => ({ ...west.start(order, 0), shortfall: [noMore] }));
  let launches = 0;
  west.beforeLaunch = async () => {
    if (++launches === 2) await clock.sleep(170_000);
  };
  const cancelled = await bench.request(4, { timeout: 3600 });
  await clock.advance(6_000);
  t.is((await bench.store.get('request', { request_id: cancelled }))?.waits_for, 'east');
  const next = await bench.request(1, {}, { provider_instance: 'east' });
  await clock.advance(1_000);
  await bench.requestCommands.cancel(cancelled, undefined);
  eastMs = 0;
  await clock.advance(30_000);
  t.is(east.live(next).length, 1);
  await bench.close();
});
