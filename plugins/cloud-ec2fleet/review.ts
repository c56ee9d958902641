import type { Finding } from '../../core/index.ts';
import { reviewCommon, type CloudTemplate } from '../cloud/index.ts';
import { wants } from './capacity.ts';
import { onDemandStrategies, onDemandStrategy, spotStrategies, spotStrategy } from './strategies.ts';

/** What EC2 Fleet cannot honour. */
export function review(given: object): Finding[] {
  const template = given as CloudTemplate;
  const findings = reviewCommon(template);
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });

  const fleetType = template['fleet_type'];
  if (fleetType !== undefined && fleetType !== 'instant') error('/fleet_type', `'${String(fleetType)}' is not served; instant is`);
  const { allocation_strategy, allocation_strategy_on_demand, instance_requirements } = template;
  if (allocation_strategy !== undefined && wants(template, 'spot') && spotStrategy(allocation_strategy) === undefined) {
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
  return findings;
}
