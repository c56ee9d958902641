import type { FleetTarget, UnitType } from '../../state/fleets/fleet-target.ts';
import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part } from '../../wire/form.ts';
import { flag, integer, oneOf } from '../../wire/values.ts';
import { type Market, marketNames } from '../specification/launch-spec.ts';

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
  /** Units to launch. */
  readonly units: number;
  readonly strategy: Strategy;
  /** Number of pools over which `lowest-price` Spot spreads. */
  readonly poolCount: number;
  /** Minimum units; if fewer can start, none start. */
  readonly least: number;
  /** What all machines of the market must share. */
  readonly single: readonly ('type' | 'zone')[];
}

/** Reads `TargetCapacitySpecification`: units that are not assigned to a market belong to the default type. */
export function readTarget(params: Params, least: 0 | 1): FleetTarget {
  const target = part(params, 'TargetCapacitySpecification');
  const defaultType = oneOf(target, 'DefaultTargetCapacityType', marketNames) ?? 'on-demand';
  const unitType = oneOf(target, 'TargetCapacityUnitType', ['units', 'vcpu', 'memory-mib']);
  const total = readTotal(target, least, unitType);
  const onDemand = integer(target, 'OnDemandTargetCapacity') ?? 0;
  const spot = integer(target, 'SpotTargetCapacity') ?? 0;
  if (defaultType === 'capacity-block' && onDemand + spot > 0)
    throw invalidCombination('A fleet of capacity-block capacity cannot have On-Demand or Spot capacity.');
  return divide({ total, onDemand, spot, defaultType, unitType });
}

/**
 * Reads the target of ModifyFleet: parts that it does not name do not change, as far as the total allows. `lower`
 * says what a total below the On-Demand part does, where that part is the default.
 */
export function readChangedTarget(params: Params, old: FleetTarget, lower: 'shrink' | 'refuse'): FleetTarget {
  const target = part(params, 'TargetCapacitySpecification');
  if (target === undefined) return old;
  const defaultType = oneOf(target, 'DefaultTargetCapacityType', ['on-demand', 'spot']) ?? old.defaultType;
  const unitType = oneOf(target, 'TargetCapacityUnitType', ['units', 'vcpu', 'memory-mib']) ?? old.unitType;
  const total = readTotal(target, 0, unitType);
  const kept = lower === 'shrink' && defaultType === 'on-demand' ? Math.min(old.onDemand, total) : old.onDemand;
  const onDemand = integer(target, 'OnDemandTargetCapacity') ?? kept;
  // The Spot part shrinks in favor of the On-Demand part, never the reverse.
  const spot = integer(target, 'SpotTargetCapacity') ?? Math.min(old.spot, Math.max(0, total - onDemand));
  return divide({ total, onDemand, spot, defaultType, unitType });
}

/** Checks the parts of a target against its whole, and adds the rest to the part of the default type. */
export function divide({ total, onDemand, spot, defaultType, unitType }: FleetTarget): FleetTarget {
  if (onDemand > total)
    throw new AwsError(
      'InvalidParameter',
      `TargetCapacity (${total}) cannot be less than OnDemandTargetCapacity (${onDemand})`,
    );
  if (onDemand < 0 || spot < 0 || onDemand + spot > total) {
    throw new AwsError(
      'InvalidParameter',
      `The sum of OnDemandTargetCapacity (${onDemand}) and SpotTargetCapacity (${spot}) does not fit TargetCapacity (${total})`,
    );
  }
  const rest = total - onDemand - spot;
  return {
    total,
    onDemand: onDemand + (defaultType === 'on-demand' ? rest : 0),
    spot: spot + (defaultType === 'spot' ? rest : 0),
    defaultType,
    unitType,
  };
}

function readTotal(target: Params | undefined, least: 0 | 1, unit: UnitType | undefined): number {
  const total = integer(target, 'TotalTargetCapacity');
  if (total === undefined) throw missingParameter('TargetCapacitySpecification.TotalTargetCapacity');
  return checkTotal(total, least, unit);
}

/** Throws if no fleet can have this target capacity. */
export function checkTotal(total: number, least: 0 | 1, unit: UnitType | undefined): number {
  if (total < least) throw invalidParameter(`TotalTargetCapacity must be at least ${least}.`);
  // The bound applies to machines; memory is counted in many more units.
  if (total > maxTarget && (unit ?? 'units') === 'units')
    throw new AwsError(
      'MaxFleetTargetCapacityExceeded',
      `The target capacity of a fleet can be at most ${maxTarget}.`,
    );
  return total;
}

/** Reads `OnDemandOptions` and `SpotOptions`, in the order in which a fleet fills the markets. */
export function readMarketOptions(params: Params, target: FleetTarget): MarketOptions[] {
  const onDemand = part(params, 'OnDemandOptions');
  const spot = part(params, 'SpotOptions');
  const strategy = oneOf(spot, 'AllocationStrategy', spotStrategies) ?? 'lowest-price';
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
      strategy,
      poolCount: readPoolCount(spot, strategy, invalidCombination),
      ...readBounds(spot),
    },
    {
      market: 'capacity-block',
      units: target.total - target.onDemand - target.spot,
      strategy: 'lowest-price',
      poolCount: 1,
      ...readBounds(undefined),
    },
  ];
}

/** Reads `InstancePoolsToUseCount`, which only the strategy lowest-price uses. `refusal` makes the error. */
export function readPoolCount(
  options: Params | undefined,
  strategy: Strategy,
  refusal: (message: string) => AwsError,
): number {
  const count = integer(options, 'InstancePoolsToUseCount');
  if (count === undefined) return 1;
  if (count < 1) throw invalidParameter(`Value (${count}) for parameter InstancePoolsToUseCount is invalid.`);
  if (strategy !== 'lowest-price')
    throw refusal('InstancePoolsToUseCount can only be used with the allocation strategy lowest-price.');
  return count;
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

const instantOnly = [
  'SingleInstanceType',
  'SingleAvailabilityZone',
  'MinTargetCapacity',
  'CapacityReservationOptions',
];

/** Refuses options that only instant fleets have. */
export function refuseInstantOptions(params: Params): void {
  for (const options of ['OnDemandOptions', 'SpotOptions']) {
    const wrong = instantOnly.find((name) => part(params, options)?.[name] !== undefined);
    if (wrong !== undefined)
      throw invalidCombination(`${options}.${wrong} is supported only for fleets of type instant.`);
  }
}
