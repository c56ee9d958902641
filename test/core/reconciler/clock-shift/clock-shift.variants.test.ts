import test from 'ava';
import { ClaimedRequest } from '../../../../core/reconciler/claims/claimed-request.ts';
import { isClaimLost } from '../../../../core/contract/commits/claim-lost.ts';
import { stateOf } from '../../../support/records.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';
import { variants } from '../../../support/variants.ts';

for (const [what, minutes] of [
  ['forward', 11],
  ['back', -11],
] as const) {
  test(`starting machines do not fail by a clock that is set ${what} by eleven minutes`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east });
    const id = await bench.request(3);
    await bench.clock.advance(2_000);
    bench.clock.jump(minutes * 60_000);
    await bench.clock.advance(120_000);
    t.deepEqual(east.live(id), ['m-1', 'm-2', 'm-3']);
    t.is(east.machines.size, 3);
    east.boot();
    await bench.clock.advance(5_000);
    t.is((await bench.status(id)).request.status, 'completed');
    t.is((await bench.store.find('event', { where: { type: 'clock.shifted' } })).length, 1);
    await bench.close();
  });

  test(`the remaining time-out of a request does not change when the clock is set ${what}`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east }, { pending_timeout_ms: 36_000_000 });
    const id = await bench.request(1, { timeout: 1_800 });
    await bench.clock.advance(600_000);
    bench.clock.jump(minutes * 60_000);
    await bench.clock.advance(1_190_000);
    t.is((await bench.status(id)).request.status, 'in_progress', 'not yet');
    await bench.clock.advance(40_000);
    const { request } = await bench.status(id);
    t.is(request.status, 'failed');
    t.regex(request.message, /The time-out of 1800 s passed/);
    await bench.close();
  });

  test(`a request that was accepted just before the clock is set ${what} and has no holder keeps its time`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east }, { pending_timeout_ms: 36_000_000 });
    await bench.clock.advance(10_000);
    // The storage sends no notice, so the next regular claim takes the request.
    bench.silence();
    const id = await bench.request(1, { timeout: 300 });
    bench.clock.jump(minutes * 60_000);
    const after = await bench.request(1, { timeout: 300 });
    await bench.clock.advance(280_000);
    for (const each of [id, after]) t.is((await bench.status(each)).request.status, 'in_progress', 'not yet');
    await bench.clock.advance(40_000);
    for (const each of [id, after]) t.is((await bench.status(each)).request.status, 'failed');
    await bench.clock.advance(3_600_000);
    const later = await bench.request(1, { timeout: 300 });
    await bench.clock.advance(280_000);
    t.is(
      (await bench.status(later)).request.status,
      'in_progress',
      'one that comes long after the shift is not moved',
    );
    await bench.clock.advance(40_000);
    t.is((await bench.status(later)).request.status, 'failed');
    await bench.close();
  });

  test(`times that moved with a clock that was set ${what} stay moved after a restart`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east });
    const id = await bench.request(1, { timeout: 1_800 });
    await bench.clock.advance(60_000);
    bench.clock.jump(minutes * 60_000);
    await bench.clock.advance(5_000);
    await bench.restart();
    await bench.clock.advance(60_000);
    t.deepEqual(east.live(id), ['m-1']);
    const [machine] = (await bench.status(id)).machines;
    t.is(machine?.status, 'pending');
    await bench.close();
  });
}

test('a claim counts as lost when the wall clock ran and the monotonic clock stopped', (t) => {
  const clock = new FakeClock();
  const claim = { request_id: 'req-1', epoch: 1, taken_over: false };
  const valid = { monotonic: clock.monotonic() + 15_000, wall: clock.now() + 15_000 };
  const claimed = new ClaimedRequest(stateOf(), claim, clock, valid);
  t.notThrows(() => claimed.fence());
  clock.suspend(20_000);
  t.true(isClaimLost(t.throws(() => claimed.fence(), { any: true })));
});

test('a suspended host starts and ends nothing twice', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  bench.clock.suspend(3_000_000);
  await bench.clock.advance(60_000);
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.machines.size, 3);
  await bench.close();
});

for (const [what, minutes] of [
  ['forward', 11],
  ['back', -11],
] as const) {
  for (const commit of variants([5, 4, 6])) {
    test(`all times of a large request move with a clock that is set ${what}, although the broker is killed before commit ${commit} of the move`, async (t) => {
      const east = new ScriptedCloud({ machines_per_launch: 400 });
      const bench = await loopBench({ east });
      const id = await bench.request(300, { timeout: 1_800 });
      await bench.clock.advance(60_000);
      bench.clock.jump(minutes * 60_000);
      await bench.kill(commit);
      await bench.clock.advance(60_000);
      const { request, machines } = await bench.status(id);
      const ages = new Set(machines.map(({ created_at }) => Math.round((bench.clock.now() - created_at) / 60_000)));
      t.deepEqual([...ages], [2], 'as old as they are');
      t.is(Math.round((request.deadline_at - bench.clock.now()) / 60_000), 28);
      t.is(east.machines.size, 300, 'none was judged slow and ordered anew');
      await bench.close();
    });
  }
}

test('after the clock was set back by an hour the next broker continues open requests immediately', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2, { timeout: 36_000 });
  await bench.clock.advance(10_000);
  bench.clock.jump(-3_600_000);
  await bench.clock.advance(60_000);
  east.boot();
  await bench.kill();
  await bench.clock.advance(60_000);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.close();
});

for (const commit of variants([4, 3, 5, 6], 2)) {
  test(`the answer of a launch arrives just after the clock was set, and the broker is killed before commit ${commit}: its machine keeps its age`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east });
    east.scripts.push((order, cloud) => {
      bench.clock.jump(-50_000);
      return cloud.start(order);
    });
    const killed = bench.kill(commit);
    const id = await bench.request(1, { timeout: 1_800 });
    await killed;
    await bench.clock.advance(60_000);
    const [machine] = (await bench.status(id)).machines;
    const age = bench.clock.now() - (machine?.created_at ?? 0);
    t.true(age >= 60_000 && age < 70_000, `${age} ms`);
    t.is(machine?.going, undefined);
    await bench.close();
  });
}

for (const jump of [3_600_000, -3_600_000])
  test(`a release that did not end its machine is repeated after a minute although the clock is set by ${jump} ms`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east });
    t.teardown(() => bench.close());
    await bench.request(3);
    await bench.clock.advance(1_000);
    east.boot();
    await bench.clock.advance(5_000);
    // The cloud accepts the release, and the machine lives on.
    east.end = () => undefined;
    await bench.requestService.returnMachines(['m-1'], 3_600);
    await bench.clock.advance(3_000);
    bench.clock.jump(jump);
    const releases = () => east.calls.filter((call) => call === 'release m-1').length;
    await bench.clock.advance(40_000);
    t.is(releases(), 1);
    await bench.clock.advance(40_000);
    t.is(releases(), 2);
  });

test('a shift of the clock is stored at once, also while a call takes long', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { clock, store } = bench;
  east.beforeLaunch = () => clock.sleep(170_000);
  const id = await bench.request(1, { timeout: 600 });
  await clock.advance(5_000);
  clock.jump(-660_000);
  await clock.advance(3_000);
  t.is((await store.get('request', { request_id: id }))?.shifted_ms, -660_000);
  await bench.close();
});
