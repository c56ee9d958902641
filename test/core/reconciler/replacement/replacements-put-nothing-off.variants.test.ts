import test, { type ExecutionContext } from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import type { Template } from '../../../../core/model/template.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { message } from '../../../support/notices-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';
import { variants } from '../../../support/variants.ts';

/** A request for eleven machines within five minutes, of which ten are ready; or for more, of which one is not. */
async function tenOfEleven(t: ExecutionContext, template: Partial<Template> = {}, count = 11) {
  const east = Object.assign(new ScriptedCloud({ machines_per_launch: 1_000 }), { notices: true });
  const bench = await loopBench({ east });
  t.teardown(() => bench.close());
  const { clock } = bench;
  const id = await bench.request(count, {
    timeout: 300,
    ready_timeout: 36_000,
    on_rebalance: 'replace',
    ...template,
  });
  await clock.advance(3_000);
  east.boot(...east.live().slice(0, -1));
  await clock.advance(5_000);
  const recommend = (machine_id: string): void => {
    east.messages = [message(machine_id, { machine_id, kind: 'rebalance', at: new Date(clock.now()).toISOString() })];
  };
  return { bench, east, clock, id, recommend };
}

for (const isReady of variants([false, true]))
  test(`orders for replacements whose answer is lost do not put off the ${isReady ? 'completion' : 'time-out'}`, async (t) => {
    const { bench, east, clock, id, recommend } = await tenOfEleven(t);
    east.beforeLaunch = async () => {
      await clock.sleep(60_000);
      throw new ProviderFault('unknown-outcome', 'No answer.');
    };
    for (let n = 1; n <= 5; n++) {
      recommend(`m-${n}`);
      await clock.advance(13_000);
    }
    if (isReady) east.boot();
    await clock.advance(isReady ? 20_000 : 240_000);
    t.is((await bench.status(id)).request.status, 'completed');
    t.is(east.live(id).length, isReady ? 11 : 10);
  });

for (const isReady of variants([false, true]))
  test(`an order for a replacement that waits for its turn does not put off the ${isReady ? 'completion' : 'time-out'}`, async (t) => {
    const { bench, east, clock, id, recommend } = await tenOfEleven(t);
    east.beforeLaunch = () => clock.sleep(50_000);
    for (let n = 0; n < (isReady ? 50 : 120); n++) await bench.request(1, { timeout: 36_000 });
    await clock.advance(3_000);
    recommend('m-1');
    await clock.advance(5_000);
    if (isReady) east.boot(...east.live(id));
    await clock.advance(isReady ? 30_000 : 310_000);
    t.is((await bench.status(id)).request.status, 'completed');
    if (!isReady) return;
    // The replacement comes after the end all the same.
    await clock.advance(230_000);
    east.boot(...east.live(id));
    await clock.advance(5_000);
    const { machines } = await bench.status(id);
    t.truthy(machines.find(({ machine_id }) => machine_id === 'm-1')?.replaced_by);
  });

for (const template of [{ partial: 'all_or_nothing' }, { replace_lost: true }] as const)
  test(`a request waits for the replacement of a machine that was lost meanwhile, with ${JSON.stringify(template)}`, async (t) => {
    const { bench, east, clock, id, recommend } = await tenOfEleven(t, template);
    east.beforeLaunch = () => clock.sleep(20_000);
    recommend('m-1');
    await clock.advance(3_000);
    east.kill('m-1');
    east.boot();
    await clock.advance(15_000);
    t.is((await bench.status(id)).request.status, 'in_progress');
    await clock.advance(15_000);
    east.boot();
    await clock.advance(10_000);
    const { request } = await bench.status(id);
    t.deepEqual([request.status, request.kept_count], ['completed', 11]);
    t.is(east.live(id).length, 11);
  });

test('a request whose machines are all ready does not wait for a replacement that nobody needs any more', async (t) => {
  const { bench, east, clock, id, recommend } = await tenOfEleven(t);
  east.beforeLaunch = async () => {
    await clock.sleep(30_000);
    throw new ProviderFault('unknown-outcome', 'No answer.');
  };
  recommend('m-1');
  await clock.advance(5_000);
  await bench.requestService.returnMachines(['m-1'], 600, {});
  await clock.advance(5_000);
  east.boot();
  await clock.advance(10_000);
  t.is((await bench.status(id)).request.status, 'completed');
});

for (const launchMs of variants([1_000, 10_000]))
  test(`recommendations every second put off neither a release nor the completion while launches take ${launchMs} ms`, async (t) => {
    const { bench, east, clock, id, recommend } = await tenOfEleven(t, {}, 400);
    bench.storage.before = async (method) => (method === 'commit' ? clock.sleep(20) : undefined);
    east.beforeLaunch = () => clock.sleep(launchMs);
    let n = 0;
    const tell = async (times: number): Promise<void> => {
      for (const end = n + times; n < end; ) {
        recommend(`m-${++n}`);
        await clock.advance(1_000);
      }
    };
    await tell(20);
    await bench.requestService.returnMachines(['m-390'], 600, {});
    await tell(10);
    t.false(east.live().includes('m-390'));
    await bench.requestCommands.complete(id);
    await tell(40);
    t.is((await bench.status(id)).request.status, 'completed');
  });
