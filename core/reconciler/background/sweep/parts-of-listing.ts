import type { OwnedResource } from '../../../contract/provider/resources.ts';

/** So many resources are compared with the store at once: their records take some megabytes. */
const resourcesAtOnce = 1_000;

/**
 * Parts of a listing of about a thousand resources each. The resources of a request are in one part, so that each
 * order is read once.
 */
export function* partsOfListing(listed: readonly OwnedResource[]): Generator<readonly OwnedResource[]> {
  let part: OwnedResource[] = [];
  for (const alike of Map.groupBy(listed, ({ request_id }) => request_id).values()) {
    for (const resource of alike) part.push(resource);
    if (part.length < resourcesAtOnce) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
