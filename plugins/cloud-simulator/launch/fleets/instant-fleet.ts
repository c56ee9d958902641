import type { ActionCall } from '../../dispatch/action.ts';
import { deliveryLimit } from '../../dispatch/faults.ts';
import type { FleetLaunch } from '../../state/fleets/fleets.ts';
import type { FleetTarget } from '../../state/fleets/fleet-target.ts';
import type { FleetError, FleetPool } from '../../state/fleets/fleet-pool.ts';
import { callerAsLauncher } from '../permission.ts';
import { fillMarkets } from './fleet-fill.ts';
import type { MarketOptions } from './fleet-request.ts';

/** The launches and the errors of one attempt of a fleet. */
export interface FleetOutcome {
  readonly launches: readonly FleetLaunch[];
  readonly errors: readonly FleetError[];
}

/** Makes the only attempt of an instant fleet to launch its target. */
export function launchInstantFleet(
  call: ActionCall,
  fleetId: string,
  pools: readonly FleetPool[],
  markets: readonly MarketOptions[],
  target: FleetTarget,
): FleetOutcome {
  const { launches, errors } = fillMarkets(call, {
    pools,
    markets,
    unit: target.unitType ?? 'units',
    limit: deliveryLimit(call, call.action),
    tries: call.knobs.fleets.instant_tries ?? Number.POSITIVE_INFINITY,
    systemTags: new Map([['aws:ec2:fleet-id', fleetId]]),
    launcher: callerAsLauncher(call, 'CreateFleet'),
  });
  return {
    launches: launches.map(({ from, market, instances }) => ({
      poolXml: from.pool.xml,
      market,
      instanceType: from.type,
      weight: from.weight,
      instanceIds: instances.map((instance) => instance.id),
    })),
    errors,
  };
}

/** The units of launches in one market, or in both. */
export function unitsOf(launches: readonly FleetLaunch[], market?: FleetLaunch['market']): number {
  return launches
    .filter((launch) => market === undefined || launch.market === market)
    .reduce((sum, launch) => sum + launch.weight * launch.instanceIds.length, 0);
}

/** Whether the launches reach the target. */
export function isFulfilled(launches: readonly FleetLaunch[], target: FleetTarget): boolean {
  return unitsOf(launches) >= target.total;
}
