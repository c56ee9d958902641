import type { LaunchTemplate } from '@aws-sdk/client-ec2';
import type { Call, OwnedResource } from '../../../../core/index.ts';
import type { CloudSession } from '../../connection/session.ts';
import { madeFor, ownTags, tagValue } from '../../template/tags.ts';
import { orderIn } from '../descriptions.ts';
import { deleteTemplate, deleteVersions } from './deletions.ts';
import { templatesTagged, versionsOf } from '../describe-templates.ts';
import { templateTags } from '../create.ts';

/** Separates the id of a launch template and the number of a version in the id of an owned resource. */
const separator = ':';

/**
 * Launch templates of an installation that were created for one request, and the versions of requests in launch
 * templates that hold such versions. Shared launch templates are not listed: they are never orphans.
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
        ...(CreateTime === undefined ? {} : { created_at: session.cloudClock.toBrokerTime(CreateTime) }),
      };
  }
}

async function* versionsOfOrders(
  session: CloudSession,
  id: string,
  { LatestVersionNumber }: LaunchTemplate,
  call: Call,
): AsyncGenerator<OwnedResource> {
  // Only the first version exists, which belongs to no order.
  if (LatestVersionNumber === 1) return;
  for (const { number, description, created_at } of await versionsOf(session, id, call)) {
    const order = orderIn(description);
    if (order)
      yield {
        kind: 'launch_template',
        id: `${id}${separator}${number}`,
        ...order,
        ...(created_at === undefined ? {} : { created_at: session.cloudClock.toBrokerTime(created_at) }),
      };
  }
}

/** Deletes launch templates and versions that `launchTemplatesOf` listed. A missing one is a success. */
export async function removeLaunchTemplates(session: CloudSession, ids: readonly string[], call: Call): Promise<void> {
  for (const id of ids) if (!id.includes(separator)) await deleteTemplate(session, id, call);
  const versions = ids.filter((id) => id.includes(separator)).map((id) => id.split(separator) as [string, string]);
  for (const [id, mine] of Map.groupBy(versions, ([template]) => template))
    await deleteVersions(
      session,
      id,
      mine.map(([, number]) => number),
      call,
    );
}
