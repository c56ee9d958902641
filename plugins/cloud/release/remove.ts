import type { Call, OwnedResource } from '../../../core/index.ts';
import { removeLaunchTemplates } from '../launch/launch-template.ts';
import type { CloudSession } from '../connection/session.ts';
import { terminate } from './terminate.ts';

/** Ends what `owned` listed: machines are terminated, launch templates and versions deleted. What is gone already is a success. */
export async function removeOrphans(session: CloudSession, orphans: readonly OwnedResource[], call: Call): Promise<void> {
  const machines = orphans.flatMap(({ machine }) => machine ?? []);
  if (machines.length > 0) await terminate(session, machines, call);
  const templates = orphans.flatMap(({ kind, id }) => (kind === 'launch_template' ? [id] : []));
  await removeLaunchTemplates(session, templates, call);
}
