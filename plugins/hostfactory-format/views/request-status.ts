import { isTerminal, type RequestRecord } from '../../../core/index.ts';

export const requestStatuses = ['running', 'complete', 'complete_with_error'] as const;

/**
 * The HostFactory status of a request. It is never terminal while the request is not, since HostFactory would give up
 * the good machines. After the end it depends on the machines that were delivered at the end, so that a machine lost
 * later does not change it.
 */
export function requestStatus(request: RequestRecord): (typeof requestStatuses)[number] {
  if (!isTerminal(request.status)) return 'running';
  if (request.status !== 'completed') return 'complete_with_error';
  if (request.kind === 'return')
    return (request.fulfilment?.shortfall.length ?? 0) === 0 ? 'complete' : 'complete_with_error';
  const delivered = request.fulfilment?.delivered ?? request.delivered;
  return delivered >= request.machine_count ? 'complete' : partialStatus(request);
}

/**
 * Some schedulers give up all machines of a request with an error, including the good ones. So a template may set
 * `partialStatus` to `complete`.
 */
const partialStatus = ({ template }: RequestRecord): (typeof requestStatuses)[number] =>
  template?.['partialStatus'] === 'complete' ? 'complete' : 'complete_with_error';
