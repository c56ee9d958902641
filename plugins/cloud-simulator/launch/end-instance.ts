import { takePlaces } from '../capacity.ts';
import { poolOf } from './place.ts';
import { draw } from '../knobs/span.ts';
import { postState } from '../queues/machine-events.ts';
import type { CallContext } from '../state/call-context.ts';
import { billedMs, type EndReason, goneAfterMs, type Instance } from '../state/instances/instance.ts';
import { forgetParts } from '../state/instances/part-tags.ts';
import { countUsage } from '../state/quotas.ts';

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
  // A stopped machine has left its place already.
  const running = instance.stop === undefined;
  if (running) countUsage(state.usage, spec.type, spec.market, -1);
  postState(context, instance, 'shutting-down');
  state.timers.plan(terminatedAt, (then) => {
    postState(then, instance, 'terminated');
    for (const address of [instance.address, ...instance.secondary]) instance.subnet.give(address);
    if (running) takePlaces(state, poolOf(context, spec, instance.zone), -1);
  });
  state.timers.plan(terminatedAt + goneAfterMs, () => {
    state.instances.remove(instance);
    forgetParts(state, instance);
    state.removedMachineMs += billedMs(instance, now);
  });
  instance.controller?.onEnding(instance, now);
}
