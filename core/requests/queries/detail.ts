import { type MachineRecord, machineKey } from '../../model/machine.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { RequestDetail } from '../../contract/scheduler.ts';
import type { Store } from '../../contract/storage.ts';
import { queryInParts } from '../../collections/query-in-parts.ts';
import { byCreation, inOrder } from './machine-order.ts';

/** An answer that is computed only when no cached copy is available. Equal `cache_key`s mean equal answers. */
export interface Lazy<T> {
  readonly cache_key: string;
  load(): Promise<T>;
}

/** A request with its stored machines. */
export async function detailOf(store: Store, request: RequestRecord): Promise<RequestDetail> {
  const [detail] = await detailsOf(store, [request]);
  return detail ?? { request };
}

/**
 * Requests with their stored machines, in the given order. The number of queries does not depend on the number of
 * requests.
 */
export async function detailsOf(store: Store, requests: readonly RequestRecord[]): Promise<readonly RequestDetail[]> {
  const [provisions, returns] = [ofKind(requests, 'provision'), ofKind(requests, 'return')];
  const theirs = await queryInParts(provisions, (request_id) =>
    store.find('machine', { where: { request_id }, order: byCreation }),
  );
  const machines = Map.groupBy(theirs, (machine) => machine.request_id);
  const signals = await queryInParts(returns, (return_id) =>
    store.find('signal', { where: { return_id }, order: [['created_at', 'asc']] }),
  );
  const named = Map.groupBy(signals, (signal) => signal.return_id);
  const ids = signals.flatMap((signal) => signal.machines.map((key) => key.machine_id));
  const returned = await queryInParts(ids, (machine_id) => store.find('machine', { where: { machine_id } }));
  const known = new Map(returned.map((machine) => [machineKey(machine), machine]));
  return requests.map((request): RequestDetail => {
    if (request.kind === 'provision')
      return { request, machines: (machines.get(request.request_id) ?? []).filter(isShown) };
    const machine_keys = (named.get(request.request_id) ?? []).flatMap((signal) => signal.machines);
    return {
      request,
      machine_keys,
      machines: inOrder(machine_keys.flatMap((key) => known.get(machineKey(key)) ?? [])),
    };
  });
}

const ofKind = (requests: readonly RequestRecord[], kind: RequestRecord['kind']): readonly string[] =>
  requests.filter((request) => request.kind === kind).map(({ request_id }) => request_id);

/**
 * Hides machines that never became usable and were replaced, surplus machines, and replacements until they are ready.
 * The fulfilment and the journal contain them.
 */
const isShown = (machine: MachineRecord): boolean =>
  machine.replaces === undefined ? isOfRequest(machine) : machine.ready_at !== undefined;

const isOfRequest = (machine: MachineRecord): boolean =>
  machine.ready_at !== undefined ||
  machine.going === undefined ||
  machine.going === 'returned' ||
  machine.going === 'cancelled';
