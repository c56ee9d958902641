import { chunks } from '../../../collections/chunks.ts';
import type { AttemptRecord } from '../../../model/attempt.ts';
import { machineKey, type MachineRecord } from '../../../model/machine.ts';
import type { OwnedResource } from '../../../contract/provider/resources.ts';
import type { Store } from '../../../contract/storage.ts';
import type { StoredResources } from './compare.ts';

/** Storages limit how many values one comparison may list. */
const atOnce = 200;

/** Reads the stored state of the resources of a listing. */
export async function readStoredResources(
  store: Store,
  listed: readonly OwnedResource[],
  finds: StoredResources['finds'],
): Promise<StoredResources> {
  const requests = [...new Set(listed.flatMap(({ request_id }) => request_id ?? []))];
  const ids = listed.flatMap(({ machine }) => machine?.machine_id ?? []);
  const attempts = new Map<string, AttemptRecord>();
  const machines = new Map<string, MachineRecord>();
  for (const request_id of chunks(requests, atOnce)) {
    for (const attempt of await store.find('attempt', { where: { request_id } }))
      attempts.set(keyOf(attempt.request_id, attempt.attempt), attempt);
  }
  for (const machine_id of chunks(ids, atOnce)) {
    for (const machine of await store.find('machine', { where: { machine_id } }))
      machines.set(machineKey(machine), machine);
  }
  return {
    attempt: (request_id, attempt) => attempts.get(keyOf(request_id, attempt)),
    machine: (key) => machines.get(machineKey(key)),
    finds,
  };
}

const keyOf = (request_id: string, attempt: number): string => `${request_id} ${attempt}`;
