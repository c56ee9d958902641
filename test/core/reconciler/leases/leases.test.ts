import test from 'ava';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const tick = 5_000;

/** A completed request with ready machines, and when their leases end. */
async function leased(bench: LoopBench, count: number, lease: number, template = {}) {
  const [cloud] = Object.values(bench.clouds);
  const id = await bench.request(count, { lease, ...template });
  await bench.clock.advance(2_000);
  cloud?.boot();
  await bench.clock.advance(5_000);
  const { request, machines } = await bench.status(id);
  if (request.status !== 'completed') throw new Error(`The request is ${request.status}.`);
  return { id, machines, expires_at: Math.max(...machines.map((machine) => machine.expires_at ?? 0)) };
}

const eventsOf = async ({ store }: LoopBench, type: string) => store.find('event', { where: { type } });
const returnsOf = ({ store }: LoopBench) => store.find('request', { where: { kind: 'return' } });
const until = (bench: LoopBench, time: number) => bench.clock.advance(time - bench.clock.now());

test('machines whose lease ends are returned together, by a return of the broker', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { id, machines, expires_at } = await leased(bench, 3, 600);
  t.true(machines.every((machine) => machine.expires_at === (machine.ready_at ?? 0) + 600_000));
  await until(bench, expires_at - 1);
  t.is(east.live(id).length, 3, 'not yet');
  await bench.clock.advance(tick + 10_000);
  t.deepEqual(east.live(id), []);
  const [back, ...others] = await returnsOf(bench);
  t.deepEqual(others, []);
  t.is(back?.status, 'completed');
  t.is(back?.machine_count, 3);
  const [created] = await eventsOf(bench, 'return.created');
  t.is(created?.actor, undefined, 'the broker itself');
  const [expired] = await eventsOf(bench, 'machine.expired');
  t.deepEqual(expired?.data, { machine_ids: ['m-1', 'm-2', 'm-3'], return_id: back?.request_id });
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.is(request.fulfilment?.delivered, 3);
  t.regex((await bench.explain(id)).because, /since then the lease of 3 ended\.$/);
  t.regex((await bench.explain(back?.request_id ?? '')).because, /^The lease of 3 machines ended, so muster returned/);
  t.is((await bench.status(id)).machines[0]?.expired_at !== undefined, true);
  await bench.close();
});

test('a return of machines whose lease ended has at most 2 000, however many requests end together', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1_100 });
  const bench = await loopBench({ east });
  const ids = await Promise.all([1, 2, 3].map(() => bench.request(1_100, { lease: 600 })));
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(600_000 + tick + 20_000);
  for (const id of ids) t.deepEqual(east.live(id), []);
  const counts = (await returnsOf(bench)).map(({ machine_count }) => machine_count);
  t.is(
    counts.reduce((sum, count) => sum + count, 0),
    3_300,
  );
  t.true(Math.max(...counts) <= 2_000, counts.join());
  await bench.close();
});

test('the end of a lease is announced once, ten minutes before or at half of a shorter lease', async (t) => {
  for (const [lease, before] of [
    [3_600, 600_000],
    [600, 300_000],
  ] as const) {
    const bench = await loopBench({ east: new ScriptedCloud() });
    const { expires_at } = await leased(bench, 2, lease);
    await until(bench, expires_at - before - 1);
    t.deepEqual(await eventsOf(bench, 'machine.expiring'), []);
    await bench.clock.advance(tick + 2_000);
    const told = await eventsOf(bench, 'machine.expiring');
    t.is(told.length, 1);
    t.deepEqual(told[0]?.data['expires_at'], new Date(expires_at).toISOString());
    await until(bench, expires_at - 1);
    t.is((await eventsOf(bench, 'machine.expiring')).length, 1);
    await bench.close();
  }
});

test('a request without a lease keeps its machines', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(1);
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(3_600_000);
  t.is(east.live(id).length, 1);
  t.is((await bench.status(id)).machines[0]?.expires_at, undefined);
  await bench.close();
});

