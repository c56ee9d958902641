import type { CallContext } from '../state/call-context.ts';
import type { FleetTarget } from '../state/fleets/fleet-target.ts';
import { AwsError } from '../wire/errors.ts';
import { type FleetKind, isStopped, type StandingFleet } from '../state/fleets/standing-fleet.ts';

/**
 * Throws if the account has too many fleets in the region, or if all fleets together exceed the total target
 * capacity.
 */
export function checkFleetQuotas(
  context: CallContext,
  kind: FleetKind,
  target: FleetTarget,
  changed?: StandingFleet,
): void {
  const { fleets, fleet_capacity } = context.knobs.quotas;
  const others = [...context.state.fleets.values()].filter(
    (fleet): fleet is StandingFleet => fleet.type !== 'instant' && fleet !== changed && !isStopped(fleet),
  );
  if (changed === undefined && fleets !== null && others.length >= fleets)
    throw exceeded(kind, 'MaxFleetCountExceeded', `${fleets} fleets`);
  const units = others.reduce((sum, fleet) => sum + fleet.target.total, target.total);
  // A fleet may always become smaller.
  const grows = changed === undefined || target.total > changed.target.total;
  if (grows && fleet_capacity !== null && units > fleet_capacity)
    throw exceeded(kind, 'MaxFleetTargetCapacityExceeded', `a target capacity of ${fleet_capacity} over all fleets`);
}

// Spot fleets have one code for both quotas.
function exceeded(kind: FleetKind, code: string, quota: string): AwsError {
  return new AwsError(
    kind === 'spot' ? 'MaxSpotFleetRequestCountExceeded' : code,
    `You have reached the limit of ${quota} in this Region.`,
  );
}
