import type { LaunchTemplate } from '@aws-sdk/client-ec2';
import type { Call, OwnedResource } from '../../../../core/index.ts';
import type { CloudSession } from '../../connection/session.ts';
import { madeFor, ownTags, tagValue } from '../../template/tags.ts';
import { orderIn } from '../descriptions.ts';
import { deleteTemplate, deleteVersions } from './deletions.ts';
import { templatesTagged, versionsOf } from '../look.ts';
import { templateTags } from '../make.ts';

/** Stands between the id of a launch template and the number of a version in the id of what is left behind. */
const mark = ':';

/**
 * Launch templates of an installation that were made for one request, and versions that were, of launch templates that
 * hold those of orders. Shared ones are nobody's orphans. /
 */
export async function* launchTemplatesOf(
  session: CloudSession,
  installation: string,
  call: Call,
): AsyncGenerator<OwnedResource> {
  for (const template of await templatesTagged(session, { [ownTags.installation]: installation }, call)) {
    const { LaunchTemplateId: id, Tags, CreateTime } = template;
    if (id === undefined) continue;
    if (tagValue(Tags, templateTags.holds) === 'orders') yield* versionsOfOrders(session, id, template, call);
    else if (tagValue(Tags, ownTags.request) !== undefined)
      yield {
        kind: 'launch_template',
        id,
        ...madeFor(Tags),
        ...(CreateTime === undefined ? {} : { created_at: session.cloudClock.ours(CreateTime) }),
      };
  }
}

async function* versionsOfOrders(
  session: CloudSession,
  id: string,
  { LatestVersionNumber }: LaunchTemplate,
  call: Call,
): AsyncGenerator<OwnedResource> {
  // Only the first, which is no order's, is there.
  if (LatestVersionNumber === 1) return;
  for (const { number, description, created_at } of await versionsOf(session, id, call)) {
    const order = orderIn(description);
    if (order)
      yield {
        kind: 'launch_template',
        id: `${id}${mark}${number}`,
        ...order,
        ...(created_at === undefined ? {} : { created_at: session.cloudClock.ours(created_at) }),
      };
  }
}

/** Deletes launch templates and versions that `launchTemplatesOf` listed. What is gone already is a success. */
export async function removeLaunchTemplates(session: CloudSession, ids: readonly string[], call: Call): Promise<void> {
  for (const id of ids) if (!id.includes(mark)) await deleteTemplate(session, id, call);
  const versions = ids.filter((id) => id.includes(mark)).map((id) => id.split(mark) as [string, string]);
  for (const [id, mine] of Map.groupBy(versions, ([template]) => template))
    await deleteVersions(
      session,
      id,
      mine.map(([, number]) => number),
      call,
    );
}
