import { deliveryLimit } from '../dispatch/faults.ts';
import { draw } from '../knobs/span.ts';
import { type Filled, fillMarkets } from '../launch/fleets/fleet-fill.ts';
import { refreshPool } from '../launch/fleets/fleet-pools.ts';
import { fleetAsLauncher } from '../launch/permission.ts';
import type { FleetPool, FleetError } from '../state/fleets/fleet-pool.ts';
import type { MarketOptions } from '../launch/fleets/fleet-request.ts';
import type { CallContext } from '../state/call-context.ts';
import { AwsError } from '../wire/errors.ts';
import { endExcess } from './excess.ts';
import { recordErrors } from './fleet-history.ts';
import { addFleetMember, settleStopped, handleLateMachines } from './members.ts';
import {
  type Order,
  type StandingFleet,
  unitsHeld,
  unitsOrdered,
  unitsWanted,
} from '../state/fleets/standing-fleet.ts';

// The shortest time between two orders in a market, whatever the knobs say: otherwise machines that end at once would
// cause endless orders at one instant.
const leastPauseMs = 100;
const maxDoublings = 4;

/** Plans a round of the fleet; several plans for one time run once. */
export function planRound(context: CallContext, fleet: StandingFleet, at: number): void {
  if (fleet.plannedRounds.has(at)) return;
  fleet.plannedRounds.add(at);
  context.state.timers.plan(at, (then) => {
    fleet.plannedRounds.delete(at);
    runRound(then, fleet);
  });
}

/** One round: ends excess machines and orders missing ones. A fleet that is not active does nothing. */
function runRound(context: CallContext, fleet: StandingFleet): void {
  if (fleet.state !== 'active') return;
  endExcess(context, fleet);
  if (fleet.closed || context.now < (fleet.request.validFrom ?? 0)) return;
  const due: MarketOptions[] = [];
  for (const options of fleet.request.markets) {
    const units = unitsMissing(fleet, options);
    if (units <= 0) continue;
    const { until } = fleet.pauses[options.market];
    if (context.now >= until) due.push({ ...options, units });
    else planRound(context, fleet, until);
  }
  if (due.length > 0) placeOrder(context, fleet, due);
}

function unitsMissing(fleet: StandingFleet, { market }: MarketOptions): number {
  const had = fleet.type === 'maintain' ? unitsHeld(fleet, market) : fleet.delivered[market];
  return unitsWanted(fleet, market) - had - unitsOrdered(fleet, market);
}

function placeOrder(context: CallContext, fleet: StandingFleet, markets: readonly MarketOptions[]): void {
  const { pools, gone } = presentPools(context, fleet);
  const order: Order = { markets, pools, gone };
  fleet.orders.add(order);
  for (const { market } of markets)
    fleet.pauses[market] = { ...fleet.pauses[market], until: context.now + leastPauseMs };
  context.state.timers.plan(context.now + draw(context.knobs.fleets.launch_ms, context.random), (then) =>
    arrive(then, fleet, order),
  );
}

/** The pools whose templates still exist, and an error for each of the others. */
function presentPools(context: CallContext, fleet: StandingFleet): { pools: FleetPool[]; gone: FleetError[] } {
  const pools: FleetPool[] = [];
  const gone: FleetError[] = [];
  for (const pool of fleet.pools) {
    try {
      pools.push(refreshPool(context, pool));
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      gone.push({ poolXml: pool.xml, market: 'on-demand', code: error.code, message: error.message });
    }
  }
  return { pools, gone };
}

function arrive(context: CallContext, fleet: StandingFleet, order: Order): void {
  fleet.orders.delete(order);
  const filled = fillMarkets(context, {
    pools: order.pools,
    markets: order.markets,
    unit: fleet.target.unitType ?? 'units',
    limit: deliveryLimit(context, fleet.kind === 'ec2' ? 'CreateFleet' : 'RequestSpotFleet'),
    systemTags: new Map([[fleet.kind === 'ec2' ? 'aws:ec2:fleet-id' : 'aws:ec2spot:fleet-request-id', fleet.id]]),
    controller: fleet.controller,
    launcher: fleetAsLauncher(context, fleet.kind),
  });
  takeIn(context, fleet, filled.launches);
  report(context, fleet, order, filled);
  settleStopped(context, fleet);
  planRound(context, fleet, context.now);
}

function takeIn(context: CallContext, fleet: StandingFleet, launches: Filled['launches']): void {
  const { launchesByToken } = context.state;
  for (const { from, market, instances } of launches) {
    const { weight } = from;
    for (const instance of instances) {
      addFleetMember(context, fleet, {
        instance,
        market,
        weight,
        unitPrice: from.price / weight,
        joinedAt: context.now,
        leftAt: undefined,
      });
    }
    fleet.delivered[market] += weight * instances.length;
    if (fleet.token !== undefined)
      launchesByToken.set(fleet.token, (launchesByToken.get(fleet.token) ?? 0) + instances.length);
    if (fleet.endsMachines) handleLateMachines(context, fleet, instances);
  }
}

/** Records the errors of an order, and how long its markets wait before the next order. */
function report(context: CallContext, fleet: StandingFleet, order: Order, { launches, errors, short }: Filled): void {
  const gone = order.markets.flatMap(({ market }) => order.gone.map((error) => ({ ...error, market })));
  const all = [...gone, ...errors];
  recordErrors(context, fleet, all, launches.length === 0);
  for (const { market } of order.markets) {
    fleet.errors[market] = short.has(market) ? all.filter((error) => error.market === market) : [];
    pauseAfter(context, fleet, market, short.has(market));
  }
  if (short.size > 0 && fleet.type === 'request' && !context.knobs.fleets.request_retries) fleet.closed = true;
}

function pauseAfter(
  context: CallContext,
  fleet: StandingFleet,
  market: MarketOptions['market'],
  fellShort: boolean,
): void {
  const { until, failures } = fleet.pauses[market];
  if (!fellShort) return void (fleet.pauses[market] = { until, failures: 0 });
  const wait = Math.max(
    leastPauseMs,
    draw(context.knobs.fleets.retry_ms, context.random) * 2 ** Math.min(failures, maxDoublings),
  );
  fleet.pauses[market] = { until: context.now + wait, failures: failures + 1 };
}
