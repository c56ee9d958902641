import { queryInParts } from '../../../collections/query-in-parts.ts';
import { machineKey } from '../../../model/machine.ts';
import type { OwnedResource } from '../../../contract/provider/resources.ts';
import type { Store } from '../../../contract/storage.ts';
import type { StoredResources } from './compare.ts';

/** Reads the stored state of the resources of a listing. */
export async function readStoredResources(
  store: Store,
  listed: readonly OwnedResource[],
  finds: StoredResources['finds'],
): Promise<StoredResources> {
  const requests = listed.flatMap(({ request_id }) => request_id ?? []);
  const ids = listed.flatMap(({ machine }) => machine?.machine_id ?? []);
  const ordered = await queryInParts(requests, (request_id) => store.find('attempt', { where: { request_id } }));
  const attempts = new Map(ordered.map((each) => [keyOf(each.request_id, each.attempt), each]));
  const known = await queryInParts(ids, (machine_id) => store.find('machine', { where: { machine_id } }));
  const machines = new Map(known.map((machine) => [machineKey(machine), machine]));
  return {
    attempt: (request_id, attempt) => attempts.get(keyOf(request_id, attempt)),
    machine: (key) => machines.get(machineKey(key)),
    finds,
  };
}

const keyOf = (request_id: string, attempt: number): string => `${request_id} ${attempt}`;
