import test, { type ExecutionContext } from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { message } from '../../../support/notices-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

/** A request for eleven machines within five minutes, of which ten are ready. */
async function tenOfEleven(t: ExecutionContext) {
  const east = Object.assign(new ScriptedCloud({ machines_per_launch: 100 }), { notices: true });
  const bench = await loopBench({ east });
  t.teardown(() => bench.close());
  const { clock } = bench;
  const id = await bench.request(11, { timeout: 300, ready_timeout: 36_000, on_rebalance: 'replace' });
  await clock.advance(3_000);
  east.boot(...east.live().slice(0, 10));
  await clock.advance(5_000);
  const recommend = (machine_id: string): void => {
    east.messages = [message(machine_id, { machine_id, kind: 'rebalance', at: new Date(clock.now()).toISOString() })];
  };
  return { bench, east, clock, id, recommend };
}

for (const isReady of [false, true])
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

for (const isReady of [false, true])
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
