import { BrokerError } from '../contract/errors.ts';
import { isError, sentences } from '../contract/findings.ts';
import { variantFor, type Placed } from '../model/template.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { Preference } from '../model/request.ts';
import type { Template } from '../model/template.ts';
import type { Candidate, MachineLimit, Selection, SelectionQuery } from '../selection/candidate.ts';
import { rank, select, type Ranking } from '../selection/select.ts';
import type { ProviderDirectory } from './directory.ts';

/** Who asks, and for how much. */
export type SelectionInput = Pick<SelectionQuery, 'key' | 'machine_count' | 'held'>;

/** What was chosen, and what it was chosen by. */
export interface Chosen extends Selection {
  readonly preference?: Preference;
  /** The template as the chosen instance sees it: what a request fixes when it is accepted comes from here. */
  readonly seen?: Template;
}

/** What selection knows of the instances that a template is open to. */
export function candidatesOf(placed: Placed, directory: ProviderDirectory): readonly Candidate[] {
  const open = directory.instances.filter(({ name }) => placed.variants === undefined || Object.hasOwn(placed.variants, name));
  return open.map((instance) => candidate(variantFor(placed, instance.name), instance, directory));
}

/**
 * Chooses an instance for a template. The preference beats the template; refuses as `select` does, and with TEMPLATE_INVALID when the API of no instance that
 * could serve it can honour the template.
 */
export function choose(placed: Placed, asked: SelectionInput, preference: Preference, directory: ProviderDirectory): Chosen {
  const selection = chooseAtAll(placed, asked, preference, directory);
  const { provider_instance } = selection;
  const instance = directory.require(provider_instance);
  const template = variantFor(placed, provider_instance);
  const findings = directory.review(template, instance).filter(isError);
  if (findings.length > 0) {
    const { template_id } = template;
    const message = `Template '${template_id}' cannot be served by '${provider_instance}': ${sentences(findings)}`;
    throw new BrokerError('TEMPLATE_INVALID', message, { template_id, provider_instance, findings });
  }
  return { ...selection, preference, seen: directory.templateFor(template, instance) };
}

/** As `choose`, whatever the chosen instance cannot honour. A preferred type that is not the template's is refused with PROVIDER_TYPE_MISMATCH. */
export function chooseAtAll(placed: Placed, asked: SelectionInput, preference: Preference, directory: ProviderDirectory): Selection {
  requireOneType(placed.template, preference.provider_type);
  return select(queryOf(placed, asked, preference, directory), candidatesOf(placed, directory));
}

/** All instances in the order in which they would serve it, whether they answer at present or not. Refuses nothing. */
export function rankAll(placed: Placed, asked: SelectionInput, preference: Preference, directory: ProviderDirectory): Ranking {
  const candidates = candidatesOf(placed, directory).map(({ unhealthy: _unhealthy, ...rest }) => rest);
  return rank(queryOf(placed, asked, preference, directory), candidates);
}

function queryOf({ template }: Placed, asked: SelectionInput, preference: Preference, directory: ProviderDirectory): SelectionQuery {
  const { strategy } = preference;
  // Balancing or choosing by API means not to take the one that the template names.
  const byTemplate = strategy === undefined || strategy === 'explicit';
  const provider_instance = preference.provider_instance ?? (byTemplate ? template.provider_name : undefined);
  const provider_type = preference.provider_type ?? template.provider_type;
  const provider_api = directory.namedApi(template);
  return {
    ...asked,
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
  const lacking = lackingFor(template, instance, directory);
  return {
    name,
    type,
    enabled,
    ...(health.status === 'unhealthy' ? { unhealthy: health.message ?? 'it does not answer' } : {}),
    priority,
    weight,
    apis: directory.apis(name).map((api) => api.name),
    ...(required_api === undefined ? {} : { required_api }),
    limits: limitsOf(template, instance, directory),
    ...(unfit === undefined ? {} : { unfit }),
    ...(lacking ? { lacking } : {}),
  };
}

/** What bounds the machines of one request at an instance. */
export function limitsOf(template: Template, instance: ProviderInstance, directory: ProviderDirectory): readonly MachineLimit[] {
  const api = directory.apiOf(template, instance.name);
  const { max_instances = -1 } = directory.templateFor(template, instance);
  return [
    { most: instance.limits.max_instances_per_request, by: 'instance' },
    ...(api ? [{ most: api.capabilities.max_instances, by: 'api' } as const] : []),
    ...(max_instances >= 0 ? [{ most: max_instances, by: 'template' } as const] : []),
  ];
}

function unfitFor(template: Template, instance: ProviderInstance, directory: ProviderDirectory): string | undefined {
  // It is left alone: nothing is asked of it, and nothing held against it.
  if (!instance.enabled || directory.quarantined(instance.name, template.template_id)) return undefined;
  const findings = directory.review(template, instance).filter(isError);
  return findings.length === 0 ? undefined : sentences(findings);
}

/** It lacks capacity when every offer did, the last of them a moment ago or longer. */
function lackingFor(template: Template, instance: ProviderInstance, directory: ProviderDirectory): Candidate['lacking'] {
  const api = directory.apiOf(template, instance.name);
  if (!api || !directory.anyWithoutCapacity(instance.name) || directory.quarantined(instance.name, template.template_id)) return undefined;
  const { offers = [], short } = directory.offersOf(template, instance, api);
  if (offers.length === 0 || short.size < offers.length) return undefined;
  return { tried_again_at: Math.min(...[...short.values()].map(({ tried_again_at }) => tried_again_at)) };
}

function requireOneType({ template_id, provider_type }: Template, preferred: string | undefined): void {
  if (preferred === undefined || provider_type === undefined || preferred === provider_type) return;
  const message = `Template '${template_id}' is for provider type '${provider_type}', not '${preferred}'.`;
  throw new BrokerError('PROVIDER_TYPE_MISMATCH', message, { template_id, requested_provider: preferred });
}
