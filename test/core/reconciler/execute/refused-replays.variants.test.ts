import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';
import { variants } from '../../../support/variants.ts';

for (const [kind, delivered] of [
  ['invalid', 0],
  ['gone', 2],
] as const) {
  test(`after a lost answer the machines of an order are found and released although its replay is refused as ${kind}`, async (t) => {
    const east = new ScriptedCloud();
    east.scripts.push(() => 'execute-then-lose');
    east.scripts.push(() => new ProviderFault(kind, 'What it names was removed.', { code: 'Removed' }));
    const bench = await loopBench({ east }, {}, {}, 'off', true);
    const id = await bench.request(2);
    await bench.clock.advance(10_000);
    t.is(east.orders.length, 2, 'no other order is made while it is not known what the first one started');
    for (let i = 0; i < 20; i++) {
      await bench.clock.advance(60_000);
      east.boot();
    }
    const { request } = await bench.status(id);
    t.like(request, { status: delivered === 0 ? 'failed' : 'completed', delivered });
    t.is(east.live(id).length, delivered);
    await bench.close();
  });
}

test('a replay that is refused for a shortage proves that nothing was started', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  east.scripts.push(() => new ProviderFault('unknown-outcome', 'Reset.'));
  east.scripts.push(() => new ProviderFault('capacity', 'None.', { code: 'None' }));
  const bench = await loopBench({ east, west });
  const id = await bench.request(2);
  await bench.clock.advance(10_000);
  t.is(west.live(id).length, 2);
  await bench.close();
});

for (const commit of variants([5, 7, 4, 6, 8], 2)) {
  test(`a large answer is stored after its handle: a refused replay after a crash before commit ${commit} loses none of it`, async (t) => {
    const east = new ScriptedCloud();
    east.scripts.push((order, cloud) => cloud.start(order));
    east.scripts.push(() => new ProviderFault('gone', 'What it names was removed.', { code: 'Removed' }));
    const bench = await loopBench({ east }, { rows_per_commit: 20 }, {}, 'off', true);
    const id = await bench.request(60);
    await bench.kill(commit);
    for (let i = 0; i < 20; i++) {
      await bench.clock.advance(60_000);
      east.boot();
    }
    const { request } = await bench.status(id);
    t.like(request, { status: 'completed', delivered: 60 });
    t.is(east.live(id).length, 60);
    await bench.close();
  });
}
