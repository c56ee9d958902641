import { loopBench } from './loop-bench.ts';
import { ScriptedCloud } from './scripted-cloud.ts';

/** A request of two machines: one runs at west, and the call that orders the other one at east takes `launchMs`. */
export async function oneAtWest(launchMs: number) {
  const west = new ScriptedCloud();
  const east = new ScriptedCloud();
  const bench = await loopBench({ west, east });
  const { clock } = bench;
  west.scripts.push((order) => ({
    ...west.start(order, 1),
    shortfall: [{ kind: 'capacity', code: 'ICE', message: 'No more.', count: 1 }],
  }));
  east.beforeLaunch = () => clock.sleep(launchMs);
  const id = await bench.request(2);
  await clock.advance(3_000);
  west.boot();
  await clock.advance(5_000);
  return {
    bench,
    east,
    west,
    id,
    clock,
    /** A caller returns the machine at west. */
    giveBack: () => bench.requestService.returnMachines([{ machine_id: 'm-1', provider_instance: 'west' }], 600, {}),
  };
}
