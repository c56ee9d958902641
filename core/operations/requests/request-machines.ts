import { isBrokerError } from '../../contract/errors.ts';
import { choose } from '../../providers/choose.ts';
import type { IdempotencyKey } from '../../requests/idempotency.ts';
import type { RequestInput } from '../../requests/open-request.ts';
import type { Template } from '../../model/template.ts';
import type { RequestDetail } from '../../contract/scheduler.ts';
import type { Strategy } from '../../selection/candidate.ts';
import type { Services } from '../services.ts';
import { preferenceOf } from '../providers/try-selection.ts';

/** What a caller of any face asks for. */
export interface RequestMachinesInput extends Omit<RequestInput, 'template' | 'variants'> {
  readonly template_id: string;
  readonly request_id?: string;
  /** What this request makes of its template, beyond what every request does. */
  readonly adapt?: (template: Template) => Template;
  readonly provider_preference?: { readonly type?: Strategy; readonly provider_instance?: string; readonly provider_type?: string };
}

/** Opens a request for machines: template, selection, one durable write. */
export async function requestMachines(
  asked: RequestMachinesInput,
  services: Services,
  key: IdempotencyKey | undefined,
): Promise<RequestDetail> {
  const { templates, providers, requests, review } = services;
  const { request_id, template_id, provider_preference: preferred, adapt = (template) => template, ...rest } = asked;
  if (!templates.find(template_id)) await templates.seek(template_id);
  const placed = templates.placed(template_id);
  const { template, variants } = placed;
  const adapted = variants && Object.fromEntries(Object.entries(variants).map(([instance, own]) => [instance, adapt(own)]));
  const preference = preferred
    ? preferenceOf({ ...preferred, ...(preferred.type ? { selection_strategy: preferred.type } : {}) }, review)
    : {};
  const open = (held: number) =>
    requests.open(
      { ...rest, template: adapt(template), ...(adapted ? { variants: adapted } : {}) },
      (hashed) => choose(placed, { key: hashed, machine_count: rest.machine_count, held }, preference, providers),
      { ...(request_id === undefined ? {} : { request_id }), ...(key ? { key } : {}) },
    );
  try {
    return await open(0);
  } catch (error) {
    const held = isBrokerError(error) && error.code === 'INSTANCE_LIMIT_EXCEEDED' ? error.details['held'] : undefined;
    if (typeof held !== 'number' || providers.instances.length === 1) throw error;
    // Another instance may allow more of the template than the one that was chosen.
    return open(held).catch((second: unknown) => Promise.reject(refusedAlike(second) ? error : second));
  }
}

const refusedAlike = (error: unknown): boolean => isBrokerError(error) && error.code === 'INSTANCE_LIMIT_EXCEEDED';
