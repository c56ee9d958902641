import { isFault, type Call, type OwnedResource } from '../../core/index.ts';
import type { CloudSession } from './session.ts';
import { terminate } from './terminate.ts';

/** Ends what `owned` listed: machines are terminated, launch templates deleted. What is gone already is a success. */
export async function removeOrphans(session: CloudSession, orphans: readonly OwnedResource[], call: Call): Promise<void> {
  const machines = orphans.flatMap(({ machine }) => machine ?? []);
  if (machines.length > 0) await terminate(session, machines, call);
  for (const { kind, id } of orphans) {
    if (kind !== 'launch_template') continue;
    try {
      await session.write((ec2) => new ec2.DeleteLaunchTemplateCommand({ LaunchTemplateId: id }), call);
    } catch (error) {
      if (!isFault(error) || error.kind !== 'gone') throw error;
    }
  }
}
