import test from 'ava';
import { readyTimeoutMs } from '../../../../core/reconciler/apply/apply-reports.ts';
import { defaultSettings } from '../../../../core/reconciler/settings.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

test('a machine has the `ready_timeout` of its template to become ready, else ten minutes', (t) => {
  t.is(readyTimeoutMs({ template_id: 'small', ready_timeout: 60 }, defaultSettings), 60_000);
  t.is(readyTimeoutMs({ template_id: 'small' }, defaultSettings), 600_000);
  t.is(readyTimeoutMs(undefined, defaultSettings), 600_000);
});

for (const [ready_timeout, seconds] of [
  [120, 120],
  [1_800, 1_800],
  [undefined, 600],
] as const)
  test(`a machine that is not ready ${seconds} s after its launch fails then, and not before (${ready_timeout})`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east });
    const id = await bench.request(1, ready_timeout === undefined ? {} : { ready_timeout });
    await bench.clock.advance(1_000);
    await bench.clock.advance(seconds * 1000 - 10_000);
    t.is(east.orders.length, 1, 'not before');
    t.is(east.live(id).length, 1);
    await bench.clock.advance(30_000);
    t.is(east.orders.length, 2, 'it is replaced');
    const machines = await bench.store.find('machine', { where: { request_id: id, status: 'failed' } });
    t.is(machines[0]?.message, `It was not ready ${seconds} s after its launch.`);
    await bench.close();
  });
