import type { OwnedResource } from '../../../contract/provider/resources.ts';
import type { StoredResources } from './compare.ts';

/** Why a resource counts as an orphan: the proof that nothing that is stored can release it. For people. */
export function orphanReason({ request_id, attempt: number }: OwnedResource, known: StoredResources): string {
  if (request_id === undefined || number === undefined)
    return 'It carries the tags of this installation, and none that names a request.';
  const attempt = known.attempt(request_id, number);
  if (attempt === undefined) return `No order ${number} of request ${request_id} is stored.`;
  if (attempt.disposed) return `Order ${number} of request ${request_id} has ended and was cleaned up.`;
  return `Order ${number} of request ${request_id} can release nothing any more.`;
}
