import type { Call, OwnedResource } from '../../../core/index.ts';
import { madeFor, ownTags, type CloudSession } from '../../cloud/index.ts';
import { isDeleting } from './describe-groups.ts';
import { pagesOfGroups } from './pages-of-groups.ts';
import { deleteGroup } from '../dispose-group.ts';

/** Groups with the tag of an installation whose deletion was not requested. */
export async function* ownedGroups(
  session: CloudSession,
  installation: string,
  call: Call,
): AsyncGenerator<OwnedResource> {
  const Filters = [{ Name: `tag:${ownTags.installation}`, Values: [installation] }];
  for await (const group of pagesOfGroups(session, { Filters }, call)) {
    if (isDeleting(group)) continue;
    const created_at = group.CreatedTime && session.cloudClock.toBrokerTime(group.CreatedTime);
    const id = group.AutoScalingGroupName ?? '';
    yield { kind: 'container', id, ...madeFor(group.Tags), ...(created_at === undefined ? {} : { created_at }) };
  }
}

/** Deletes orphaned groups together with their machines, which are orphans too. */
export async function removeGroups(
  session: CloudSession,
  orphans: readonly OwnedResource[],
  call: Call,
): Promise<void> {
  for (const { id } of orphans) await deleteGroup(session, id, call);
}
