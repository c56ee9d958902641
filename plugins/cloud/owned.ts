import type { Call, OwnedResource } from '../../core/index.ts';
import { describeInstances } from './describe.ts';
import { reportOf } from './machines.ts';
import { pagesOf } from './pages.ts';
import type { CloudSession } from './session.ts';
import { ownTags, tagValue } from './tags.ts';

type Tags = Parameters<typeof tagValue>[0];

/** Everything in the cloud that carries an installation's tag: machines that are not gone, and launch templates made for one request. */
export async function* ownedBy(session: CloudSession, installation: string, call: Call): AsyncGenerator<OwnedResource> {
  const ours = { Name: `tag:${ownTags.installation}`, Values: [installation] };
  const alive = { Name: 'instance-state-name', Values: ['pending', 'running', 'shutting-down', 'stopping', 'stopped'] };
  for (const instance of await describeInstances(session, [ours, alive], call)) {
    const created_at = instance.LaunchTime?.toISOString();
    yield {
      kind: 'machine',
      id: instance.InstanceId ?? '',
      ...madeFor(instance.Tags),
      ...(created_at === undefined ? {} : { created_at }),
      machine: reportOf(instance),
    };
  }
  yield* launchTemplates(session, ours, call);
}

async function* launchTemplates(
  session: CloudSession,
  ours: { Name: string; Values: string[] },
  call: Call,
): AsyncGenerator<OwnedResource> {
  for await (const page of pagesOf((next) =>
    session.read((ec2) => new ec2.DescribeLaunchTemplatesCommand({ Filters: [ours], MaxResults: 200, ...next }), call),
  )) {
    for (const { LaunchTemplateId, Tags, CreateTime } of page.LaunchTemplates ?? []) {
      // Without a request it is shared, and nobody's orphan.
      if (!LaunchTemplateId || tagValue(Tags, ownTags.request) === undefined) continue;
      yield {
        kind: 'launch_template',
        id: LaunchTemplateId,
        ...madeFor(Tags),
        ...(CreateTime === undefined ? {} : { created_at: CreateTime.toISOString() }),
      };
    }
  }
}

/** The order that a resource was made for, by its tags. */
export function madeFor(tags: Tags): { request_id?: string; attempt?: number } {
  const request_id = tagValue(tags, ownTags.request);
  const attempt = Number(tagValue(tags, ownTags.attempt));
  return { ...(request_id === undefined ? {} : { request_id }), ...(Number.isInteger(attempt) ? { attempt } : {}) };
}