test('an extension adds to the present end, also when several wait, and is journalled', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { id, expires_at } = await leased(bench, 2, 600);
  const [first, second] = await Promise.all([
    bench.leaseCommands.extend(['m-1', 'm-2'], 100),
    bench.leaseCommands.extend(['m-1'], 1_000),
    bench.clock.advance(1_000),
  ]);
  const answers = [first.done[0]?.expires_at ?? 0, second.done[0]?.expires_at ?? 0];
  t.is(Math.max(...answers), expires_at + 1_100_000, 'the later one knows the earlier one');
  await bench.clock.advance(2_000);
  const ends = new Map((await bench.status(id)).machines.map((each) => [each.machine_id, each.expires_at]));
  t.deepEqual([ends.get('m-1'), ends.get('m-2')], [expires_at + 1_100_000, expires_at + 100_000]);
  t.is((await eventsOf(bench, 'machine.extended')).length, 2);
  await until(bench, expires_at + 100_000 + tick + 5_000);
  t.deepEqual(east.live(id), ['m-1']);
  await until(bench, expires_at + 1_100_000 + tick + 5_000);
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('machines without a running lease cannot be extended, and then nothing is', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { expires_at } = await leased(bench, 1, 600);
  await bench.request(1);
  await bench.clock.advance(2_000);
  await bench.request(1, { lease: 600 });
  await bench.clock.advance(2_000);
  east.boot('m-2');
  await bench.clock.advance(5_000);
  const error = await t.throwsAsync(bench.leaseCommands.extend(['m-1', 'm-2', 'm-3'], 60), { code: 'CONFLICT' });
  t.is(
    error?.message,
    "Machine 'm-2' has no lease; Machine 'm-3' is not ready yet, and a lease begins with that. Nothing is extended.",
  );
  await t.throwsAsync(bench.leaseCommands.extend(['m-9'], 60), { code: 'MACHINE_NOT_FOUND' });
  await bench.clock.advance(2_000);
  t.is((await bench.store.find('machine', { where: { machine_id: 'm-1' } }))[0]?.expires_at, expires_at);
  await until(bench, expires_at + tick + 10_000);
  await t.throwsAsync(bench.leaseCommands.extend(['m-1'], 60), { message: /'m-1' is gone/ });
  await bench.close();
});

test('a held machine survives its lease and returns, until the hold ends or is ended', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { id, expires_at } = await leased(bench, 3, 600);
  await bench.leaseCommands.hold(['m-1', 'm-2'], 3_600, 'a core dump is read');
  const error = await t.throwsAsync(bench.requestService.returnMachines(['m-1', 'm-3'], 60), { code: 'CONFLICT' });
  t.regex(error?.message ?? '', /^Machine 'm-1' is held until 2026-01-01T\S+Z: a core dump is read\. Nothing is/);
  await bench.clock.advance(2_000);
  await t.throwsAsync(bench.requestService.returnMachines(['m-1'], 60), { code: 'CONFLICT' });
  await until(bench, expires_at + tick + 5_000);
  t.deepEqual(east.live(id), ['m-1', 'm-2']);
  await bench.leaseCommands.hold(['m-2'], 0, 'it is understood');
  await bench.clock.advance(tick + 5_000);
  t.deepEqual(east.live(id), ['m-1'], 'its lease had ended');
  await bench.requestService.returnMachines(['m-1'], 60, { force: true });
  await bench.clock.advance(5_000);
  t.deepEqual(east.live(id), []);
  t.deepEqual(
    (await eventsOf(bench, 'machine.held')).map(({ data }) => [data['machine_ids'], data['reason']]),
    [[['m-1', 'm-2'], 'a core dump is read']],
  );
  t.is((await eventsOf(bench, 'machine.hold_ended')).length, 1);
  await bench.close();
});

