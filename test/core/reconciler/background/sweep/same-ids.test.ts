import test from 'ava';
import { loopBench } from '../../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../../support/scripted-cloud.ts';

for (const twin of [false, true])
  test(`a machine that wrongly counts as gone is found by the sweep, ${twin ? 'although' : 'when no'} other instance has one of the same id`, async (t) => {
    const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
    const bench = await loopBench({ east, west }, {}, {}, 'report');
    const id = await bench.request(2, { provider_name: 'east' } as never);
    if (twin) await bench.request(2, { provider_name: 'west' } as never);
    await bench.clock.advance(1_000);
    east.boot();
    west.boot();
    await bench.clock.advance(5_000);
    east.hidden.add('m-1');
    await bench.clock.advance(200_000);
    await bench.requestService.returnMachines(['east/m-2'], 600, {});
    await bench.clock.advance(60_000);
    east.hidden.clear();
    const born = new Date(bench.clock.now() - 3_600_000).toISOString();
    east.listed = east.owned(born);
    await bench.clock.advance(1_900_000);
    const row = (await bench.status(id)).machines.find(({ machine_id }) => machine_id === 'm-1');
    t.is(row?.gone_at, undefined, 'its request knows again that it lives');
    await bench.close();
  });
