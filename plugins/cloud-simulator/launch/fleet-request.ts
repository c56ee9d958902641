import type { FleetTarget } from '../state/fleets.ts';
import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../wire/errors.ts';
import { type Params, part } from '../wire/form.ts';
import { flag, integer, oneOf } from '../wire/values.ts';
import type { Market } from './launch-spec.ts';

const maxTarget = 10_000;

const onDemandStrategies = ['lowest-price', 'prioritized'] as const;
const spotStrategies = [
  'lowest-price',
  'diversified',
  'capacity-optimized',
  'capacity-optimized-prioritized',
  'price-capacity-optimized',
] as const;

export type Strategy = (typeof onDemandStrategies)[number] | (typeof spotStrategies)[number];

/** How a fleet fills one market. */
export interface MarketOptions {
  readonly market: Market;
  /** Wanted units. */
  readonly units: number;
  readonly strategy: Strategy;
  /** Over how many pools `lowest-price` Spot spreads. */
  readonly poolCount: number;
  /** Fewer units than these: none at all. */
  readonly least: number;
  /** What all machines of the market must share. */
  readonly single: readonly ('type' | 'zone')[];
}

/** Reads `TargetCapacitySpecification`: what is neither On-Demand nor Spot by name is of the default type. */
export function readTarget(params: Params): FleetTarget {
  const target = part(params, 'TargetCapacitySpecification');
  const total = integer(target, 'TotalTargetCapacity');
  if (total === undefined) throw missingParameter('TargetCapacitySpecification.TotalTargetCapacity');
  if (total < 1) throw invalidParameter('TotalTargetCapacity must be at least 1.');
  if (total > maxTarget)
    throw new AwsError('MaxFleetTargetCapacityExceeded', `The target capacity of a fleet can be at most ${maxTarget}.`);
  const onDemand = integer(target, 'OnDemandTargetCapacity') ?? 0;
  const spot = integer(target, 'SpotTargetCapacity') ?? 0;
  if (onDemand > total)
    throw new AwsError('InvalidParameter', `TargetCapacity (${total}) cannot be less than OnDemandTargetCapacity (${onDemand})`);
  if (onDemand < 0 || spot < 0 || onDemand + spot > total) {
    throw new AwsError(
      'InvalidParameter',
      `The sum of OnDemandTargetCapacity (${onDemand}) and SpotTargetCapacity (${spot}) does not fit TargetCapacity (${total})`,
    );
  }
  const defaultType = oneOf(target, 'DefaultTargetCapacityType', ['on-demand', 'spot']) ?? 'on-demand';
  const rest = total - onDemand - spot;
  const unitType = oneOf(target, 'TargetCapacityUnitType', ['units', 'vcpu', 'memory-mib']);
  if (unitType !== undefined && unitType !== 'units')
    throw invalidCombination('TargetCapacityUnitType can only be specified together with InstanceRequirements.');
  return {
    total,
    onDemand: onDemand + (defaultType === 'on-demand' ? rest : 0),
    spot: spot + (defaultType === 'spot' ? rest : 0),
    defaultType,
    unitType,
  };
}

/** Reads `OnDemandOptions` and `SpotOptions`, in the order in which a fleet fills the markets. */
export function readMarketOptions(params: Params, target: FleetTarget): MarketOptions[] {
  const onDemand = part(params, 'OnDemandOptions');
  const spot = part(params, 'SpotOptions');
  return [
    {
      market: 'on-demand',
      units: target.onDemand,
      strategy: oneOf(onDemand, 'AllocationStrategy', onDemandStrategies) ?? 'lowest-price',
      poolCount: 1,
      ...readBounds(onDemand),
    },
    {
      market: 'spot',
      units: target.spot,
      strategy: oneOf(spot, 'AllocationStrategy', spotStrategies) ?? 'lowest-price',
      poolCount: integer(spot, 'InstancePoolsToUseCount') ?? 1,
      ...readBounds(spot),
    },
  ];
}

function readBounds(options: Params | undefined): Pick<MarketOptions, 'least' | 'single'> {
  const least = integer(options, 'MinTargetCapacity') ?? 0;
  const single: ('type' | 'zone')[] = [];
  if (flag(options, 'SingleInstanceType')) single.push('type');
  if (flag(options, 'SingleAvailabilityZone')) single.push('zone');
  if (least > 0 && single.length === 0) {
    throw invalidCombination('MinTargetCapacity requires SingleAvailabilityZone or SingleInstanceType.');
  }
  if (least > 1000) throw invalidParameter('MinTargetCapacity can be at most 1000.');
  return { least, single };
}
