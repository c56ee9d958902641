import { isBrokerError, type BrokerError } from '../../contract/errors.ts';
import { newRequestId } from '../../model/ids.ts';
import { choose, type Chosen } from '../../providers/choose.ts';
import type { IdempotencyKey } from '../../requests/idempotency.ts';
import type { RequestInput } from '../../requests/open-request.ts';
import type { Placed, Template } from '../../model/template.ts';
import type { GivenIdentity } from '../../requests/request-service.ts';
import type { RequestDetail } from '../../contract/scheduler.ts';
import type { Strategy } from '../../selection/candidate.ts';
import type { Services } from '../services.ts';
import { preferenceOf } from '../providers/try-selection.ts';
import { selectTraced } from './select-traced.ts';

/** The input of a request for machines, from any interface. */
export interface RequestMachinesInput extends Omit<RequestInput, 'template' | 'variants'> {
  readonly template_id: string;
  readonly request_id?: string;
  /** Adapts the template for this request only. */
  readonly adapt?: (template: Template) => Template;
  readonly provider_preference?: {
    readonly type?: Strategy;
    readonly provider_instance?: string;
    readonly provider_type?: string;
  };
}

/** What happens to a request that was validated and for which an instance was selected. */
type Conclude<T> = (
  requests: Services['requests'],
  input: RequestInput,
  selection: Chosen,
  given: GivenIdentity & { readonly request_id: string; readonly selection_ms: number },
) => Promise<T>;

/** Accepts a request for machines: finds an earlier one, validates, admits, selects, and commits once. */
export const requestMachines = (
  call: RequestMachinesInput,
  services: Services,
  key: IdempotencyKey | undefined,
): Promise<RequestDetail> =>
  concludeRequest<RequestDetail>(call, services, key, (requests, input, selection, given) =>
    requests.create(input, selection, given),
  );

/**
 * The way of a request up to its commit, which `conclude` makes or leaves out. A request that an earlier call made is
 * returned instead.
 */
export async function concludeRequest<T>(
  call: RequestMachinesInput,
  services: Services,
  key: IdempotencyKey | undefined,
  conclude: Conclude<T>,
): Promise<T | RequestDetail> {
  const { templateLibrary, providers, requests, review, clock, tracer } = services;
  const {
    request_id = newRequestId(),
    template_id,
    provider_preference: preferred,
    adapt = (template) => template,
    ...rest
  } = call;
  if (!templateLibrary.find(template_id)) await templateLibrary.seek(template_id);
  const placed = templateLibrary.placed(template_id);
  const preference = preferred ? preferenceOf(asSelected(preferred), review) : {};
  const input = { ...rest, ...adapted(placed, adapt) };
  const given = { ...(key ? { key } : {}), ...(call.request_id === undefined ? {} : { request_id }) };

  tracer.annotate({ 'muster.template_id': template_id, 'muster.machine_count': rest.machine_count });
  const existing = await requests.existing(input, given);
  if (existing) return existing;
  await requests.admit(input);
  /** Selects an instance and concludes the request. `held`: machines that count against the limit of the template. */
  const selectAndConclude = (held: number): Promise<T> => {
    const started = clock.monotonic();
    const machines = { key: request_id, machine_count: rest.machine_count, held };
    const selection = selectTraced(() => choose(placed, machines, preference, providers), placed, services);
    const selection_ms = Math.round(clock.monotonic() - started);
    return conclude(requests, input, selection, { ...given, request_id, selection_ms });
  };
  try {
    return await selectAndConclude(0);
  } catch (error) {
    const held = isLimit(error) ? error.details['held'] : undefined;
    if (typeof held !== 'number' || providers.selectable.length === 1) throw error;
    // Another instance may allow more machines of the template than the selected one.
    try {
      return await selectAndConclude(held);
    } catch (second) {
      throw isLimit(second) ? error : second;
    }
  }
}

const asSelected = ({ type, ...others }: NonNullable<RequestMachinesInput['provider_preference']>) => ({
  ...others,
  ...(type ? { selection_strategy: type } : {}),
});

/** Adapts the template, and the template of each instance. */
function adapted({ template, variants }: Placed, adapt: (template: Template) => Template): Placed {
  const own =
    variants && Object.fromEntries(Object.entries(variants).map(([instance, each]) => [instance, adapt(each)]));
  return { template: adapt(template), ...(own ? { variants: own } : {}) };
}

const isLimit = (error: unknown): error is BrokerError =>
  isBrokerError(error) && error.code === 'INSTANCE_LIMIT_EXCEEDED';
