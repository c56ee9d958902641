import { isTerminal, type RequestRecord } from '../../../core/index.ts';

export const requestStatuses = ['running', 'complete', 'complete_with_error'] as const;

/**
 * HostFactory's word for the state of a request. Never terminal while the request is not: HostFactory would give up
 * the good machines. It rests on what was delivered when the request ended, so it does not change when a machine is
 * lost later. /
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
 * Some schedulers give up all machines of a request that has an error, the good ones too: a template may say that
 * fewer are `complete`.
 */
const partialStatus = ({ template }: RequestRecord): (typeof requestStatuses)[number] =>
  template?.['partialStatus'] === 'complete' ? 'complete' : 'complete_with_error';
