import { partitionOf } from '../../state/sessions.ts';
import type { ActionCall } from '../../dispatch/action.ts';
import type { ExcessPolicy, FleetRequest } from '../../state/fleets/standing-fleet.ts';
import type { FleetTarget } from '../../state/fleets/fleet-target.ts';
import { AwsError, missingParameter } from '../../wire/errors.ts';
import { type Params, part, parts, text } from '../../wire/form.ts';
import { decimal, flag, integer, oneOf } from '../../wire/values.ts';
import { callerAsLauncher, checkPassed } from '../permission.ts';
import { checkUnits, readTemplatePools } from './fleet-pools.ts';
import { checkDistinct } from './duplicate-pools.ts';
import type { FleetPool } from '../../state/fleets/fleet-pool.ts';
import { checkTotal, divide, type MarketOptions, readPoolCount } from './fleet-request.ts';
import { readValidity } from './fleet-validity.ts';
import { readSpecificationPools } from './spot-specifications.ts';
import { ownTags } from './standing-fleet-request.ts';

const spotStrategies = {
  lowestPrice: 'lowest-price',
  diversified: 'diversified',
  capacityOptimized: 'capacity-optimized',
  capacityOptimizedPrioritized: 'capacity-optimized-prioritized',
  priceCapacityOptimized: 'price-capacity-optimized',
} as const;
const onDemandStrategies = { lowestPrice: 'lowest-price', prioritized: 'prioritized' } as const;

/** Reads `SpotFleetRequestConfig`. */
export function readSpotFleet(call: ActionCall): FleetRequest {
  const config = part(call.params, 'SpotFleetRequestConfig');
  if (config === undefined) throw missingParameter('SpotFleetRequestConfig');
  checkRole(call, config);
  const type = oneOf(config, 'Type', ['request', 'maintain', 'instant']) ?? 'maintain';
  if (type === 'instant') throw invalidConfig('A Spot Fleet request cannot be of type instant.');
  const target = readSpotTarget(config, type);
  const maxPrice = decimal(config, 'SpotPrice');
  const pools = readPools(call, config, maxPrice, target);
  checkUnits(target, pools);
  const replaceUnhealthy = flag(config, 'ReplaceUnhealthyInstances') ?? false;
  if (replaceUnhealthy && type !== 'maintain')
    throw invalidConfig('ReplaceUnhealthyInstances is supported only for Spot Fleet requests of type maintain.');
  return {
    kind: 'spot',
    type,
    token: call.token,
    target,
    pools,
    markets: readMarkets(config, target),
    excess: readSpotExcess(config),
    ...readValidity(config, call.now),
    endsWithExpiry: flag(config, 'TerminateInstancesWithExpiration') ?? false,
    replaceUnhealthy,
    maxPrice,
    tags: ownTags(config, 'spot-fleet-request'),
    echo: config,
  };
}

/** Reads the excess policy of a Spot fleet; `default` ends machines. */
export function readSpotExcess(params: Params): ExcessPolicy {
  return oneOf(params, 'ExcessCapacityTerminationPolicy', ['noTermination', 'default']) === 'noTermination'
    ? 'no-termination'
    : 'termination';
}

/** Reads the target of ModifySpotFleetRequest: parts that it does not name do not change. */
export function readChangedSpotTarget(params: Params, old: FleetTarget): FleetTarget {
  const total = checkTotal(integer(params, 'TargetCapacity') ?? old.total, 0, old.unitType);
  const onDemand = integer(params, 'OnDemandTargetCapacity') ?? old.onDemand;
  return divide({ ...old, total, onDemand, spot: 0 });
}

function readSpotTarget(config: Params, type: 'request' | 'maintain'): FleetTarget {
  const given = integer(config, 'TargetCapacity');
  if (given === undefined) throw missingParameter('SpotFleetRequestConfig.TargetCapacity');
  const unitType = oneOf(config, 'TargetCapacityUnitType', ['units', 'vcpu', 'memory-mib']);
  const total = checkTotal(given, type === 'maintain' ? 0 : 1, unitType);
  const onDemand = integer(config, 'OnDemandTargetCapacity') ?? 0;
  return divide({ total, onDemand, spot: 0, defaultType: 'spot', unitType });
}

function readMarkets(config: Params, target: FleetTarget): MarketOptions[] {
  const spot = oneOf(config, 'AllocationStrategy', Object.keys(spotStrategies) as (keyof typeof spotStrategies)[]);
  const onDemand = oneOf(
    config,
    'OnDemandAllocationStrategy',
    Object.keys(onDemandStrategies) as (keyof typeof onDemandStrategies)[],
  );
  const unbound = { least: 0, single: [] };
  return [
    {
      market: 'on-demand',
      units: target.onDemand,
      strategy: onDemandStrategies[onDemand ?? 'lowestPrice'],
      poolCount: 1,
      ...unbound,
    },
    {
      market: 'spot',
      units: target.spot,
      strategy: spotStrategies[spot ?? 'lowestPrice'],
      poolCount: readPoolCount(config, spotStrategies[spot ?? 'lowestPrice'], invalidConfig),
      ...unbound,
    },
  ];
}

function readPools(call: ActionCall, config: Params, maxPrice: number | undefined, target: FleetTarget): FleetPool[] {
  const specifications = parts(config, 'LaunchSpecifications');
  const templates = parts(config, 'LaunchTemplateConfigs');
  if (specifications.length > 0 && templates.length > 0)
    throw invalidConfig('LaunchSpecifications and LaunchTemplateConfigs cannot be used together.');
  if (specifications.length === 0 && templates.length === 0)
    throw invalidConfig('Either LaunchSpecifications or LaunchTemplateConfigs must be given.');
  if (specifications.length === 0) return readTemplatePools(call, templates, { instant: false, maxPrice });
  if (target.onDemand > 0) throw invalidConfig('OnDemandTargetCapacity needs LaunchTemplateConfigs.');
  const pools = readSpecificationPools(specifications, maxPrice);
  checkDistinct(call, pools);
  return pools;
}

function checkRole(call: ActionCall, config: Params): void {
  const { region } = call.state;
  const role = text(config, 'IamFleetRole');
  if (role === undefined || role === '') throw missingParameter('SpotFleetRequestConfig.IamFleetRole');
  const [, partition] = /^arn:(aws[\w-]*):iam::\d{12}:role\/\S+$/.exec(role) ?? [];
  if (partition === undefined) throw invalidConfig(`IamFleetRole '${role}' is not the ARN of a role.`);
  if (partition !== partitionOf(region))
    throw invalidConfig(`IamFleetRole '${role}' is a role of another partition than ${partitionOf(region)}.`);
  checkPassed(call, callerAsLauncher(call, 'RequestSpotFleet'), role);
}

function invalidConfig(message: string): AwsError {
  return new AwsError('InvalidSpotFleetRequestConfig', message);
}
