import test from 'ava';
import { ProviderFault } from '../../../../../core/index.ts';
import {
  eventsOf,
  machineOf,
  observations,
  rarely,
  requestsAtRest,
  stateMessage as state,
  threeAtRest,
} from '../../../../support/notices-bench.ts';
import { tries, variants } from '../../../../support/variants.ts';

test('a machine that ends is reported within two seconds of its notice, in whatever order and however often it comes', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  east.kill('m-1');
  const statuses = ['terminated', 'running', 'shutting-down', 'pending'] as const;
  east.messages = statuses.map((status) => state(status, 'm-1', status, at()));
  await bench.clock.advance(2_000);
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
  east.messages = [state('5', 'm-1', 'terminated', at()), state('6', 'm-1', 'running', at())];
  await bench.clock.advance(120_000);
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
  t.deepEqual(await eventsOf(bench, 'machine.lost'), [['m-1']]);
  t.is(east.acknowledged.length, 6);
});

for (const status of variants(['terminated', 'stopping', 'shutting-down', 'stopped', 'failed'] as const, 2))
  test(`a notice that a machine is ${status} while the provider shows that it runs changes nothing`, async (t) => {
    const { bench, east, id, at } = await threeAtRest(t);
    const before = await machineOf(bench, id, 'm-1');
    east.messages = [state('r', 'm-1', status, at())];
    await bench.clock.advance(3_000);
    t.deepEqual(await machineOf(bench, id, 'm-1'), before);
    await bench.clock.advance(900_000);
    t.deepEqual(await machineOf(bench, id, 'm-1'), before);
    t.deepEqual(east.acknowledged, ['r']);
    t.deepEqual(await eventsOf(bench, 'machine.lost'), []);
    t.is(east.orders.length, 1, 'nothing replaces it');
  });

for (const staleMs of variants([3_000, 30_000, 1_000, 8_000], 2))
  test(`a provider whose answers are ${staleMs / 1_000} s old is asked again until it shows the announced end`, async (t) => {
    const { bench, east, id, at } = await threeAtRest(t, {}, rarely);
    east.messages = [state('r', 'm-1', 'terminated', at())];
    await bench.clock.advance(staleMs);
    t.is((await machineOf(bench, id, 'm-1'))?.status, 'running');
    east.kill('m-1');
    await bench.clock.advance(staleMs < 10_000 ? 2_000 : 10_000);
    t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
    t.deepEqual(await eventsOf(bench, 'machine.lost'), [['m-1']]);
  });

test('a provider that does not answer is asked until it does, and then decides about the announced end', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t, {}, rarely);
  east.deaf = new ProviderFault('unavailable', 'It does not answer.');
  east.messages = [state('r', 'm-1', 'terminated', at()), state('s', 'm-2', 'terminated', at())];
  await bench.clock.advance(300_000);
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'running');
  east.deaf = undefined;
  east.kill('m-1');
  await bench.clock.advance(10_000);
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
  t.is((await machineOf(bench, id, 'm-2'))?.status, 'running');
});

test('a false notice costs a dozen observations of its machine alone, and ends by itself', async (t) => {
  const { bench, east, at } = await requestsAtRest(t, [1_000], {}, rarely);
  await bench.clock.advance(60_000);
  const before = east.asked.length;
  east.messages = [state('r', 'm-7', 'terminated', at())];
  await bench.clock.advance(600_000);
  const asked = east.asked.slice(before);
  t.true(asked.length >= 5 && asked.length <= 15, `${asked.length} observations`);
  t.deepEqual([...new Set(asked)], [1]);
});

test('false notices about all machines of many requests share a few observations', async (t) => {
  const requests = tries(10, 50);
  const { bench, east, at } = await requestsAtRest(
    t,
    Array.from({ length: requests }, () => 200),
    {},
    rarely,
  );
  await bench.clock.advance(60_000);
  const before = observations(east);
  // As a source gives them: a part in each answer.
  east.waiting = east.live().map((id, index) => state(`r-${index}`, id, 'terminated', at()));
  await bench.clock.advance(600_000);
  t.is(east.acknowledged.length, 200 * requests);
  t.is(await bench.store.count('machine', { status: 'running' }), 200 * requests);
  t.deepEqual(await eventsOf(bench, 'machine.lost'), []);
  const calls = observations(east) - before;
  t.true(calls <= 1.6 * requests, `${calls} calls`);
});

test('notices of one machine again and again do not keep the others from being observed', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  for (let second = 0; second < 60; second++) {
    east.messages = [state(`r-${second}`, 'm-1', 'terminated', at())];
    if (second === 10) east.kill('m-2');
    await bench.clock.advance(1_000);
  }
  t.is((await machineOf(bench, id, 'm-2'))?.status, 'terminated');
  t.is((await machineOf(bench, id, 'm-1'))?.status, 'running');
});

for (const commit of variants([2, 4, 1, 3, 5], 2))
  test(`a loop that is killed before its commit ${commit} still observes the machine of a true notice`, async (t) => {
    // The request is yielded until an observation that is due in an hour.
    const { bench, east, id, at } = await threeAtRest(t, {}, { observe_resting_ms: 3_600_000 });
    await bench.clock.advance(120_000);
    east.kill('m-1');
    east.messages = [state('r', 'm-1', 'terminated', at())];
    await bench.kill(commit);
    await bench.clock.advance(60_000);
    t.is((await machineOf(bench, id, 'm-1'))?.status, 'terminated');
    t.deepEqual(await eventsOf(bench, 'machine.lost'), [['m-1']]);
    t.deepEqual([...new Set(east.acknowledged)], ['r']);
  });
