import test, { type ExecutionContext } from 'ava';
import { ProviderFault, type OwnedResource } from '../../../../core/index.ts';
import { RequestCommands } from '../../../../core/requests/request-commands.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const owned = (id: string, request_id: string, attempt = 1): OwnedResource => ({
  kind: 'machine',
  id,
  request_id,
  attempt,
  machine: { machine_id: id, status: 'running', ready: true },
});

/** A request of two machines: the provider started both, reports neither in its answer, and lists only one later. */
async function oneMissing(t: ExecutionContext): Promise<{ bench: LoopBench; east: ScriptedCloud; id: string }> {
  const east = new ScriptedCloud();
  east.scripts.push((order, cloud) => {
    const launch = cloud.start(order);
    cloud.hidden.add('m-2');
    return { ...launch, machines: (launch.machines ?? []).slice(0, 1), settled: true };
  });
  // The missing machine is not available, so the request keeps waiting for it.
  for (let i = 0; i < 500; i += 1) east.scripts.push(() => new ProviderFault('throttled', 'Not now.'));
  const bench = await loopBench({ east });
  t.teardown(() => bench.close());
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.deepEqual(await ids(bench, id), ['m-1']);
  return { bench, east, id };
}

const ids = async (bench: LoopBench, id: string) =>
  (await bench.status(id)).machines.map((machine) => machine.machine_id);
const populate = (bench: LoopBench, id: string, machine_ids: readonly string[]) =>
  new RequestCommands(bench.store, bench.clock).populate(id, machine_ids);
const questions = (bench: LoopBench) => bench.store.count('fact', { topic: 'expected' });

test('named machines are added when the provider lists them for this request, and no others', async (t) => {
  const { bench, east, id } = await oneMissing(t);
  east.listed = [owned('m-2', id), owned('m-7', 'req-other'), owned('m-8', id, 9), owned('m-9', id)];
  await bench.clock.advance(20_000);
  t.deepEqual(await ids(bench, id), ['m-1'], 'nobody asked for them');
  await populate(bench, id, ['m-1', 'm-2', 'm-7', 'm-8', 'i-nobody']);
  await bench.clock.advance(5_000);
  t.deepEqual(await ids(bench, id), ['m-1', 'm-2']);
  t.is(await questions(bench), 0);
  const signals = await bench.store.find('signal', { where: { request_id: id } });
  t.deepEqual(
    signals.flatMap((signal) => signal.machines.map((machine) => machine.machine_id)),
    ['m-2'],
  );
});

test('a lookup is repeated when the provider does not answer', async (t) => {
  const { bench, east, id } = await oneMissing(t);
  east.listed = new ProviderFault('unavailable', 'Away.');
  await populate(bench, id, ['m-2']);
  await bench.clock.advance(5_000);
  t.is(await questions(bench), 1);
  east.listed = [owned('m-2', id)];
  await bench.clock.advance(20_000);
  t.deepEqual(await ids(bench, id), ['m-1', 'm-2']);
  t.is(await questions(bench), 0);
});

test('known machines are not looked up', async (t) => {
  const { bench, east, id } = await oneMissing(t);
  await populate(bench, id, ['m-1']);
  await bench.clock.advance(5_000);
  t.is(await questions(bench), 0);
  t.false(east.calls.includes('sweep'));
});
