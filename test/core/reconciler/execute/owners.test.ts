import test from 'ava';
import type { Health } from '../../../../core/model/health.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

test('an instance that reports one machine for two requests stays unhealthy when the owner of the machine is observed', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const health = async () =>
    (await bench.store.find('fact', { where: { topic: 'health' } })).map(({ value }) => (value as Health).status);
  const first = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(1_000);
  const [machine] = [...east.machines.values()];
  if (!machine) return t.fail();
  for (let i = 0; i < 100; i += 1)
    east.scripts.push(() => ({ handle: { token: `x-${i}` }, machines: [machine.report], settled: true }));
  const second = await bench.request(1);
  await bench.clock.advance(2_000);
  t.deepEqual(await health(), ['unhealthy']);
  const observations = () => east.calls.filter((call) => call.startsWith('observe')).length;
  const seen = observations();
  for (let i = 0; i < 60 && observations() === seen; i += 1) await bench.clock.advance(1_000);
  t.true(observations() > seen, 'the owner is observed');
  t.deepEqual(await health(), ['unhealthy'], 'what is known already says nothing of the plugin');
  t.deepEqual(
    (await bench.status(first)).machines.map(({ machine_id }) => machine_id),
    ['m-1'],
  );
  t.deepEqual((await bench.status(second)).machines, []);
  await bench.close();
});
