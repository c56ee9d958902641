import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';

/** Pairs of attributes of which EC2 accepts only one. */
const exclusive = [
  ['AllowedInstanceTypes', 'ExcludedInstanceTypes'],
  ['SpotMaxPricePercentageOverLowestPrice', 'MaxSpotPriceAsPercentageOfOptimalOnDemandPrice'],
] as const;

/** Reports what EC2 would refuse in the attributes of machine types. */
export function reviewRequirements({
  instance_requirements: given,
  machine_type,
  machine_types,
}: CloudTemplate): Finding[] {
  if (given === undefined) return [];
  const path = '/instance_requirements';
  const findings: Finding[] = [];
  const error = (where: string, message: string) => findings.push({ level: 'error', path: where, message });
  if (Object.keys(machine_types ?? {}).length > 0)
    error(path, 'cannot be combined with machine_types and their weights');
  if (machine_type !== undefined)
    findings.push({ level: 'warning', path: '/machine_type', message: 'is not used beside instance_requirements' });
  for (const needed of ['VCpuCount', 'MemoryMiB']) if (!(needed in given)) error(`${path}/${needed}`, 'is needed');
  for (const [one, other] of exclusive)
    if (one in given && other in given) error(`${path}/${other}`, `cannot be combined with ${one}`);
  return findings;
}
