import type { CallContext } from '../../state/call-context.ts';
import type { UnitType } from '../../state/fleets/fleet-target.ts';
import type { FleetError, FleetPool } from '../../state/fleets/fleet-pool.ts';
import type { Instance, CapacityController } from '../../state/instances/instance.ts';
import type { Tags } from '../../state/tags.ts';
import { type Candidate, candidatesOf } from './fleet-candidates.ts';
import { planMarket } from './fleet-plan.ts';
import { countLaunched, shortfallError, machinesAllowed } from '../launch-rate.ts';
import type { Launcher } from '../permission.ts';
import type { MarketOptions } from './fleet-request.ts';
import type { Market } from '../specification/launch-spec.ts';
import { placeIn } from '../place.ts';
import { startInstances } from '../start-instances.ts';

/** The units to launch, and their pools. */
export interface Filling {
  readonly pools: readonly FleetPool[];
  /** With the units to launch in each market. */
  readonly markets: readonly MarketOptions[];
  readonly unit: UnitType;
  /** Maximum number of machines. */
  readonly limit: number;
  /** The number of short pools of a market after which no other pool is tried. Default: all are tried. */
  readonly tries?: number;
  readonly systemTags: Tags;
  readonly launcher: Launcher;
  readonly controller?: CapacityController;
}

/** The launches of an attempt, and the errors of pools that delivered too little. */
export interface Filled {
  readonly launches: readonly {
    readonly from: Candidate;
    readonly market: Market;
    readonly instances: readonly Instance[];
  }[];
  readonly errors: readonly FleetError[];
  /** Markets that delivered fewer units than requested. */
  readonly short: ReadonlySet<Market>;
}

/** Makes one attempt to launch units from pools. Missing capacity is an error of the pool, never of the attempt. */
export function fillMarkets(context: CallContext, filling: Filling): Filled {
  const launches: Filled['launches'][number][] = [];
  const errors: FleetError[] = [];
  const short = new Set<Market>();
  const { controller, systemTags } = filling;
  let limit = Math.min(filling.limit, Math.floor(machinesAllowed(context)));
  for (const options of filling.markets) {
    const { market } = options;
    if (options.units <= 0) continue;
    const { candidates, refused } = candidatesOf(context, filling, market);
    const plan = planMarket(candidates, options, limit, filling.tries);
    for (const { pool: from, count } of plan.takes) {
      const start = { spec: from.spec, placement: from.placement, count, systemTags };
      launches.push({
        from,
        market,
        instances: startInstances(context, controller === undefined ? start : { ...start, controller }),
      });
      countLaunched(context, count);
      limit -= count;
    }
    const own = distinct([...refused, ...plan.short.map((from) => shortage(context, from, market))]);
    const reported = new Set(own.map(({ poolXml }) => poolXml));
    const untried = plan.untried
      .filter(({ pool }) => !reported.has(pool.xml))
      .map(({ pool }) => unfulfillable(pool, market));
    errors.push(...own, ...distinct(untried));
    if (plan.units < options.units) short.add(market);
  }
  return { launches, errors, short };
}

function shortage(context: CallContext, from: Candidate, market: Market): FleetError {
  const after = placeIn(context, from.spec, from.placement.subnet);
  const { code, message } = after.room === 0 ? after.refusal : shortfallError(context, after.pool);
  return { poolXml: from.pool.xml, market, code: fleetCodeOf(code), message };
}

function unfulfillable(pool: FleetPool, market: Market): FleetError {
  const message = 'The fleet cannot fulfill its capacity with this configuration. Change the request and try again.';
  return { poolXml: pool.xml, market, code: 'UnfulfillableCapacity', message };
}

/** Fleets have a code of their own for a type that a zone does not offer. */
export const fleetCodeOf = (code: string): string => (code === 'Unsupported' ? 'InvalidFleetConfiguration' : code);

/** One error of a kind for each pool: an override with attributes may stand for hundreds of types. */
function distinct(errors: readonly FleetError[]): FleetError[] {
  return [...new Map(errors.map((error) => [`${error.code} ${error.poolXml}`, error])).values()];
}
