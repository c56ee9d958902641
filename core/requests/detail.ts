import type { MachineRecord } from '../model/machine.ts';
import { machineKey } from '../model/machine.ts';
import type { RequestRecord } from '../model/request.ts';
import type { RequestDetail } from '../scheduler.ts';
import type { Query, Store } from '../storage.ts';

/**
 * An answer that need not be worked out when a rendered copy is at hand: equal `cache_key`s mean equal answers.
 */
export interface Lazy<T> {
  readonly cache_key: string;
  load(): Promise<T>;
}

/** The order in which machines are listed everywhere. */
export const creationOrder: NonNullable<Query<'machine'>['order']> = [
  ['created_at', 'asc'],
  ['machine_id', 'asc'],
];
const byCreation = (a: MachineRecord, b: MachineRecord): number =>
  a.created_at - b.created_at || (a.machine_id < b.machine_id ? -1 : a.machine_id > b.machine_id ? 1 : 0);

/** A request with its machines, as stored now. */
export async function detailOf(store: Store, request: RequestRecord): Promise<RequestDetail> {
  if (request.kind === 'provision') return { request, machines: (await machinesOf(store, request.request_id)).filter(isShown) };
  const wishes = await store.find('wish', { where: { return_id: request.request_id }, order: [['created_at', 'asc']] });
  const machine_keys = wishes.flatMap((wish) => wish.machines);
  const asked = new Set(machine_keys.map(machineKey));
  const machines: MachineRecord[] = [];
  for (const origin of request.origins ?? [])
    for (const machine of await machinesOf(store, origin)) if (asked.has(machineKey(machine))) machines.push(machine);
  return { request, machine_keys, machines: machines.toSorted(byCreation) };
}

export const machinesOf = (store: Store, request_id: string): Promise<readonly MachineRecord[]> =>
  store.find('machine', { where: { request_id }, order: creationOrder });

/** A machine that never became usable and was replaced, or that came unwanted, is told in the fulfilment and the journal, not in the list. */
const isShown = (machine: MachineRecord): boolean =>
  machine.ready_at !== undefined || machine.going === undefined || machine.going === 'returned' || machine.going === 'cancelled';
