import test from 'ava';
import { ProviderFault } from '../../../../../core/index.ts';
import { loopBench, type LoopBench } from '../../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../../support/scripted-cloud.ts';

const settings = {
  sweep_first_ms: 5_000,
  sweep_ms: 60_000,
  sweep_grace_ms: 30_000,
  recover_after_ms: [5_000, 10_000],
};
const long = '2025-01-01T00:00:00Z';

/** A request whose attempt ended without a handle, and a running machine of it. */
async function withoutHandle(
  how: 'refused' | 'lost',
  finds: boolean,
): Promise<{ bench: LoopBench; east: ScriptedCloud; id: string }> {
  const east = new ScriptedCloud({ token_valid_ms: 20_000 });
  east.findable = false;
  if (how === 'refused') {
    east.scripts.push((order, cloud) => {
      cloud.start(order);
      return new ProviderFault('invalid', 'No such image.');
    });
  } else {
    east.scripts.push(() => 'execute-then-lose');
    for (let i = 0; i < 20; i++) east.scripts.push(() => new ProviderFault('unknown-outcome', 'Cut again.'));
  }
  const bench = await loopBench({ east }, settings, {}, 'terminate', finds);
  const id = await bench.request(1, { timeout: 30 });
  await bench.clock.advance(100_000);
  east.listed = east.owned(long);
  return { bench, east, id };
}

for (const how of ['refused', 'lost'] as const) {
  test(`a machine of an order that was ${how} and cannot be searched is an orphan: reported, and ended`, async (t) => {
    const { bench, east, id } = await withoutHandle(how, false);
    t.is((await bench.status(id)).request.status, 'failed');
    t.is(east.live(id).length, 1);
    await bench.clock.advance(400_000);
    t.deepEqual(await bench.store.find('machine', {}), [], 'nobody has a machine that he cannot release');
    t.is((await bench.store.find('event', { where: { type: 'orphan.found' } })).length, 1);
    t.deepEqual([...new Set(east.removed)], ['m-1']);
    await bench.close();
  });

  test(`a machine of an order that was ${how} is released when its order is found`, async (t) => {
    const { bench, east, id } = await withoutHandle(how, true);
    t.is(east.live(id).length, 1);
    east.findable = true;
    await bench.clock.advance(120_000);
    t.deepEqual(east.live(id), []);
    t.deepEqual(east.removed, []);
    await bench.close();
  });

  test(`a machine of an order that was ${how} and is not found again is an orphan and is ended too`, async (t) => {
    const { bench, east } = await withoutHandle(how, true);
    await bench.clock.advance(600_000);
    t.deepEqual([...new Set(east.removed)], ['m-1']);
    t.deepEqual(await bench.store.find('machine', {}), []);
    await bench.close();
  });
}
