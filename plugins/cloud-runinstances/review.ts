import type { Finding } from '../../core/index.ts';
import {
  machineShape,
  machineTypesOf,
  marketsOf,
  reviewCommon,
  reviewForm,
  reviewOverridden,
  strategyFinder,
  type CloudTemplate,
} from '../cloud/index.ts';

const lowestPrice = strategyFinder(['lowest-price'] as const);
const isLowestPrice = (strategy: unknown): boolean => lowestPrice(String(strategy)) !== undefined;

/** Reports what RunInstances cannot honor: everything that needs a fleet. */
export function review(given: object): Finding[] {
  const template = given as CloudTemplate;
  const form = reviewForm(template, machineShape);
  if (form.length > 0) return form;
  const findings = [
    ...reviewCommon(template, { machine: ['launch_template_spec', 'provider_api_spec'] }),
    ...reviewOverridden(template.provider_api_spec ?? {}, ['MinCount', 'MaxCount', 'ClientToken']),
  ];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  const warning = (path: string, message: string) => findings.push({ level: 'warning', path, message });

  if (template['fleet_type'] !== undefined) error('/fleet_type', 'needs a fleet; RunInstances creates none');
  if (template.instance_requirements !== undefined)
    error('/instance_requirements', 'needs a fleet; RunInstances takes named machine types only');
  const weights = new Set(Object.values(template.machine_types ?? {}));
  if (weights.size > 1)
    error('/machine_types', 'must all have the same weight; RunInstances counts machines, not capacity');
  else if (weights.size === 1 && !weights.has(1))
    warning('/machine_types', 'have a weight that has no effect; RunInstances counts machines');
  if (template.percent_on_demand !== undefined && template.percent_on_demand > 0 && template.percent_on_demand < 100) {
    error('/percent_on_demand', 'needs a fleet; RunInstances launches in one market at a time');
  }
  const choice = marketsOf(template).some((market) => machineTypesOf(template, market).length > 1);
  const spot = marketsOf(template).includes('spot');
  const severalPlaces = new Set(template.subnet_ids).size > 1;
  for (const field of ['allocation_strategy', 'allocation_strategy_on_demand', 'pools_count'] as const) {
    // With one type the on-demand price is the same in all subnets, and with one subnet there is nothing to choose.
    const chooses = choice || (severalPlaces && (spot || !isLowestPrice(template[field]))) || field === 'pools_count';
    if (template[field] !== undefined && chooses)
      warning(`/${field}`, 'has no effect; RunInstances tries machine types and subnets in the order of the template');
  }
  if (template['replace_lost'] === true)
    warning('/replace_lost', 'has no effect; only fleets of type maintain replace lost machines');
  return findings;
}
