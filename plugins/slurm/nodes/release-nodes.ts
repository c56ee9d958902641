import { isBrokerError, type ServiceAccess } from '../../../core/index.ts';
import { isKept, machineName, type OrderedRequest } from './machines.ts';
import type { ClusterRecords } from './records.ts';

/** What has to go of one request: machines, or the whole of it while none of its nodes is on. */
export interface Release {
  readonly request_id: string;
  readonly cancel: boolean;
  readonly machines: readonly string[];
}

/** Whether a name of an order is still the order of its node. */
export const isWanted = ({ nodes }: ClusterRecords, request_id: string, name: string): boolean => {
  const node = nodes.get(name)?.value;
  return node?.state === 'on' && node.order === request_id;
};

/**
 * What has to be released: the machines of nodes that are off, or that have a newer order, and requests that no node
 * waits for any more. Derived from the records alone, so that it is repeated until it is done. Pure.
 */
export function releasesOf(from: ClusterRecords, requests: ReadonlyMap<string, OrderedRequest>): Release[] {
  return [...from.orders.values()].flatMap(({ value: order }): Release[] => {
    const request = requests.get(order.request_id);
    if (!request) return [];
    const wanted = new Set(order.names.filter((name) => isWanted(from, order.request_id, name)));
    if (wanted.size === 0 && !request.isOver) return [{ request_id: order.request_id, cancel: true, machines: [] }];
    const machines = request.machines.filter(
      (machine) => isKept(machine) && machine.assigned_name !== undefined && !wanted.has(machine.assigned_name),
    );
    return machines.length === 0
      ? []
      : [{ request_id: order.request_id, cancel: false, machines: machines.map(machineName) }];
  });
}

/** Carries releases out. A request that ended meanwhile, and a machine that is gone, are no errors. */
export async function release({ call, log }: ServiceAccess, releases: readonly Release[]): Promise<void> {
  for (const { request_id, cancel, machines } of releases) {
    try {
      if (cancel) await call('cancel_request', { request_id, reason: 'No node of Slurm waits for it any more.' });
      else await call('create_return_request', { machine_ids: machines });
    } catch (error) {
      if (!isBrokerError(error)) throw error;
      log.warn({ request_id, code: error.code }, `Machines of nodes could not be released: ${error.message}`);
    }
  }
}
