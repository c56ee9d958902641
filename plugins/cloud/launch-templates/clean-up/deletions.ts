import { chunks, isFault, ProviderFault, type Call } from '../../../../core/index.ts';
import { LRUCache } from 'lru-cache';
import { kindOfReason } from '../../faults/fault-codes.ts';
import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';
import { unlessMissing } from '../look.ts';
import type { TemplateVersion } from '../template-version.ts';

/** EC2's limit of one call. */
const mostVersions = 200;

/** Launch templates by id, and versions by id and number, that a session deleted. */
const deletedBy = sessionField(() => new LRUCache<string, true>({ max: 10_000 }));

/**
 * Asks to delete, and remembers what may have been deleted where the answer gets lost. Undefined: there is no such
 * launch template.
 */
async function deleting<T>(
  session: CloudSession,
  marks: readonly string[],
  ask: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await unlessMissing(ask);
  } catch (error) {
    if (isFault(error) && error.kind === 'unknown-outcome')
      for (const mark of marks) deletedBy(session).set(mark, true);
    throw error;
  }
}

/** Whether this session deleted it, or may have, its answer being lost: that it is gone then needs no second word. */
export const mayHaveDeleted = (
  session: CloudSession,
  { id, version }: Pick<TemplateVersion, 'id' | 'version'>,
): boolean => deletedBy(session).has(id) || deletedBy(session).has(`${id} ${version}`);

/** False: EC2 does not know it. */
export async function deleteTemplate(session: CloudSession, id: string, call: Call): Promise<boolean> {
  const answer = await deleting(session, [id], () =>
    session.write((ec2) => new ec2.DeleteLaunchTemplateCommand({ LaunchTemplateId: id }), call),
  );
  if (answer) deletedBy(session).set(id, true);
  return answer !== undefined;
}

/**
 * Deletes versions. EC2 answers for each by itself: what it did not delete, for another reason than that it is gone,
 * is a fault. Gives how many it does not know. /
 */
export async function deleteVersions(
  session: CloudSession,
  id: string,
  versions: readonly string[],
  call: Call,
): Promise<number> {
  let unknown = 0;
  for (const Versions of chunks(versions, mostVersions)) {
    const marks = Versions.map((version) => `${id} ${version}`);
    const answer = await deleting(session, marks, () =>
      session.write((ec2) => new ec2.DeleteLaunchTemplateVersionsCommand({ LaunchTemplateId: id, Versions }), call),
    );
    if (!answer) unknown += Versions.length;
    for (const { VersionNumber } of answer?.SuccessfullyDeletedLaunchTemplateVersions ?? [])
      deletedBy(session).set(`${id} ${VersionNumber}`, true);
    for (const { VersionNumber, ResponseError } of answer?.UnsuccessfullyDeletedLaunchTemplateVersions ?? []) {
      const code = ResponseError?.Code ?? 'unexpectedError';
      const kind = kindOfReason(code);
      if (kind === 'gone') {
        unknown += 1;
        continue;
      }
      const said = ResponseError?.Message ?? 'The cloud gave no reason.';
      throw new ProviderFault(
        kind,
        `DeleteLaunchTemplateVersions: version ${VersionNumber} of ${id}: ${said} Error Code: ${code}`,
        {
          code,
        },
      );
    }
  }
  return unknown;
}
