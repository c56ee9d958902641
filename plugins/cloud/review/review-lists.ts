import type { Finding } from '../../../core/index.ts';
import { maxPools, type CloudTemplate } from '../template/fields.ts';
import { machineTypesOf, marketsOf } from '../launch/pools.ts';

/** The most security groups of one network interface, after a quota increase by AWS. */
const maxGroups = 16;
/** The longest name of a machine type or id. Each is part of every pool that uses it. */
const maxNameLength = 64;
/**
 * The most characters of `instance_requirements` as JSON, which is part of every override. AWS accepts at most 400
 * types of 30 characters in each of two lists.
 */
const maxRequirementsLength = 32_768;

/** Reports lists that are longer than AWS accepts, and templates with more pools than a fleet may have. */
export function reviewLists(template: CloudTemplate): Finding[] {
  const {
    subnet_ids = [],
    security_group_ids = [],
    machine_type,
    machine_types = {},
    machine_types_on_demand = {},
    instance_requirements,
  } = template;
  const findings: Finding[] = [];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  if (security_group_ids.length > maxGroups)
    error('/security_group_ids', `must not have more than ${maxGroups} entries`);
  const names = {
    subnet_ids,
    security_group_ids,
    machine_types: Object.keys(machine_types),
    machine_types_on_demand: Object.keys(machine_types_on_demand),
    machine_type: [machine_type ?? ''],
  };
  for (const [field, each] of Object.entries(names))
    if (each.some((name) => name.length > maxNameLength))
      error(`/${field}`, `must not have names of more than ${maxNameLength} characters`);
  if (instance_requirements !== undefined && JSON.stringify(instance_requirements).length > maxRequirementsLength)
    error('/instance_requirements', `must not have more than ${maxRequirementsLength} characters as JSON`);
  for (const market of marketsOf(template)) {
    const pools = machineTypesOf(template, market).length * Math.max(1, new Set(subnet_ids).size);
    if (pools <= maxPools) continue;
    const own = market === 'on-demand' && Object.keys(machine_types_on_demand).length > 0;
    error(
      own ? '/machine_types_on_demand' : '/machine_types',
      `make ${pools} pools with subnet_ids; a template may have ${maxPools}, the limit of a fleet in EC2`,
    );
    break;
  }
  return findings;
}
