import type { Store } from '../../contract/storage.ts';
import { askInParts } from './ask-in-parts.ts';

type Version = Awaited<ReturnType<Store['versions']>>[number];

/** Which of the requests that are named there are, in the order named, and which not. */
export interface RequestsNamed {
  readonly versions: readonly Version[];
  readonly not_found: readonly string[];
}

/** Looks the ids up, each once: a few questions to the storage, however many ids. */
export async function requestsNamed(store: Store, request_ids: readonly string[]): Promise<RequestsNamed> {
  const wanted = [...new Set(request_ids)];
  const found = await askInParts(wanted, (request_id) => store.versions({ where: { request_id } }));
  const known = new Map(found.map((version) => [version.request_id, version]));
  return { versions: wanted.flatMap((id) => known.get(id) ?? []), not_found: wanted.filter((id) => !known.has(id)) };
}
