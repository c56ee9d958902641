import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { LaunchOrder } from '../../core/index.ts';
import { ownTags, tagValue, type CloudSession } from '../cloud/index.ts';

type Named = Pick<LaunchOrder<any, any>, 'request_id' | 'attempt'>;

/**
 * The name of an order's group. It is derived from the order, so that the group is found without any stored state. No
 * two orders have the same name.
 */
export const groupName = (session: CloudSession, { request_id, attempt }: Named): string =>
  `muster-${session.installation.slice(0, 12)}-${request_id}-${attempt}`.replaceAll(':', '-').slice(0, 255);

/** Whether this order created the group with that name. Another program may use the name. */
export function isGroupOf(session: CloudSession, { request_id, attempt }: Named, { Tags }: AutoScalingGroup): boolean {
  return (
    tagValue(Tags, ownTags.installation) === session.installation &&
    tagValue(Tags, ownTags.request) === request_id &&
    tagValue(Tags, ownTags.attempt) === String(attempt)
  );
}
