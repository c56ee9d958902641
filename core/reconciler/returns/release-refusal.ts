import { queryInParts } from '../../collections/query-in-parts.ts';
import type { Store } from '../../contract/storage.ts';
import type { RequestRecord } from '../../model/request.ts';

/** The last answer with which a provider did not accept the release of machines. */
export interface ReleaseRefusal {
  readonly provider_instance: string;
  readonly code: string;
  readonly message: string;
}

/** The most requests whose orders are read. */
const mostOrigins = 20;

/** The last refusal since a return, of the requests that its machines belong to. */
export async function releaseRefusal(
  store: Store,
  { origins = [], created_at }: RequestRecord,
): Promise<ReleaseRefusal | undefined> {
  const attempts = await queryInParts(origins.slice(0, mostOrigins), (request_id) =>
    store.find('attempt', { where: { request_id } }),
  );
  const last = attempts
    .flatMap(({ provider_instance, outcomes = [] }) => outcomes.map((each) => ({ provider_instance, ...each })))
    .filter(({ at }) => at >= created_at)
    .toSorted((a, b) => a.at - b.at)
    .at(-1);
  return last && { provider_instance: last.provider_instance, code: last.code, message: last.message };
}
