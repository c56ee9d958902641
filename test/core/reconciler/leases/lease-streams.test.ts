import test from 'ava';
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
