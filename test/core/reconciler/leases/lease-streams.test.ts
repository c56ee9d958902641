import test from 'ava';
import { BrokerError } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

test('leases end, and machines are released, although a return comes during each commit', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1_000 });
  const bench = await loopBench({ east });
  const { clock } = bench;
  await bench.request(500, { lease: 60 });
  await clock.advance(3_000);
  east.boot();
  await clock.advance(5_000);
  bench.storage.before = async (method) => (method === 'commit' ? clock.sleep(100) : undefined);
  await clock.advance(50_000);
  for (let n = 1; n <= 80; n++) {
    await bench.requestService.returnMachines([`m-${n}`], 600, {});
    await clock.advance(100);
  }
  t.deepEqual(east.live(), []);
  await bench.close();
});

test('an extension counts once, however slowly the signals that wait are read', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { clock, store } = bench;
  const id = await bench.request(1, { lease: 1_000 });
  await clock.advance(3_000);
  east.boot();
  await clock.advance(5_000);
  const expiry = async () => (await bench.status(id)).machines[0]?.expires_at ?? 0;
  const before = await expiry();
  const find = store.find.bind(store);
  // What is read is old when it comes.
  store.find = async (kind, query) => {
    const found = await find(kind, query);
    if (kind === 'signal' && !('request_id' in (query.where ?? {}))) await clock.sleep(200);
    return found;
  };
  bench.storage.before = async (method) => (method === 'commit' ? clock.sleep(50) : undefined);
  for (let n = 0; n < 200; n++) {
    await bench.leaseCommands.extend([{ machine_id: 'm-1', provider_instance: 'east' }], 10);
    if (n > 100) await clock.advance(20);
  }
  await clock.advance(20_000);
  t.is((await expiry()) - before, 2_000_000);
  await bench.close();
});

test('an extension counts that a commit in progress applies while the ends of leases are stored', async (t) => {
  for (const at of [500, 1_000, 1_500, 2_000, 2_500]) {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east });
    const { clock, store } = bench;
    const id = await bench.request(1, { lease: 60 });
    await clock.advance(3_000);
    east.boot();
    await clock.advance(5_000);
    const end = (await bench.status(id)).machines[0]?.expires_at ?? 0;
    await clock.advance(end - clock.now() - 500);
    bench.storage.before = async (method) => (method === 'find' ? clock.sleep(1_500) : undefined);
    const commit = store.commit.bind(store);
    // Durable at once, and answered late.
    store.commit = async (changes) => {
      await commit(changes);
      if (changes.some((change) => change.op === 'put' && change.kind === 'signal')) await clock.sleep(1_000);
    };
    await clock.advance(500 + at);
    const { done } = await bench.leaseCommands.extend([{ machine_id: 'm-1', provider_instance: 'east' }], 3_600);
    await clock.advance(60_000);
    t.is(east.live().length, done.length, `extended ${at} ms after the end`);
    await Promise.all([bench.close(), clock.advance(30_000)]);
  }
});

for (const fault of ['a claim is lost', 'a read fails'])
  test(`leases that end together end although ${fault}`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east });
    const { clock, store } = bench;
    const first = await bench.request(2, { lease: 60 });
    for (let n = 0; n < 20; n++) await bench.request(1, { lease: 60 });
    await clock.advance(3_000);
    east.boot();
    await clock.advance(5_000);
    const end = (await bench.status(first)).machines[0]?.expires_at ?? 0;
    const due = Math.ceil(end / 5_000) * 5_000;
    await clock.advance(due - clock.now() - 100);
    let isRefused = fault === 'a claim is lost';
    let fails = !isRefused;
    const [find, commit] = [store.find.bind(store), store.commit.bind(store)];
    let loads = 0;
    store.find = async (kind, query) => {
      if (kind === 'request') loads += 1;
      const names: unknown = Object.entries(query.where ?? {}).find(([column]) => column === 'name')?.[1];
      // The terms of all these requests.
      if (kind !== 'fact' || !Array.isArray(names) || names.length < 10) return find(kind, query);
      await clock.sleep(3_000);
      if (!fails) return find(kind, query);
      fails = false;
      throw new BrokerError('UNAVAILABLE', 'No answer.');
    };
    store.commit = async (changes) => {
      const applies = changes.some(
        (change) => change.op === 'put' && change.kind === 'signal' && change.record.request_id === first,
      );
      if (!applies || !isRefused) return commit(changes);
      isRefused = false;
      throw new BrokerError('CONFLICT', 'The claim is another one.', {});
    };
    await clock.advance(600);
    const returned = (await bench.status(first)).machines[1]?.machine_id ?? '';
    await bench.requestService.returnMachines([returned], 600, {});
    loads = 0;
    await clock.advance(8_000);
    t.deepEqual(
      east.live().filter((machine_id) => east.machines.get(machine_id)?.request_id !== first),
      [],
    );
    t.true(loads <= 5, `${loads} reads of requests`);
    await Promise.all([bench.close(), clock.advance(30_000)]);
  });
