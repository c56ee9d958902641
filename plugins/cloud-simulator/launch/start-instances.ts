import type { ActionCall } from '../action.ts';
import { takePlaces } from '../capacity.ts';
import { lateFailureFor } from '../faults.ts';
import { goneAfterMs, type Instance, type Reservation } from '../state/instance.ts';
import type { RegionState } from '../state/region-state.ts';
import { mergeTags, type Tags } from '../state/tags.ts';
import type { LaunchSpec } from './launch-spec.ts';
import type { Placement } from './place.ts';

/** What starts: `count` machines, at most `placement.room`. */
export interface Start {
  readonly spec: LaunchSpec;
  readonly placement: Placement;
  readonly count: number;
  /** The token by which RunInstances' machines can be found; a fleet's machines are not found by the fleet's token. */
  readonly token?: string | undefined;
  /** Tags that AWS itself puts on the machines. */
  readonly systemTags?: Tags;
}

/** Starts machines; they exist at once, as `pending`. */
export function startInstances(call: ActionCall, start: Start): readonly Instance[] {
  const { state, knobs, now, random } = call;
  const { spec, placement, token } = start;
  const { pool, subnet } = placement;
  const reservation: Reservation = { id: `r-0${random.hex(16)}`, spec, token };
  const tags = start.systemTags === undefined ? spec.tags : mergeTags(spec.tags, start.systemTags);
  const instances = Array.from({ length: start.count }, (_, launchIndex) => {
    const instance: Instance = {
      id: `i-0${random.hex(16)}`,
      place: state.nextPlace++,
      reservation,
      launchIndex,
      zone: pool.zone,
      subnet,
      address: subnet.take(),
      spotRequestId: spec.market === 'spot' ? `sir-${random.hex(8)}` : undefined,
      launchedAt: now,
      runningAt: now + knobs.boot_ms,
      tags,
      shutdownAt: undefined,
      terminatedAt: undefined,
      reason: undefined,
    };
    state.instances.add(instance);
    call.touched.push(instance.id);
    const failure = lateFailureFor(knobs, call.counted, pool.instanceType, pool.zone);
    if (failure !== undefined) {
      state.agenda.plan(now + failure.afterMs, () =>
        endInstance(state, instance, { at: now + failure.afterMs, shutdownMs: 0, reason: failure }),
      );
    }
    return instance;
  });
  takePlaces(state, pool, start.count);
  return instances;
}

/** Ends a machine at a time, unless it is ending already. Its address and its place in the pool are free once it is terminated. */
export function endInstance(
  state: RegionState,
  instance: Instance,
  end: { readonly at: number; readonly shutdownMs: number; readonly reason: { readonly code: string; readonly message: string } },
): void {
  if (instance.shutdownAt !== undefined) return;
  const terminatedAt = end.at + end.shutdownMs;
  instance.shutdownAt = end.at;
  instance.terminatedAt = terminatedAt;
  instance.reason = { code: end.reason.code, message: end.reason.message };
  const { spec } = instance.reservation;
  state.agenda.plan(terminatedAt, () => {
    instance.subnet.give(instance.address);
    takePlaces(state, { instanceType: spec.type.instance_type, zone: instance.zone, market: spec.market }, -1);
  });
  state.agenda.plan(terminatedAt + goneAfterMs, () => {
    state.instances.remove(instance);
    state.forgottenMs += end.at - instance.launchedAt;
  });
}
