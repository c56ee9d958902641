import { machinesIn, placeIn, poolOf } from './place.ts';
import { takePlaces } from '../capacity.ts';
import { draw } from '../knobs/span.ts';
import { postLaunch, postState } from '../queues/machine-events.ts';
import type { CallContext } from '../state/call-context.ts';
import { type Instance, stateOf } from '../state/instances/instance.ts';
import { countUsage } from '../state/quotas.ts';
import type { AwsError } from '../wire/errors.ts';

/** Stops a running machine: it leaves its pool and is not billed, and keeps its private addresses and its volumes. */
export function stopInstance(context: CallContext, instance: Instance): void {
  const { state, now, knobs, random } = context;
  const { type, market } = instance.reservation.spec;
  instance.stop = { at: now, doneAt: now + draw(knobs.shutdown_ms, random) };
  takePlaces(state, poolOf(context, instance.reservation.spec, instance.zone), -1);
  countUsage(state.usage, type, market, -1);
  postState(context, instance, 'stopping');
  state.timers.plan(instance.stop.doneAt, (then) => {
    if (stateOf(instance, then.now) === 'stopped') postState(then, instance, 'stopped');
  });
  instance.controller?.onStopping?.(instance, now);
}

/** The error with which a stopped machine cannot start now; undefined if it can. Its addresses are still its own. */
export function startRefusal(context: CallContext, instance: Instance): AwsError | undefined {
  const { bounds, refusal } = placeIn(context, instance.reservation.spec, instance.subnet);
  if (bounds.length === 0) return refusal;
  return bounds.find((bound) => bound.key !== instance.subnet.id && machinesIn(bound) < 1)?.refusal();
}

/** Starts a stopped machine again. */
export function startStopped(context: CallContext, instance: Instance): void {
  const { state, now, knobs, random } = context;
  const { type, market } = instance.reservation.spec;
  if (instance.stop !== undefined) instance.stoppedMs += now - instance.stop.at;
  instance.stop = undefined;
  instance.startedAt = now;
  instance.runningAt = now + draw(knobs.boot_ms, random);
  takePlaces(state, poolOf(context, instance.reservation.spec, instance.zone), 1);
  countUsage(state.usage, type, market, 1);
  postLaunch(context, instance);
}
