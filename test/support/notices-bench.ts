import type { ExecutionContext } from 'ava';
import type { MachineStatus, Notice, NoticeMessage } from '../../core/index.ts';
import type { Settings } from '../../core/reconciler/settings.ts';
import { loopBench, type LoopBench } from './loop-bench.ts';
import { ScriptedCloud } from './scripted-cloud.ts';

export const message = (receipt: string, ...notices: readonly Notice[]): NoticeMessage => ({ receipt, notices });

/** A message that announces a state of a machine. */
export const stateMessage = (receipt: string, machine_id: string, status: MachineStatus, at: string): NoticeMessage =>
  message(receipt, { machine_id, kind: 'state', at, status });

/** Completed requests of so many machines each, in a cloud that has notices. */
export async function requestsAtRest(
  t: ExecutionContext,
  counts: readonly number[],
  more: Partial<ScriptedCloud> = {},
  settings: Partial<Settings> = {},
) {
  const east = Object.assign(new ScriptedCloud({ machines_per_launch: 1_000 }), { notices: true, ...more });
  const bench = await loopBench({ east }, settings);
  t.teardown(() => bench.close());
  const ids: string[] = [];
  for (const count of counts) ids.push(await bench.request(count));
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  for (const id of ids) t.is((await bench.status(id)).request.status, 'completed');
  const at = (ms = 0) => new Date(bench.clock.now() + ms).toISOString();
  return { bench, east, ids, at };
}

/** A completed request of three machines. */
export async function threeAtRest(
  t: ExecutionContext,
  more: Partial<ScriptedCloud> = {},
  settings: Partial<Settings> = {},
) {
  const { ids, ...others } = await requestsAtRest(t, [3], more, settings);
  return { ...others, id: ids[0] ?? '' };
}

/** Machines at rest are observed in hours only, and their requests are held meanwhile. */
export const rarely: Partial<Settings> = {
  observe_resting_ms: 36_000_000,
  observe_noticed_ms: 36_000_000,
  hold_ms: 36_000_000,
};

export const machineOf = async (bench: LoopBench, id: string, machine_id: string) =>
  (await bench.status(id)).machines.find((machine) => machine.machine_id === machine_id);

/** The machines of each event of a type. */
export const eventsOf = async (bench: LoopBench, type: string) =>
  (await bench.store.find('event', { where: { type } })).map(({ data }) => data['machine_ids']);

export const observations = ({ calls }: ScriptedCloud) => calls.filter((call) => call.startsWith('observe')).length;
