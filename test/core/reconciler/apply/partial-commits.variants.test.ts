import test from 'ava';
import { ProviderFault, type Change, type Store } from '../../../../core/index.ts';
import { RequestQueries } from '../../../../core/requests/queries/request-queries.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';
import { variants } from '../../../support/variants.ts';

const rowsOf = (changes: readonly Change[]): number =>
  changes.filter(({ op }) => op !== 'fence' && op !== 'slot').length;

/** The number of rows of each further commit. */
function commitsOf(store: Store): number[] {
  const rows: number[] = [];
  const commit = store.commit.bind(store);
  store.commit = (changes) => {
    rows.push(rowsOf(changes));
    return commit(changes);
  };
  return rows;
}

for (const part of variants([2, 1, 3])) {
  test(`300 of 400 machines are released, and none is replaced, when the broker is killed before part ${part} of the commit of the return`, async (t) => {
    const east = new ScriptedCloud({ machines_per_launch: 400 });
    const bench = await loopBench({ east });
    const id = await bench.request(400);
    await bench.clock.advance(1_000);
    t.is(east.live(id).length, 400);
    const going = east.live(id).slice(0, 300);
    await bench.requestService.returnMachines(going, 3_600);
    await bench.kill(part);
    await bench.clock.advance(20_000);
    t.deepEqual(new Set(east.live(id)), new Set([...Array(100).keys()].map((i) => `m-${i + 301}`)));
    t.is(east.machines.size, 400, 'nothing was launched in their place');
    east.boot();
    await bench.clock.advance(5_000);
    const { request } = await bench.status(id);
    t.deepEqual([request.status, request.delivered, request.holds], ['completed', 100, 100]);
    await bench.close();
  });

  test(`ready machines are delivered when the broker is killed before part ${part} of their commit`, async (t) => {
    const east = new ScriptedCloud({ machines_per_launch: 400 });
    const bench = await loopBench({ east });
    const id = await bench.request(400);
    await bench.clock.advance(1_000);
    east.boot();
    await bench.kill(part);
    await bench.clock.advance(10_000);
    const { request, machines } = await bench.status(id);
    t.deepEqual([request.status, request.delivered, machines.length], ['completed', 400, 400]);
    t.is(east.live(id).length, 400);
    t.is(east.machines.size, 400);
    await bench.close();
  });

  test(`a cancel of 400 machines is executed when the broker is killed before part ${part} of its commit`, async (t) => {
    const east = new ScriptedCloud({ machines_per_launch: 400 });
    const bench = await loopBench({ east });
    const id = await bench.request(400);
    await bench.clock.advance(1_000);
    await bench.requestCommands.cancel(id, undefined);
    await bench.kill(part);
    await bench.clock.advance(20_000);
    t.is((await bench.status(id)).request.status, 'cancelled');
    t.deepEqual(east.live(id), []);
    t.is(east.machines.size, 400);
    await bench.close();
  });
}

for (const part of variants([6, 7, 8])) {
  test(`machines of several answers in one change can be released, although no order can be repeated after a kill before commit ${part}`, async (t) => {
    const east = new ScriptedCloud({ machines_per_launch: 2, token_valid_ms: 20_000 });
    const bench = await loopBench({ east }, { rows_per_commit: 10 });
    const id = await bench.request(8);
    for (let i = 0; i < 4; i++) east.scripts.push((order, cloud) => cloud.start(order));
    for (let i = 0; i < 100; i++) east.scripts.push(() => new ProviderFault('unknown-outcome', 'Cut.'));
    await bench.kill(part);
    await bench.clock.advance(300_000);
    const stored = (await bench.store.find('machine', { where: { request_id: id } })).map(
      ({ machine_id }) => machine_id,
    );
    await bench.requestCommands.cancel(id, undefined).catch(() => undefined);
    if (stored.length > 0) await bench.requestService.returnMachines(stored, 3_600);
    await bench.clock.advance(300_000);
    t.deepEqual(
      east.live(id).filter((machine) => stored.includes(machine)),
      [],
    );
    await bench.close();
  });
}

test('a machine that was lost in a part of an interrupted change counts as lost for its fleet afterwards', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 20 });
  const bench = await loopBench({ east }, { rows_per_commit: 6 });
  const id = await bench.request(20);
  await bench.clock.advance(1_000);
  east.boot();
  for (const machine of east.live(id).slice(0, 12)) east.kill(machine);
  await bench.kill(2);
  await bench.clock.advance(10_000);
  t.is(east.live(id).length, 20);
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.close();
});

test('readers that keep an answer know after each part of a change that it is outdated', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 400 });
  const bench = await loopBench({ east });
  const id = await bench.request(400);
  const queries = new RequestQueries(bench.store, bench.clock, {
    refresh: () => undefined,
    refreshedAt: () => undefined,
  });
  const shown = new Map<string, Set<string>>();
  const commit = bench.store.commit.bind(bench.store);
  bench.store.commit = async (changes) => {
    await commit(changes);
    const { cache_key, load } = await queries.status(id, true, false);
    const { machines = [] } = await load();
    const statuses = JSON.stringify(machines.map(({ machine_id, status }) => [machine_id, status]));
    shown.set(cache_key, (shown.get(cache_key) ?? new Set()).add(statuses));
  };
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  await bench.requestService.returnMachines(east.live(id), 3_600);
  await bench.clock.advance(20_000);
  t.deepEqual(east.live(id), []);
  t.true(shown.size > 8, 'the changes were large');
  t.deepEqual(
    [...shown.values()].map(({ size }) => size),
    [...shown].map(() => 1),
  );
  await bench.close();
});

test('no transaction exceeds its maximum size, whatever a change writes', async (t) => {
  const offers = Array.from({ length: 300 }, (_, i) => ({ key: `pool-${i}` }));
  const east = new ScriptedCloud({ machines_per_launch: 1, offers_per_launch: 'many' }, offers);
  const bench = await loopBench({ east });
  const rows = commitsOf(bench.store);
  east.scripts.push((order, cloud) => ({
    ...cloud.start(order),
    shortfall: offers
      .slice(1)
      .map(({ key }) => ({ offer: key, kind: 'capacity' as const, code: 'none', message: key })),
  }));
  const id = await bench.request(250);
  await bench.clock.advance(10_000);
  const ids = east.live(id);
  t.is(ids.length, 250);
  for (const machine of ids) await bench.requestService.returnMachines([machine], 3_600);
  await bench.clock.advance(20_000);
  t.deepEqual(east.live(id), []);
  t.true(Math.max(...rows) <= 200, `${Math.max(...rows)} rows`);
  await bench.close();
});
