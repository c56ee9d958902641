import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from '../fields.ts';
import { marketsOf } from '../pools.ts';
import { reviewCommon } from '../review.ts';
import { isStanding } from './fleet-port.ts';
import { onDemandStrategies, onDemandStrategy, spotStrategies, spotStrategy } from './strategies.ts';

/** What neither EC2 Fleet nor Spot Fleet can honour. `types`: the fleet types that the API has. */
export function reviewFleet(template: CloudTemplate, types: readonly string[]): Finding[] {
  const findings = reviewCommon(template);
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });

  const fleetType = template['fleet_type'];
  if (fleetType !== undefined && !types.includes(String(fleetType)))
    error('/fleet_type', `'${String(fleetType)}' is not served; ${types.join(', ')} are`);
  const { allocation_strategy, allocation_strategy_on_demand, instance_requirements } = template;
  if (allocation_strategy !== undefined && marketsOf(template).includes('spot') && spotStrategy(allocation_strategy) === undefined) {
    error('/allocation_strategy', `must be one of ${spotStrategies.join(', ')}`);
  }
  if (allocation_strategy_on_demand !== undefined && onDemandStrategy(allocation_strategy_on_demand) === undefined) {
    error('/allocation_strategy_on_demand', `must be one of ${onDemandStrategies.join(', ')}`);
  }
  if (instance_requirements !== undefined) {
    if (Object.keys(template.machine_types ?? {}).length > 0) error('/instance_requirements', 'cannot stand beside machine_types');
    for (const needed of ['VCpuCount', 'MemoryMiB'])
      if (!(needed in instance_requirements)) error(`/instance_requirements/${needed}`, 'is needed');
  }
  const native = template.provider_api_spec ?? {};
  const capacity = (native['TargetCapacitySpecification'] ?? native['SpotFleetRequestConfig'] ?? native) as {
    readonly TargetCapacityUnitType?: unknown;
  };
  if (capacity.TargetCapacityUnitType !== undefined && capacity.TargetCapacityUnitType !== 'units')
    error('/provider_api_spec', 'must not count capacity otherwise than in units: machine_count means machines');
  if (isStanding(fleetType ?? types[0]) && template.launch_template_spec?.['InstanceMarketOptions'] !== undefined)
    error('/launch_template_spec/InstanceMarketOptions', 'cannot stand in the launch template of a fleet; price_type says the market');
  return findings;
}
