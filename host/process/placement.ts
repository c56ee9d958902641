import type { Template } from '../../core/model/template.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import type { ProviderDirectory } from '../../core/providers/directory.ts';
import type { Placement } from '../../core/templates/select-page.ts';

/** Instances in the order in which lists take them for preferred: lower priority number, then higher weight, then name. Requests of equals are shared out by weight. */
export function inPreference(instances: readonly ProviderInstance[]): readonly ProviderInstance[] {
  return instances.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight || (a.name < b.name ? -1 : 1));
}

/** What would serve a template by default, health and limits aside: lists are filtered by it where the template itself says nothing. */
export function placementOf(template: Template, providers: ProviderDirectory): Placement {
  const instance = inPreference(providers.instances).find(
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
