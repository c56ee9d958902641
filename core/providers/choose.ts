import { BrokerError } from '../contract/errors.ts';
import { isError, sentences } from '../contract/findings.ts';
import { variantFor, type Placed, type Template } from '../model/template.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { Preference } from '../model/request.ts';
import type { Candidate, MachineLimit, Selection, SelectionQuery } from '../selection/candidate.ts';
import { rank, select, type Ranking } from '../selection/select.ts';
import type { ProviderDirectory } from './directory.ts';

/** The request that an instance is selected for. */
export type SelectionInput = Pick<SelectionQuery, 'key' | 'machine_count' | 'held'>;

/** A selection with its criteria. */
export interface Chosen extends Selection {
  readonly preference?: Preference;
  /** The template with the defaults of the selected instance: the source of the terms that the request keeps. */
  readonly seen?: Template;
}

/** The candidates for a template: the instances that may serve it. */
export function candidatesOf(
  placed: Placed,
  directory: ProviderDirectory,
  instances = directory.selectable,
): readonly Candidate[] {
  const open = instances.filter(({ name }) => placed.variants === undefined || Object.hasOwn(placed.variants, name));
  return open.map((instance) => candidate(variantFor(placed, instance.name), instance, directory));
}

/**
 * Selects an instance for a template. The preference overrides the template. Throws as `select` does, and
 * TEMPLATE_INVALID when no eligible instance has an API that can honor the template.
 */
export function choose(
  placed: Placed,
  input: SelectionInput,
  preference: Preference,
  directory: ProviderDirectory,
): Chosen {
  const selection = chooseUnreviewed(placed, input, preference, directory);
  const { provider_instance } = selection;
  const instance = directory.requireSelectable(provider_instance);
  const template = variantFor(placed, provider_instance);
  const findings = directory.review(template, instance).filter(isError);
  if (findings.length > 0) {
    const { template_id } = template;
    const message = `Template '${template_id}' cannot be served by '${provider_instance}': ${sentences(findings)}`;
    throw new BrokerError('TEMPLATE_INVALID', message, { template_id, provider_instance, findings });
  }
  return { ...selection, preference, seen: directory.templateFor(template, instance) };
}

/**
 * As `choose`, but without the check whether the API of the selected instance can honor the template. Throws
 * PROVIDER_TYPE_MISMATCH when the preferred type is not the type of the template.
 */
export function chooseUnreviewed(
  placed: Placed,
  input: SelectionInput,
  preference: Preference,
  directory: ProviderDirectory,
): Selection {
  requireOneType(placed.template, preference.provider_type);
  return select(queryOf(placed, input, preference, directory), candidatesOf(placed, directory));
}

/** The instances in the order in which they would serve the request, healthy or not. Throws nothing. */
export function rankAll(
  placed: Placed,
  input: SelectionInput,
  preference: Preference,
  directory: ProviderDirectory,
  instances = directory.selectable,
): Ranking {
  const candidates = candidatesOf(placed, directory, instances).map(({ unhealthy: _unhealthy, ...rest }) => rest);
  return rank(queryOf(placed, input, preference, directory), candidates);
}

function queryOf(
  { template }: Placed,
  input: SelectionInput,
  preference: Preference,
  directory: ProviderDirectory,
): SelectionQuery {
  const { strategy } = preference;
  // The strategies that distribute load ignore the instance that the template names.
  const byTemplate = strategy === undefined || strategy === 'explicit';
  const provider_instance = preference.provider_instance ?? (byTemplate ? template.provider_name : undefined);
  const provider_type = preference.provider_type ?? template.provider_type;
  const provider_api = directory.namedApi(template);
  return {
    ...input,
    ...(strategy === undefined ? {} : { strategy }),
    ...(provider_instance === undefined ? {} : { provider_instance }),
    ...(provider_type === undefined ? {} : { provider_type }),
    ...(provider_api === undefined ? {} : { provider_api }),
  };
}

function candidate(template: Template, instance: ProviderInstance, directory: ProviderDirectory): Candidate {
  const { name, type, enabled, priority, weight } = instance;
  const health = directory.health(name);
  const required_api = directory.namedApi(directory.templateFor(template, instance));
  const unfit = unfitFor(template, instance, directory);
  const without_capacity = withoutCapacity(template, instance, directory);
  return {
    name,
    type,
    enabled,
    ...(health.status === 'unhealthy' ? { unhealthy: health.message ?? 'it does not answer' } : {}),
    priority,
    weight,
    apis: directory.apiNames(name),
    ...(required_api === undefined ? {} : { required_api }),
    limits: limitsOf(template, instance, directory),
    ...(unfit === undefined ? {} : { unfit }),
    ...(without_capacity ? { without_capacity } : {}),
  };
}

/** The limits on the machines of one request at an instance. */
export function limitsOf(
  template: Template,
  instance: ProviderInstance,
  directory: ProviderDirectory,
): readonly MachineLimit[] {
  const api = directory.apiOf(template, instance.name);
  const { max_instances = -1 } = directory.templateFor(template, instance);
  return [
    { most: instance.limits.max_instances_per_request, by: 'instance' },
    ...(api ? [{ most: api.capabilities.max_instances, by: 'api' } as const] : []),
    ...(max_instances >= 0 ? [{ most: max_instances, by: 'template' } as const] : []),
  ];
}

function unfitFor(template: Template, instance: ProviderInstance, directory: ProviderDirectory): string | undefined {
  // A quarantined instance is not asked, and counts as fit.
  if (!instance.enabled || directory.quarantined(instance.name, template.template_id)) return undefined;
  const findings = directory.review(template, instance).filter(isError);
  return findings.length === 0 ? undefined : sentences(findings);
}

/** An instance lacks capacity when every offer for the template lacked it recently. */
function withoutCapacity(
  template: Template,
  instance: ProviderInstance,
  directory: ProviderDirectory,
): Candidate['without_capacity'] {
  const api = directory.apiOf(template, instance.name);
  if (
    !api ||
    !directory.hasOfferShortfalls(instance.name) ||
    directory.quarantined(instance.name, template.template_id)
  )
    return undefined;
  const { offers = [], shortfalls } = directory.offersOf(template, instance, api);
  if (offers.length === 0 || shortfalls.size < offers.length) return undefined;
  return { tried_again_at: Math.min(...[...shortfalls.values()].map(({ tried_again_at }) => tried_again_at)) };
}

function requireOneType({ template_id, provider_type }: Template, preferred: string | undefined): void {
  if (preferred === undefined || provider_type === undefined || preferred === provider_type) return;
  const message = `Template '${template_id}' is for provider type '${provider_type}', not '${preferred}'.`;
  throw new BrokerError('PROVIDER_TYPE_MISMATCH', message, { template_id, requested_provider: preferred });
}
