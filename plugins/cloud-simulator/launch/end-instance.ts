import { takePlaces } from '../capacity.ts';
import { poolOf } from './place.ts';
import { draw } from '../knobs/span.ts';
import { postState } from '../queues/machine-events.ts';
import type { CallContext } from '../state/call-context.ts';
import { goneAfterMs, type Instance } from '../state/instances/instance.ts';
import { countUsage } from '../state/quotas.ts';

/** The state reason of a machine that ended. */
export interface EndReason {
  readonly code: string;
  readonly message: string;
}

/**
 * Ends a machine, unless it is ending already. Its address and its place in the pool are free once it is terminated.
 */
export function endInstance(context: CallContext, instance: Instance, reason: EndReason, shutdownMs?: number): void {
  if (instance.shutdownAt !== undefined) return;
  const { state, now } = context;
  const terminatedAt = now + (shutdownMs ?? draw(context.knobs.shutdown_ms, context.random));
  instance.shutdownAt = now;
  instance.terminatedAt = terminatedAt;
  instance.reason = reason;
  const { spec } = instance.reservation;
  countUsage(state.usage, spec.type, spec.market, -1);
  postState(context, instance, 'shutting-down');
  state.timers.plan(terminatedAt, (then) => {
    postState(then, instance, 'terminated');
    instance.subnet.give(instance.address);
    takePlaces(state, poolOf(context, spec, instance.zone), -1);
  });
  state.timers.plan(terminatedAt + goneAfterMs, () => {
    state.instances.remove(instance);
    state.removedMachineMs += now - instance.launchedAt;
  });
  instance.controller?.onEnding(instance, now);
}
