import { startLoop } from '../../core/reconciler/loop.ts';
import type { LoopParts } from '../../core/reconciler/running-loop.ts';
import type { LoopHandle } from './loop-handle.ts';
import { ProviderDurations } from '../metrics/provider-durations.ts';
import { heldRequests } from '../metrics/held-requests.ts';
import { loggedCalls } from '../metrics/logged-calls.ts';
import { RequestEnds } from '../metrics/request-ends.ts';

/**
 * Starts the reconciler loop in the thread of the interfaces: for storages that only one thread can open, and for
 * tests.
 */
export async function startInlineLoop(parts: LoopParts): Promise<LoopHandle> {
  const meter = new ProviderDurations();
  const ends = new RequestEnds();
  const loop = await startLoop({
    ...parts,
    meter: loggedCalls(meter, parts.log),
    ended: (request) => ends.ended(request),
  });
  let stopped = false;
  return {
    where: 'inline',
    trouble: () => (stopped ? 'The loop has stopped.' : loop.trouble()),
    measures: async () => [...meter.families(), ...ends.families(), ...heldRequests(loop)],
    calls: async () => meter.timings(),
    states: async () => loop.states(),
    check: (instance) => loop.check(instance).catch(() => undefined),
    discover: (instance) => loop.discover(instance).catch(() => undefined),
    refresh: (request_ids) => loop.refresh(request_ids),
    useBudgets: (budgets) => loop.useBudgets(budgets),
    describe: (template_files) => loop.describe(template_files),
    stop: () => {
      stopped = true;
      return loop.stop();
    },
  };
}
