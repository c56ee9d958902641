import type { Finding } from '../../core/index.ts';
import {
  groupShape,
  machineTypesOf,
  marketsOf,
  reviewChoice,
  reviewCommon,
  reviewForm,
  reviewOverridden,
  reviewRequirements,
  type CloudTemplate,
} from '../cloud/index.ts';
import { replacementSettings } from './launch/processes.ts';
import { onDemandStrategies, onDemandStrategy, spotStrategies, spotStrategy } from './launch/strategies.ts';

/** The most Spot pools over which a group divides its machines. */
const maxSpotPools = 20;
/** The most machine types of a mixed instances policy. */
const maxTypes = 40;

const overridden = [
  'AutoScalingGroupName',
  'LaunchTemplate',
  'MinSize',
  'MaxSize',
  'DesiredCapacity',
  'NewInstancesProtectedFromScaleIn',
];

interface Policy {
  readonly LaunchTemplate?: { readonly Overrides?: readonly { readonly WeightedCapacity?: unknown }[] | null } | null;
}

const overridesPath = '/provider_api_spec/MixedInstancesPolicy/LaunchTemplate/Overrides';
const weightForm = /^[1-9]\d{0,2}$/;

/** Reports what an Auto Scaling group cannot honor. */
export function review(given: object): Finding[] {
  const template = given as CloudTemplate;
  const form = reviewForm(template, groupShape);
  if (form.length > 0) return form;
  const findings = [
    ...reviewCommon(template),
    ...reviewRequirements(template),
    ...reviewChoice(template),
    ...reviewOverridden(template.provider_api_spec ?? {}, overridden),
  ];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  const {
    allocation_strategy,
    allocation_strategy_on_demand,
    instance_requirements,
    provider_api_spec: native = {},
  } = template;

  const warning = (path: string, message: string) => findings.push({ level: 'warning', path, message });

  if (template['replace_lost'] === true)
    warning('/replace_lost', 'has no effect; muster turns off the replacement of machines in its groups');
  if (template['fleet_type'] !== undefined)
    error('/fleet_type', 'cannot be used with ASG: a group has no type. Remove it.');
  const markets = marketsOf(template);
  const types = machineTypesOf(template);
  for (const market of markets)
    if (machineTypesOf(template, market).length > maxTypes)
      error(
        market === markets[0] ? '/machine_types' : '/machine_types_on_demand',
        `must not have more than ${maxTypes} types, the most that a group takes`,
      );
  const asksSpot = markets.includes('spot');
  if (asksSpot && template.pools_count !== undefined && template.pools_count > maxSpotPools)
    error('/pools_count', `must not be more than ${maxSpotPools}, the most pools of a group`);
  if (markets.includes('capacity-block') && types.length > 1)
    error('/machine_types', 'must be one type with price_type capacity_block: a group uses no other market beside it');
  const spot = spotStrategy(allocation_strategy ?? '');
  const onDemand = onDemandStrategy(allocation_strategy_on_demand ?? '');
  if (allocation_strategy !== undefined && asksSpot && spot === undefined)
    error('/allocation_strategy', `must be one of ${spotStrategies.join(', ')}`);
  if (allocation_strategy_on_demand !== undefined && onDemand === undefined)
    error('/allocation_strategy_on_demand', `must be one of ${onDemandStrategies.join(', ')}`);

  if (instance_requirements !== undefined) {
    if (asksSpot && spot === 'capacity-optimized-prioritized')
      error('/allocation_strategy', 'needs named machine types: attributes have no order of priority');
    if (onDemand === 'prioritized')
      error('/allocation_strategy_on_demand', 'needs named machine types: attributes have no order of priority');
  }
  if ('DesiredCapacityType' in native && native['DesiredCapacityType'] !== 'units')
    error('/provider_api_spec/DesiredCapacityType', 'must be `units`: an order counts machines');
  for (const name of ['LaunchConfigurationName', 'InstanceId'])
    if (name in native)
      error(`/provider_api_spec/${name}`, 'cannot be used: groups are created from a launch template');
  const policy = native['MixedInstancesPolicy'] as Policy | null | undefined;
  for (const [index, { WeightedCapacity: weight }] of (policy?.LaunchTemplate?.Overrides ?? []).entries())
    if (weight !== undefined && weight !== null && !weightForm.test(String(weight)))
      error(`${overridesPath}/${index}/WeightedCapacity`, 'must be a whole number from 1 to 999');
  for (const name of replacementSettings)
    if (native[name] !== undefined && native[name] !== false && native[name] !== 0)
      warning(
        `/provider_api_spec/${name}`,
        'has no effect; muster turns off the replacement of machines in its groups',
      );
  return findings;
}
