import type { IdempotencyKey } from '../requests/idempotency.ts';
import type { Wanted } from '../requests/open.ts';
import type { Template } from '../model/template.ts';
import type { RequestDetail } from '../scheduler.ts';
import type { Strategy } from '../selection/candidate.ts';
import type { Services } from './services.ts';
import { preferenceOf } from './try-selection.ts';

/** What a caller of any face asks for. */
export interface Asked extends Omit<Wanted, 'template' | 'variants'> {
  readonly template_id: string;
  readonly request_id?: string;
  /** What this request makes of its template, beyond what every request does. */
  readonly adapt?: (template: Template) => Template;
  readonly provider_preference?: { readonly type?: Strategy; readonly provider_instance?: string; readonly provider_type?: string };
}

/** Opens a request for machines: template, selection, one durable write. */
export async function requestMachines(asked: Asked, services: Services, key: IdempotencyKey | undefined): Promise<RequestDetail> {
  const { templates, providers, requests } = services;
  const { request_id, template_id, provider_preference: preferred, adapt = (template) => template, ...rest } = asked;
  const template = templates.find(template_id) ?? (await templates.seek(template_id));
  const open_to = templates.openTo(template_id);
  const variants =
    open_to && Object.fromEntries(open_to.map((instance) => [instance, adapt(templates.forInstance(template_id, instance))]));
  const preference = preferred ? preferenceOf({ ...preferred, ...(preferred.type ? { selection_strategy: preferred.type } : {}) }) : {};
  return requests.open(
    { ...rest, template: adapt(template), ...(variants ? { variants } : {}) },
    (hashed) => providers.choose(template, hashed, rest.machine_count, preference, open_to),
    { ...(request_id === undefined ? {} : { request_id }), ...(key ? { key } : {}) },
  );
}
