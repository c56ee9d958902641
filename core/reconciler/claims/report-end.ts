import type { Log } from '../../contract/log.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';

/** Whether a change ended the request. `before` is absent for a request that ended at its creation. */
export const hasEnded = (before: RequestRecord | undefined, { status }: RequestRecord): boolean =>
  isTerminal(status) && (before === undefined || !isTerminal(before.status));

/**
 * Logs the end of a request or return in one line: result, number, duration, and the reasons for missing machines.
 */
export function reportEnd(log: Log, request: RequestRecord): void {
  const { request_id, kind, status, template_id, provider_instance, machine_count, delivered, fulfilment, message } =
    request;
  const took = (request.completed_at ?? request.created_at) - request.created_at - (request.shifted_ms ?? 0);
  const seconds = Math.max(0, Math.round(took / 100) / 10);
  const shortfall = (fulfilment?.shortfall ?? []).map((each) => ({
    kind: each.kind,
    code: each.code,
    count: each.count,
  }));
  const about = {
    request_id,
    kind,
    status,
    template_id,
    provider_instance,
    requested: machine_count,
    ...(kind === 'provision' ? { delivered } : { gone: fulfilment?.delivered ?? machine_count }),
    seconds,
    ...(shortfall.length > 0 ? { shortfall } : {}),
  };
  log.info(
    about,
    `${kind === 'return' ? 'Return' : 'Request'} ${request_id} ${status} after ${seconds} s: ${message}`,
  );
}
