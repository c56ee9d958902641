import { takePlaces } from '../capacity.ts';
import { lateFailureFor } from '../faults.ts';
import { draw } from '../knobs/span.ts';
import type { Moment } from '../moment.ts';
import { goneAfterMs, type Instance, type Keeper, type Reservation } from '../state/instance.ts';
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
  readonly keeper?: Keeper;
}

/** Starts machines; they exist at once, as `pending`. */
export function startInstances(moment: Moment, start: Start): readonly Instance[] {
  const { state, knobs, now, random, touched } = moment;
  const { spec, placement, token } = start;
  const { pool, subnet } = placement;
  const reservation: Reservation = { id: `r-0${random.hex(16)}`, spec, token };
  const tags = start.systemTags === undefined ? spec.tags : mergeTags(spec.tags, start.systemTags);
  const instances = Array.from({ length: start.count }, (_, launchIndex) => {
    const bootMs = draw(knobs.boot_ms, random);
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
      runningAt: now + bootMs,
      tags,
      keeper: start.keeper,
      interruption: undefined,
      shutdownAt: undefined,
      terminatedAt: undefined,
      reason: undefined,
    };
    state.instances.add(instance);
    touched.push(instance.id);
    const failure = lateFailureFor(moment, pool.instanceType, pool.zone, bootMs);
    if (failure !== undefined) {
      state.agenda.plan(now + failure.afterMs, (then) => endInstance(then, instance, failure, 0));
    }
    return instance;
  });
  takePlaces(state, pool, start.count);
  return instances;
}

/** Why a machine ended, as its state reason says. */
export interface EndReason {
  readonly code: string;
  readonly message: string;
}

/** Ends a machine, unless it is ending already. Its address and its place in the pool are free once it is terminated. */
export function endInstance(moment: Moment, instance: Instance, reason: EndReason, shutdownMs?: number): void {
  if (instance.shutdownAt !== undefined) return;
  const { state, now } = moment;
  const terminatedAt = now + (shutdownMs ?? draw(moment.knobs.shutdown_ms, moment.random));
  instance.shutdownAt = now;
  instance.terminatedAt = terminatedAt;
  instance.reason = { code: reason.code, message: reason.message };
  const { spec } = instance.reservation;
  state.agenda.plan(terminatedAt, () => {
    instance.subnet.give(instance.address);
    takePlaces(state, { instanceType: spec.type.instance_type, zone: instance.zone, market: spec.market }, -1);
  });
  state.agenda.plan(terminatedAt + goneAfterMs, () => {
    state.instances.remove(instance);
    state.forgottenMs += now - instance.launchedAt;
  });
  instance.keeper?.ending(moment, instance);
}
