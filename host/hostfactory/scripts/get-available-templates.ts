import type { Template } from '../../../core/model/template.ts';
import type { TemplateDetail } from '../../../core/scheduler.ts';
import type { Services } from '../../../core/operations/services.ts';
import type { Script } from '../script.ts';

/** What can be asked for, from memory: the scheduler takes a provider for dead that does not answer this, whatever the cloud does. */
export const getAvailableTemplates: Script = async ({ instance, services, words }) => {
  const { templates, clock } = services;
  const all = templates.list().items.filter(({ template }) => instance === undefined || isOpen(template, instance, services));
  const items = await Promise.all(all.map((known) => detail(known, instance, services)));
  return words.templates.render({ items, total_count: items.length, at: clock.now() });
};

/** Requests of a provider that is an instance go there: what another one alone may serve is not offered. */
function isOpen(template: Template, name: string, { providers, templates }: Services): boolean {
  const instance = providers.require(name);
  const open = templates.openTo(template.template_id);
  if (open && !open.includes(name)) return false;
  if (template.provider_name !== undefined && template.provider_name !== name && !open) return false;
  if (template.provider_type !== undefined && template.provider_type !== instance.type) return false;
  return providers.apiOf(template, name) !== undefined;
}

async function detail(known: TemplateDetail, instance: string | undefined, services: Services): Promise<TemplateDetail> {
  const { template } = known;
  const machine_type = services.providers.machineTypeOf(template);
  const available = await availableOf(template, instance, services);
  return { ...known, ...(machine_type ? { machine_type } : {}), ...(available === undefined ? {} : { available }) };
}

/** What a bound leaves, and nothing while everything that the template allows was lately without capacity. */
async function availableOf(
  template: Template,
  instance: string | undefined,
  { providers, inventory }: Services,
): Promise<number | undefined> {
  const { template_id, max_instances = -1 } = template;
  const candidates = providers.candidates(template).filter(({ name, enabled }) => enabled && (instance === undefined || name === instance));
  if (candidates.length > 0 && candidates.every(({ without_capacity }) => without_capacity)) return 0;
  if (max_instances < 0) return undefined;
  return Math.max(0, max_instances - (await inventory.alive(template_id)));
}
