import type { MachineRecord } from '../model/machine.ts';
import { machineKey } from '../model/machine.ts';
import type { RequestRecord } from '../model/request.ts';
import type { RequestDetail } from '../scheduler.ts';
import type { Store } from '../storage.ts';
import { byCreation, inOrder } from './machine-order.ts';

/**
 * An answer that need not be worked out when a rendered copy is at hand: equal `cache_key`s mean equal answers.
 */
export interface Lazy<T> {
  readonly cache_key: string;
  load(): Promise<T>;
}

/** A request with its machines, as stored now. */
export async function detailOf(store: Store, request: RequestRecord): Promise<RequestDetail> {
  if (request.kind === 'provision') return { request, machines: (await machinesOf(store, request.request_id)).filter(isShown) };
  const wishes = await store.find('wish', { where: { return_id: request.request_id }, order: [['created_at', 'asc']] });
  const machine_keys = wishes.flatMap((wish) => wish.machines);
  const known = new Map<string, MachineRecord>();
  for (const origin of request.origins ?? []) {
    for (const machine of await machinesOf(store, origin)) known.set(machineKey(machine), machine);
  }
  return { request, machine_keys, machines: inOrder(machine_keys.flatMap((key) => known.get(machineKey(key)) ?? [])) };
}

export const machinesOf = (store: Store, request_id: string): Promise<readonly MachineRecord[]> =>
  store.find('machine', { where: { request_id }, order: byCreation });

/** A machine that never became usable and was replaced, or that came unwanted, is told in the fulfilment and the journal, not in the list. */
const isShown = (machine: MachineRecord): boolean =>
  machine.ready_at !== undefined || machine.going === undefined || machine.going === 'returned' || machine.going === 'cancelled';