test('a hold ends by itself', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { id } = await leased(bench, 1, 60);
  const at = bench.clock.now();
  await bench.leaseCommands.hold(['m-1'], 1_000, 'a test');
  await until(bench, at + 1_000_000 - 1);
  t.is(east.live(id).length, 1);
  await bench.clock.advance(tick + 5_000);
  t.is(east.live(id).length, 0);
  await bench.close();
});

for (const [what, minutes] of [
  ['forward', 90],
  ['back', -90],
] as const) {
  test(`a lease and a hold last as long as before when the clock is set ${what}`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east });
    const { id, expires_at } = await leased(bench, 2, 3_600);
    await bench.leaseCommands.hold(['m-2'], 7_200, 'a test');
    const held_until = bench.clock.now() + 7_200_000;
    await bench.clock.advance(60_000);
    bench.clock.jump(minutes * 60_000);
    await bench.clock.advance(2_000);
    const shift = minutes * 60_000;
    const [first, second] = (await bench.status(id)).machines;
    t.is(first?.expires_at, expires_at + shift);
    t.is(second?.held_until, held_until + shift);
    await until(bench, expires_at + shift - 1_000);
    t.deepEqual(east.live(id), ['m-1', 'm-2'], 'not earlier');
    await bench.clock.advance(tick + 5_000);
    t.deepEqual(east.live(id), ['m-2'], 'not later');
    await until(bench, held_until + shift + tick + 5_000);
    t.deepEqual(east.live(id), []);
    await bench.close();
  });
}

test('leases that ended while no broker ran end at its start', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { id, expires_at } = await leased(bench, 2, 60);
  await until(bench, expires_at - 35_000);
  // Twenty seconds pass without a broker, twice: the announcement is told by the one in between.
  await bench.restart();
  await bench.restart();
  await bench.clock.advance(tick + 5_000);
  t.deepEqual(east.live(id), []);
  t.is((await returnsOf(bench)).length, 1);
  await bench.close();
});

test('an ended lease shows in the machines that the caller loses, before and after', async (t) => {
  const { Inventory } = await import('../../../../core/requests/queries/inventory.ts');
  const bench = await loopBench({ east: new ScriptedCloud() });
  const inventory = new Inventory(bench.store, bench.clock);
  const { expires_at } = await leased(bench, 1, 600);
  t.deepEqual(await inventory.reclaimed(['m-1'], []), []);
  await until(bench, expires_at - 290_000);
  const [soon] = await inventory.reclaimed(['m-1'], []);
  t.is(soon?.reason, 'Its lease ends.');
  t.is(soon?.grace_period_s, 290);
  await until(bench, expires_at + tick + 10_000);
  t.deepEqual(await inventory.reclaimed(['m-1'], []), [
    { machine_id: 'm-1', name: 'host-m-1', reason: 'Its lease ended.', grace_period_s: 0 },
  ]);
  await bench.close();
});

test('a machine of a request in progress whose lease ends is not replaced', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, { pending_timeout_ms: 36_000_000 });
  const id = await bench.request(2, { lease: 60, timeout: 7_200 });
  await bench.clock.advance(2_000);
  east.boot('m-1');
  await bench.clock.advance(90_000);
  t.deepEqual(east.live(id), ['m-2']);
  east.boot();
  await bench.clock.advance(5_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.is(request.fulfilment?.delivered, 2);
  t.is(east.machines.size, 2);
  await bench.close();
});

test('the leases of many requests that end together share returns', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  for (let i = 0; i < 100; i++) await bench.request(1, { lease: 600 });
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(600_000 + 30_000);
  t.is(east.live().length, 0);
  const returns = await returnsOf(bench);
  t.true(returns.length <= 6, `${returns.length} returns`);
  t.is(
    returns.reduce((sum, { machine_count }) => sum + machine_count, 0),
    100,
  );
  await bench.close();
});
