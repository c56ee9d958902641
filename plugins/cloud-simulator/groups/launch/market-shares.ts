import type { MarketOptions } from '../../launch/fleets/fleet-request.ts';
import type { Market } from '../../launch/specification/launch-spec.ts';
import { capacityOf, type Group, stayingMembers } from '../../state/groups.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { integer } from '../../wire/values.ts';
import { overridesOf } from './group-pools.ts';

/** The share of a launch in one market. */
export interface MarketShare {
  /** Undefined: the market of the template. */
  readonly market: Market | undefined;
  readonly options: Omit<MarketOptions, 'units'>;
  readonly units: number;
}

/** `InstancesDistribution` with AWS's defaults. */
export interface Distribution {
  readonly base: number;
  /** Percentage of On-Demand units above the base. */
  readonly percentage: number;
}

/** Reads the division of units between the markets. */
export function readDistribution(policy: Params | undefined): Distribution {
  const distribution = part(policy, 'InstancesDistribution');
  return {
    base: integer(distribution, 'OnDemandBaseCapacity') ?? 0,
    percentage: integer(distribution, 'OnDemandPercentageAboveBaseCapacity') ?? 100,
  };
}

/** The On-Demand units of `total`: the base plus the percentage of the rest, rounded up. Pure. */
export function onDemandPart({ base, percentage }: Distribution, total: number): number {
  if (total <= base) return total;
  return base + Math.ceil(((total - base) * percentage) / 100);
}

/** Divides `units` additional units between the markets, so that the whole group approaches its distribution. */
export function marketShares(group: Group, units: number): MarketShare[] {
  const { policy } = group.config.source;
  if (policy === undefined) return [marketShare(group, undefined, units)];
  const has = stayingMembers(group)
    .filter((member) => member.instance.reservation.spec.market === 'on-demand')
    .reduce((sum, member) => sum + member.weight, 0);
  const wanted = onDemandPart(readDistribution(policy), capacityOf(group) + units) - has;
  const onDemand = Math.min(units, Math.max(0, wanted));
  return [marketShare(group, 'on-demand', onDemand), marketShare(group, 'spot', units - onDemand)];
}

/** The share of a launch in a single market. */
export function marketShare(group: Group, market: Market | undefined, units: number): MarketShare {
  const distribution = part(group.config.source.policy, 'InstancesDistribution');
  const described = overridesOf(group.config).some((override) => part(override, 'InstanceRequirements') !== undefined);
  const onDemand = text(distribution, 'OnDemandAllocationStrategy') ?? (described ? 'lowest-price' : 'prioritized');
  const spot = text(distribution, 'SpotAllocationStrategy') ?? 'lowest-price';
  return {
    market,
    units,
    options: {
      market: market ?? 'on-demand',
      strategy: (market === 'spot' ? spot : onDemand) as MarketOptions['strategy'],
      poolCount: integer(distribution, 'SpotInstancePools') ?? 2,
      least: 0,
      single: [],
    },
  };
}
