import test from 'ava';
import type { Notice } from '../../../../../core/index.ts';
import { eventsOf, machineOf, message, threeAtRest } from '../../../../support/notices-bench.ts';

test('a reclaim is stored before its message is acknowledged, and no observation without it withdraws it', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  const reclaim_at = at(120_000);
  east.messages = [message('r-1', { machine_id: 'm-1', kind: 'reclaim', at: at(), reclaim_at, message: 'It goes.' })];
  await bench.clock.advance(3_000);
  t.like(await machineOf(bench, id, 'm-1'), { status: 'running', reclaim_at, message: 'It goes.' });
  t.deepEqual(east.acknowledged, ['r-1']);
  t.deepEqual(await eventsOf(bench, 'machine.reclaim_noticed'), [['m-1']]);

  const machine = east.machines.get('m-1');
  if (machine) machine.report = { ...machine.report, reclaim_at: null };
  await bench.clock.advance(310_000);
  t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, reclaim_at);
  // The machine still lives five minutes after its end: the provider changed its mind.
  await bench.clock.advance(600_000);
  t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, undefined);
});

test('of two reclaims of one machine the earlier counts, and a cancelled one is withdrawn', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  const scheduled = (receipt: string, reclaim_at: string | null) =>
    message(receipt, { machine_id: 'm-1', kind: 'scheduled', at: at(), reclaim_at });
  const [early, late] = [at(1_800_000), at(3_000_000)];
  east.messages = [scheduled('1', late)];
  await bench.clock.advance(3_000);
  east.messages = [scheduled('2', early), scheduled('3', late)];
  await bench.clock.advance(3_000);
  t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, early);
  east.messages = [scheduled('4', null)];
  await bench.clock.advance(3_000);
  t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, undefined);
  t.deepEqual(await eventsOf(bench, 'machine.reclaim_withdrawn'), [['m-1']]);
});

test('planned work in two weeks is no reclaim yet', async (t) => {
  const { bench, east, id, at } = await threeAtRest(t);
  const notice: Notice = { machine_id: 'm-1', kind: 'scheduled', at: at(), reclaim_at: at(14 * 86_400_000) };
  east.messages = [message('1', notice)];
  await bench.clock.advance(3_000);
  t.deepEqual(east.acknowledged, ['1']);
  t.is((await machineOf(bench, id, 'm-1'))?.reclaim_at, undefined);
  t.deepEqual(await eventsOf(bench, 'machine.reclaim_noticed'), []);
});
