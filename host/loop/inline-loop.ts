import { startLoop, type LoopParts } from '../../core/reconciler/loop.ts';
import type { LoopHandle } from './loop-handle.ts';
import { ProviderDurations } from '../metrics/provider-durations.ts';
import { toldCalls } from '../metrics/told-calls.ts';

/** The loop in the thread of the faces: for storages that one thread alone can open, and for tests. */
export async function startInlineLoop(parts: LoopParts): Promise<LoopHandle> {
  const meter = new ProviderDurations();
  const loop = await startLoop({ ...parts, meter: toldCalls(meter, parts.log) });
  let stopped = false;
  return {
    where: 'inline',
    trouble: () => (stopped ? 'The loop is stopped.' : loop.trouble()),
    measures: async () => meter.families(),
    check: (instance) => loop.check(instance).catch(() => undefined),
    look: (request_ids) => loop.look(request_ids),
    stop: () => {
      stopped = true;
      return loop.stop();
    },
  };
}
