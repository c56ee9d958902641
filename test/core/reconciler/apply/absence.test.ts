import test from 'ava';
import { applyAbsence } from '../../../../core/reconciler/apply/apply-absence.ts';
import { applySlowness } from '../../../../core/reconciler/apply/apply-reports.ts';
import { defaultSettings } from '../../../../core/reconciler/settings.ts';
import { StateChange } from '../../../../core/reconciler/state/request-state.ts';
import { attemptOf, machineOf, stateOf } from '../../../support/records.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

async function twoReady(
  visible_within_ms = 0,
): Promise<{ readonly bench: LoopBench; readonly east: ScriptedCloud; readonly id: string }> {
  const east = new ScriptedCloud({ visible_within_ms });
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  return { bench, east, id };
}

const statuses = async (bench: LoopBench, id: string) => (await bench.status(id)).machines.map(({ status }) => status);

test('repeated answers without machines of an instance end none of its machines', async (t) => {
  const { bench, east, id } = await twoReady();
  east.hidden.add('m-1').add('m-2');
  await bench.clock.advance(3_600_000);
  t.deepEqual(await statuses(bench, id), ['running', 'running']);
  await bench.close();
});

test('a machine is gone when answers that list others have lacked it for a minute, not before', async (t) => {
  const { bench, east, id } = await twoReady();
  east.hidden.add('m-1');
  await bench.clock.advance(35_000);
  t.deepEqual(await statuses(bench, id), ['running', 'running']);
  await bench.clock.advance(90_000);
  t.deepEqual(await statuses(bench, id), ['terminated', 'running']);
  t.true((await bench.status(id)).machines[0]?.lost);
  await bench.close();
});

test('repeated answers without machines of a zone end none of its machines', async (t) => {
  const { bench, east, id } = await twoReady();
  for (const [machine_id, zone] of [
    ['m-1', 'here-a'],
    ['m-2', 'here-b'],
  ] as const) {
    const machine = east.machines.get(machine_id);
    if (machine) machine.report = { ...machine.report, zone };
  }
  await bench.clock.advance(60_000);
  east.hidden.add('m-1');
  await bench.clock.advance(3_600_000);
  t.deepEqual(await statuses(bench, id), ['running', 'running']);
  await bench.close();
});

test('while its request runs, a machine that one answer lacked is not replaced', async (t) => {
  const east = new ScriptedCloud({ visible_within_ms: 0 });
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot('m-1', 'm-2');
  east.hidden.add('m-1');
  await bench.clock.advance(20_000);
  east.hidden.clear();
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.machines.size, 3);
  await bench.close();
});

test('a machine that counted as gone and is reported again lives, and a return releases it', async (t) => {
  const { bench, east, id } = await twoReady();
  east.hidden.add('m-1');
  await bench.clock.advance(180_000);
  t.deepEqual(await statuses(bench, id), ['terminated', 'running']);
  east.hidden.clear();
  await bench.clock.advance(60_000);
  const [first] = (await bench.status(id)).machines;
  t.deepEqual([first?.status, first?.lost, first?.gone_at], ['running', undefined, undefined]);
  const { request } = await bench.requestService.returnMachines(['m-1'], 3_600);
  await bench.clock.advance(20_000);
  t.deepEqual(east.live(id), ['m-2']);
  t.is((await bench.status(request.request_id)).request.status, 'completed');
  await bench.close();
});

test('when a replaced machine is reported again, one of the two is released', async (t) => {
  const east = new ScriptedCloud({ visible_within_ms: 0 });
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot('m-1', 'm-2');
  east.hidden.add('m-1');
  await bench.clock.advance(120_000);
  t.is(east.machines.size, 4, 'a replacement was launched');
  east.hidden.clear();
  east.boot();
  await bench.clock.advance(60_000);
  t.is(east.live(id).length, 3);
  t.is((await bench.status(id)).request.status, 'completed');
  await bench.close();
});

test('a machine whose release was accepted is gone when it is no longer listed, also as the last of its instance', async (t) => {
  const { bench, east, id } = await twoReady();
  east.hidden.add('m-1').add('m-2');
  const { request } = await bench.requestService.returnMachines(east.live(id), 3_600);
  await bench.clock.advance(20_000);
  t.is((await bench.status(request.request_id)).request.status, 'completed');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

const now = Date.parse('2026-01-01T10:00:00Z');

/** The machine of a request after an answer that was asked for so many milliseconds before it is applied. */
function answered(age_ms: number, created_ms: number, fields: object = {}) {
  const { ready_at: _, ...unready } = machineOf('m-1');
  const machine = { ...unready, created_at: now - created_ms, ...fields };
  const change = new StateChange(stateOf({ attempts: [attemptOf(1)], machines: [machine] }), now);
  const asked_at = now - age_ms;
  const proof = { reports: [], listed: { any: true, zones: new Set<string>() }, asked_at };
  applyAbsence(change, [machine], proof, 30_000, defaultSettings);
  applySlowness(change, attemptOf(1), defaultSettings, asked_at);
  return change.machine(machine);
}

test('an answer that is applied late says nothing about the time since it was asked for', (t) => {
  const missing_since = now - defaultSettings.absence_ms - 5_000;
  const old = { missing_since, ready_at: now - 900_000 };
  t.is(answered(0, 35_000, old)?.gone_at, now);
  t.is(answered(6_000, 35_000, old)?.gone_at, undefined, 'the machine was younger than it may be invisible');
  t.is(answered(6_000, 900_000, old)?.gone_at, undefined, 'it was not absent for so long yet');
  t.is(answered(4_000, 900_000, old)?.gone_at, now);
  t.is(answered(0, 600_000)?.status, 'failed');
  t.not(answered(6_000, 603_000)?.status, 'failed', 'it may have become ready');
});
