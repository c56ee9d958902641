import type { Template } from '../../../core/model/template.ts';
import { candidatesOf } from '../../../core/providers/choose.ts';
import type { TemplateDetail } from '../../../core/contract/scheduler.ts';
import type { Services } from '../../../core/operations/services.ts';
import type { Script } from '../client/script.ts';

/**
 * What can be asked for, from memory: the scheduler takes a provider for dead that does not answer this, whatever the
 * cloud does.
 */
export const getAvailableTemplates: Script = async ({ instance, services, strategy }) => {
  const { templates, clock } = services;
  const all = templates
    .list()
    .items.filter(({ template }) => instance === undefined || isOpen(template, instance, services));
  const items = await Promise.all(all.map((known) => detail(known, instance, services)));
  return strategy.templates.render({ items, total_count: items.length, at: clock.now() });
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

async function detail(
  known: TemplateDetail,
  instance: string | undefined,
  services: Services,
): Promise<TemplateDetail> {
  const { template } = known;
  const machine_type = services.providers.machineTypeOf(template);
  const available = await availableOf(template, instance, services);
  return { ...known, ...(machine_type ? { machine_type } : {}), ...(available === undefined ? {} : { available }) };
}

/**
 * What the widest bound leaves, and nothing while all that the template allows lacked capacity so lately that it is
 * not asked again yet.
 */
async function availableOf(
  { template_id }: Template,
  instance: string | undefined,
  { providers, templates, inventory, clock }: Services,
): Promise<number | undefined> {
  const serving = candidatesOf(templates.placed(template_id), providers).filter(
    ({ name, enabled }) => enabled && (instance === undefined || name === instance),
  );
  const now = clock.now();
  if (serving.length > 0 && serving.every(({ lacking }) => lacking && lacking.tried_again_at > now)) return 0;
  const bounds = serving.map(({ limits }) => limits.find(({ by }) => by === 'template')?.most ?? Infinity);
  const widest = Math.max(...bounds);
  if (!Number.isFinite(widest)) return undefined;
  return Math.max(0, widest - (await inventory.alive(template_id)));
}
