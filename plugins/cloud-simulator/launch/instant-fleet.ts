import type { ActionCall } from '../action.ts';
import { insufficientCapacity } from '../capacity.ts';
import { deliveryLimit } from '../faults.ts';
import type { FleetError, FleetLaunch, FleetTarget } from '../state/fleets.ts';
import { AwsError } from '../wire/errors.ts';
import { type FleetPool } from './fleet-pools.ts';
import { type PlanPool, planMarket } from './fleet-plan.ts';
import type { MarketOptions } from './fleet-request.ts';
import { type LaunchSpec, readLaunchSpec } from './launch-spec.ts';
import { type Placement, place } from './place.ts';
import { startInstances } from './start-instances.ts';

/** What one attempt of a fleet brought: machines and errors of pools side by side. */
export interface FleetOutcome {
  readonly launches: readonly FleetLaunch[];
  readonly errors: readonly FleetError[];
}

interface ReadyPool extends PlanPool {
  readonly pool: FleetPool;
  readonly spec: LaunchSpec;
  readonly placement: Placement;
}

/** Makes one attempt to get the fleet's target from its pools. Want of capacity is an error of its pool, never of the call. */
export function launchInstantFleet(
  call: ActionCall,
  fleetId: string,
  pools: readonly FleetPool[],
  markets: readonly MarketOptions[],
): FleetOutcome {
  const launches: FleetLaunch[] = [];
  const errors: FleetError[] = [];
  let limit = deliveryLimit(call, call.action);
  for (const options of markets) {
    if (options.units === 0) continue;
    const { ready, refused } = preparePools(call, pools, options);
    errors.push(...refused);
    const plan = planMarket(ready, options, limit);
    for (const { pool, count } of plan.takes) {
      const systemTags = new Map([['aws:ec2:fleet-id', fleetId]]);
      const instances = startInstances(call, { spec: pool.spec, placement: pool.placement, count, systemTags });
      launches.push({
        poolXml: pool.pool.xml,
        market: options.market,
        instanceType: pool.type,
        weight: pool.weight,
        instanceIds: instances.map((instance) => instance.id),
      });
      limit -= count;
    }
    errors.push(...plan.short.map((pool) => shortage(pool, options)));
  }
  return { launches, errors };
}

/** Units that a launch list comes to, in one market or both. */
export function unitsOf(launches: readonly FleetLaunch[], market?: FleetLaunch['market']): number {
  return launches
    .filter((launch) => market === undefined || launch.market === market)
    .reduce((sum, launch) => sum + launch.weight * launch.instanceIds.length, 0);
}

/** Whether the launches reach the target. */
export function isFulfilled(launches: readonly FleetLaunch[], target: FleetTarget): boolean {
  return unitsOf(launches) >= target.total;
}

function preparePools(
  call: ActionCall,
  pools: readonly FleetPool[],
  options: MarketOptions,
): { ready: ReadyPool[]; refused: FleetError[] } {
  const ready: ReadyPool[] = [];
  const refused: FleetError[] = [];
  for (const pool of pools) {
    try {
      const spec = readLaunchSpec(call, pool.params, pool.template, options.market);
      const placement = place(call, spec);
      ready.push({
        pool,
        spec,
        placement,
        type: spec.type.instance_type,
        zone: placement.pool.zone,
        weight: pool.weight,
        priority: pool.priority,
        price: options.market === 'spot' ? spec.type.spot_price : spec.type.on_demand_price,
        room: placement.room,
        key: `${spec.type.instance_type}/${placement.subnet.id}`,
      });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      refused.push({ poolXml: pool.xml, market: options.market, code: error.code, message: error.message });
    }
  }
  return { ready, refused };
}

function shortage(pool: ReadyPool, options: MarketOptions): FleetError {
  // A pool that had room and gave less all the same was held back by the knob `partial`, which counts as want of capacity.
  const { code, message } = pool.room === 0 ? pool.placement.refusal : insufficientCapacity(pool.placement.pool);
  return { poolXml: pool.pool.xml, market: options.market, code, message };
}
