import { isBrokerError, type ServiceAccess } from '../../../core/index.ts';
import type { SlurmSettings } from '../settings.ts';
import { orderKey, type OrderState } from './records.ts';

/** Refusals that another call may not get. */
const passing: ReadonlySet<string> = new Set(['UNAVAILABLE', 'RATE_LIMITED', 'CONFLICT', 'INTERNAL']);

/**
 * Makes the request of an order. Repeatable: the same order has the same request. A refusal for good is stored with
 * the order, so that its nodes are given up; any other failure is repeated by the next comparison.
 */
export async function placeOrder(
  { settings, records, call, log }: ServiceAccess<SlurmSettings>,
  { value: order, version }: { readonly value: OrderState; readonly version: number },
): Promise<void> {
  const { request_id, template: template_id, names, all_or_nothing, job } = order;
  try {
    await call('create_request', {
      request_id,
      template_id,
      machine_count: names.length,
      names,
      partial: all_or_nothing ? 'all_or_nothing' : 'best_effort',
      timeout: settings.request_timeout,
      additional_data: { slurm_cluster: settings.cluster, ...(job === undefined ? {} : { slurm_job: job }) },
    });
  } catch (error) {
    if (!isBrokerError(error)) throw error;
    const { code, message } = error;
    if (passing.has(code)) return log.warn({ request_id, code }, `The request for nodes waits: ${message}`);
    log.warn({ request_id, code }, `The request for nodes was refused: ${message}`);
    const key = orderKey(settings.cluster, request_id);
    await records.commit([{ key, version, value: { ...order, refused: { code, message } } }]);
  }
}
