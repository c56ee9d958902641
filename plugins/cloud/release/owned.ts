import type { Call, OwnedResource } from '../../../core/index.ts';
import { partialDescribe } from '../observe/partial-describe.ts';
import { launchTemplatesOf, removeLaunchTemplates } from '../launch/launch-template.ts';
import { reportOf } from '../observe/machines.ts';
import type { InstanceSummary } from '../connection/answers/instance-summary.ts';
import type { CloudSession } from '../connection/session.ts';
import { madeFor, ownTags } from '../template/tags.ts';
import { pausesBetween } from './listing-pauses.ts';
import { terminate } from './terminate.ts';

/**
 * All resources with the tag of an installation: machines that are not gone, and launch templates of one request.
 * Machines of a zone that does not answer are missing: absence from the list proves nothing.
 */
export async function* ownedBy(
  session: CloudSession,
  installation: string,
  call: Call,
): AsyncGenerator<OwnedResource> {
  const ours = { Name: `tag:${ownTags.installation}`, Values: [installation] };
  const alive = {
    Name: 'instance-state-name',
    Values: ['pending', 'running', 'shutting-down', 'stopping', 'stopped'],
  };
  const keep = (instance: InstanceSummary) => machineOwned(session, instance);
  const pause = pausesBetween(session, call);
  const { found } = await partialDescribe(session, [ours, alive], keep, call, pause);
  yield* found;
  yield* launchTemplatesOf(session, installation, call);
}

function machineOwned({ cloudClock }: CloudSession, instance: InstanceSummary): OwnedResource {
  const created_at = instance.LaunchTime && cloudClock.toBrokerTime(instance.LaunchTime);
  return {
    kind: 'machine',
    id: instance.InstanceId ?? '',
    ...madeFor(instance.Tags),
    ...(created_at === undefined ? {} : { created_at }),
    machine: reportOf(instance),
  };
}

/** Terminates machines and deletes launch templates and versions that `owned` listed. A missing one is a success. */
export async function removeOrphans(
  session: CloudSession,
  orphans: readonly OwnedResource[],
  call: Call,
): Promise<void> {
  const machines = orphans.flatMap(({ machine }) => machine ?? []);
  if (machines.length > 0) await terminate(session, machines, call);
  const templates = orphans.flatMap(({ kind, id }) => (kind === 'launch_template' ? [id] : []));
  await removeLaunchTemplates(session, templates, call);
}
