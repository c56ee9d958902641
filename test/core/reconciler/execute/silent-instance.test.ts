import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud, type Script } from '../../../support/scripted-cloud.ts';

const refused: Script = () => new ProviderFault('unavailable', 'connect ECONNREFUSED 127.0.0.1:1');
const refuseAll = (cloud: ScriptedCloud): void =>
  void cloud.scripts.push(...Array.from({ length: 5_000 }, () => refused));

test('after half a minute without an executed call the next instance serves', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  refuseAll(east);
  const bench = await loopBench({ east, west });
  const id = await bench.request(3);
  await bench.clock.advance(28_000);
  t.is(west.orders.length, 0, 'not before');
  await bench.clock.advance(40_000);
  t.is(west.live(id).length, 3);
  west.boot();
  await bench.clock.advance(3_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.is(request.provider_instance, 'west');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('without another instance the same order is repeated until the time-out', async (t) => {
  const east = new ScriptedCloud();
  refuseAll(east);
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(600_000);
  t.is((await bench.store.find('attempt', { where: { request_id: id } })).length, 1);
  east.scripts.length = 0;
  await bench.clock.advance(60_000);
  t.is(east.live(id).length, 3);
  await bench.close();
});

test('a launch with an unknown outcome stays at its instance, however long the instance does not answer', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  east.scripts.push(() => 'execute-then-lose');
  refuseAll(east);
  const bench = await loopBench({ east, west });
  const id = await bench.request(3);
  await bench.clock.advance(300_000);
  t.is(west.orders.length, 0);
  east.scripts.length = 0;
  await bench.clock.advance(60_000);
  t.is(east.live(id).length, 3);
  t.is(west.live(id).length, 0);
  await bench.close();
});
