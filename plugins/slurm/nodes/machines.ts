import type { MachineAnswer, RequestAnswer, ServiceAccess } from '../../../core/index.ts';

/** A request for the machines of nodes, as the broker answers it. */
export interface OrderedRequest {
  readonly request_id: string;
  readonly isOver: boolean;
  /** Why machines are missing. */
  readonly why?: { readonly code: string; readonly message: string; readonly lacksCapacity: boolean };
  readonly machines: readonly MachineAnswer[];
}

/** The most requests of one call. */
const requestsAtOnce = 200;
const over = new Set(['completed', 'failed', 'cancelled']);
const ended = new Set(['terminated', 'failed', 'shutting-down', 'stopping', 'stopped']);

/** Whether a machine is there or coming, as far as muster knows, and no return of it was asked for. */
export const isKept = ({ status, return_id }: MachineAnswer): boolean => !ended.has(status) && return_id === undefined;

/** Whether a machine may still run: also one that is being returned. */
export const mayLive = ({ status }: MachineAnswer): boolean => status !== 'terminated';

/** The name under which `create_return_request` knows a machine. */
export const machineName = ({ provider_instance, machine_id }: MachineAnswer): string =>
  `${provider_instance}/${machine_id}`;

/** The requests with their machines, by id. Requests that do not exist are missing. */
export async function readRequests(
  { call }: Pick<ServiceAccess, 'call'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OrderedRequest>> {
  const found = new Map<string, OrderedRequest>();
  for (let at = 0; at < ids.length; at += requestsAtOnce) {
    const request_ids = ids.slice(at, at + requestsAtOnce);
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const answer: { requests: RequestAnswer[]; next_offset?: number } = await call('get_requests', {
        request_ids,
        long: true,
        offset,
      });
      for (const request of answer.requests) found.set(request.request_id, orderedRequest(request));
      offset = answer.next_offset;
    }
  }
  return found;
}

function orderedRequest({ request_id, status, fulfilment, message, machines = [] }: RequestAnswer): OrderedRequest {
  const isOver = over.has(status);
  const shortfall = fulfilment?.shortfall ?? [];
  const [first] = shortfall;
  const isShort = isOver && (shortfall.length > 0 || status !== 'completed');
  return {
    request_id,
    isOver,
    ...(isShort
      ? {
          why: {
            code: first?.code ?? status.toUpperCase(),
            message: first?.message ?? message,
            lacksCapacity: shortfall.some(({ kind }) => kind === 'capacity' || kind === 'quota'),
          },
        }
      : {}),
    machines,
  };
}
