import { marketsOf, weightOf, type CloudTemplate, type Market, type Pool } from '../cloud/index.ts';

/** What a fleet is asked for, in units of capacity. */
export interface Target {
  readonly total: number;
  readonly onDemand: number;
  readonly spot: number;
}

/** EC2's limit of one fleet. */
const mostUnits = 10_000;

/**
 * Units for a number of machines: machines × the smallest weight, in each market by itself, because a fleet rounds up to whole machines in each.
 * So never more machines come than were asked for; fewer where heavier ones were chosen, and the core orders the rest.
 */
export function targetFor(template: CloudTemplate, pools: readonly Pool[], machineCount: number): Target {
  const unit = Math.min(...pools.map((pool) => weightOf(template, pool.machine_type)));
  const machines = Math.min(machineCount, Math.floor(mostUnits / unit));
  const markets = new Set(pools.map((pool) => pool.market));
  const onDemand = !markets.has('spot')
    ? machines
    : !markets.has('on-demand')
      ? 0
      : Math.round((machines * (template.percent_on_demand ?? 0)) / 100);
  return { total: machines * unit, onDemand: onDemand * unit, spot: (machines - onDemand) * unit };
}

/** Pools that a target draws on: a market of which nothing is asked is left for a later order. */
export function poolsFor(target: Target, pools: readonly Pool[]): Pool[] {
  return pools.filter((pool) => (pool.market === 'spot' ? target.spot : target.onDemand) > 0);
}

/** Markets that a template asks of. */
export const wants = (template: CloudTemplate, market: Market): boolean => marketsOf(template).includes(market);
