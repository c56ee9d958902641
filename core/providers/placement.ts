import type { Template } from '../model/template.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { ProviderDirectory } from './directory.ts';
import type { Placement } from '../templates/select-page.ts';

/**
 * Orders instances by preference for lists: lower priority number, then higher weight, then name. Requests choose
 * among instances of equal priority by weight instead.
 */
export function byPreference(instances: readonly ProviderInstance[]): readonly ProviderInstance[] {
  return instances.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight || (a.name < b.name ? -1 : 1));
}

/**
 * Returns the provider that would serve a template by default, without regard to health and limits. List filters use
 * it when the template itself does not set the fields.
 */
export function placementOf(template: Template, providers: ProviderDirectory): Placement {
  const instance = byPreference(providers.instances).find(
    (each) =>
      each.enabled &&
      (template.provider_name ?? each.name) === each.name &&
      (template.provider_type ?? each.type) === each.type &&
      providers.apiOf(template, each.name) !== undefined,
  );
  const { provider_name } = template;
  if (!instance) return template;
  const api = providers.apiOf(template, instance.name);
  return {
    provider_type: instance.type,
    ...(api ? { provider_api: api.name } : {}),
    ...(provider_name === undefined ? {} : { provider_name }),
  };
}
