import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { mostPools } from '../launch/most-pools.ts';
import { machineTypesOf } from '../launch/pools.ts';

/** Security groups of one network interface, as many as AWS may be asked to allow. */
const mostGroups = 16;
/** No name of a machine type and no id is longer; each stands in every pool that it makes. */
const longestName = 64;
/**
 * Characters of `instance_requirements` as JSON: they stand in every override. AWS takes at most 400 types of 30
 * characters in each of two lists.
 */
const longestRequirements = 32_768;

/** Lists that are longer than AWS takes them, and what would make more pools than a fleet may have. */
export function reviewLists(template: CloudTemplate): Finding[] {
  const {
    subnet_ids = [],
    security_group_ids = [],
    machine_type,
    machine_types = {},
    instance_requirements,
  } = template;
  const findings: Finding[] = [];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  if (security_group_ids.length > mostGroups)
    error('/security_group_ids', `must not have more than ${mostGroups} entries`);
  const names = {
    subnet_ids,
    security_group_ids,
    machine_types: Object.keys(machine_types),
    machine_type: [machine_type ?? ''],
  };
  for (const [field, each] of Object.entries(names))
    if (each.some((name) => name.length > longestName))
      error(`/${field}`, `must not have names of more than ${longestName} characters`);
  if (instance_requirements !== undefined && JSON.stringify(instance_requirements).length > longestRequirements)
    error('/instance_requirements', `must not have more than ${longestRequirements} characters as JSON`);
  const pools = machineTypesOf(template).length * Math.max(1, new Set(subnet_ids).size);
  if (pools > mostPools)
    error(
      '/machine_types',
      `make ${pools} pools with subnet_ids; a template may have ${mostPools}, as many as a fleet of EC2`,
    );
  return findings;
}
