import test from 'ava';
import { ProviderFault, type Store } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

/** Counts machine rows that are read. */
function rowsRead(store: Store): { count: number } {
  const read = { count: 0 };
  const find = store.find.bind(store);
  store.find = async (kind, query) => {
    const found = await find(kind, query);
    if (kind === 'machine') read.count += found.length;
    return found;
  };
  return read;
}

test('observing a return of one machine reads none of the two thousand machines of its request', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 2_000 });
  const bench = await loopBench({ east });
  const id = await bench.request(2_000);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'completed');
  const [machine = ''] = east.live(id);
  // The provider does not execute the release for a minute, so the return is observed repeatedly.
  east.hold = true;
  const { request } = await bench.requestService.returnMachines([machine], 3_600);
  const read = rowsRead(bench.store);
  await bench.clock.advance(60_000);
  t.is((await bench.store.get('request', { request_id: request.request_id }))?.status, 'in_progress');
  t.true(read.count <= 10, `${read.count} rows`);
  east.hold = false;
  await bench.clock.advance(10_000);
  t.is((await bench.store.get('request', { request_id: request.request_id }))?.status, 'completed');
  await bench.close();
});

test('a return of machines of an earlier return ends with them', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  east.hold = true;
  const first = await bench.requestService.returnMachines(['m-1', 'm-2'], 3_600);
  await bench.clock.advance(5_000);
  const second = await bench.requestService.returnMachines(['m-2', 'm-3'], 3_600);
  await bench.clock.advance(5_000);
  t.is((await bench.status(second.request.request_id)).request.status, 'in_progress');
  east.hold = false;
  await bench.clock.advance(20_000);
  for (const { request } of [first, second])
    t.is((await bench.status(request.request_id)).request.status, 'completed');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('a return says why its machines are not released, and the request that they belong to keeps its message', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  const delivered = (await bench.status(id)).request.message;
  const denied = async () => {
    throw new ProviderFault('invalid', 'The account may not end machines.', { code: 'DENIED' });
  };
  east.beforeRelease = denied;
  const { request } = await bench.requestService.returnMachines(['m-1', 'm-2'], 600);
  const message = async () => (await bench.status(request.request_id)).request.message;
  await bench.clock.advance(20_000);
  const refused = "'east' has not accepted their release yet: The account may not end machines.";
  t.is(await message(), `0 of 2 machines are gone. ${refused}`);
  t.is((await bench.status(id)).request.message, delivered);
  east.beforeRelease = async () => undefined;
  await bench.clock.advance(30_000);
  t.is(await message(), 'All 2 machines are gone.');
  t.is((await bench.status(id)).request.message, delivered);

  east.beforeRelease = denied;
  const late = await bench.requestService.returnMachines(['m-3'], 60);
  await bench.clock.advance(90_000);
  const ended = (await bench.status(late.request.request_id)).request;
  t.is(ended.status, 'failed');
  t.is(ended.message, `1 machine was not gone in time; the release continues. ${refused}`);
  await bench.close();
});
