import type { Template } from '../../../core/model/template.ts';
import { candidatesOf } from '../../../core/providers/choose.ts';
import type { TemplateDetail } from '../../../core/contract/scheduler.ts';
import type { Services } from '../../../core/operations/services.ts';
import type { Script } from '../client/script.ts';

/**
 * Returns the templates, from memory: the scheduler considers a provider dead that does not answer this call, whatever
 * the state of the cloud is.
 */
export const getAvailableTemplates: Script = async ({ instance, services, strategy }) => {
  const { templateLibrary, clock } = services;
  const all = templateLibrary
    .list()
    .items.filter(({ template }) => instance === undefined || isOpen(template, instance, services));
  const items = await Promise.all(all.map((known) => detail(known, instance, services)));
  return strategy.templates.render({ items, total_count: items.length, at: clock.now() });
};

/**
 * Whether a template may be requested from the instance of the scheduler's provider. Templates that only another
 * instance serves are not offered.
 */
function isOpen(template: Template, name: string, { providers, templateLibrary }: Services): boolean {
  const instance = providers.require(name);
  const open = templateLibrary.openTo(template.template_id);
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
 * Returns how many machines are available: the widest limit of the template minus its active machines; 0 while all its
 * offers lacked capacity and are not retried yet.
 */
async function availableOf(
  { template_id }: Template,
  instance: string | undefined,
  { providers, templateLibrary, inventory, clock }: Services,
): Promise<number | undefined> {
  const serving = candidatesOf(templateLibrary.placed(template_id), providers).filter(
    ({ name, enabled }) => enabled && (instance === undefined || name === instance),
  );
  const now = clock.now();
  if (serving.length > 0 && serving.every(({ without_capacity: without }) => without && without.tried_again_at > now))
    return 0;
  const bounds = serving.map(({ limits }) => limits.find(({ by }) => by === 'template')?.most ?? Infinity);
  const widest = Math.max(...bounds);
  if (!Number.isFinite(widest)) return undefined;
  return Math.max(0, widest - (await inventory.alive(template_id)));
}
