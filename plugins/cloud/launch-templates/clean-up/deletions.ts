import { chunks, isFault, ProviderFault, type Call } from '../../../../core/index.ts';
import { LRUCache } from 'lru-cache';
import { kindOfReason } from '../../faults/fault-codes.ts';
import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';
import { unlessMissing } from '../describe-templates.ts';
import type { TemplateVersion } from '../template-version.ts';

/** The most versions of one call. */
const maxVersions = 200;

/** What a session deleted: launch templates by id, and versions by id and number. */
const deletedBy = sessionField(() => new LRUCache<string, true>({ max: 10_000 }));

/**
 * Sends a deletion. When the answer is lost, it records the keys as possibly deleted. Undefined: there is no such
 * launch template.
 */
async function deleting<T>(
  session: CloudSession,
  keys: readonly string[],
  ask: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await unlessMissing(ask);
  } catch (error) {
    if (isFault(error) && error.kind === 'unknown-outcome') for (const key of keys) deletedBy(session).set(key, true);
    throw error;
  }
}

/**
 * Whether this session deleted the launch template or version, or may have deleted it before its answer was lost. Its
 * absence then needs no confirmation.
 */
export const mayHaveDeleted = (
  session: CloudSession,
  { id, version }: Pick<TemplateVersion, 'id' | 'version'>,
): boolean => deletedBy(session).has(id) || deletedBy(session).has(`${id} ${version}`);

/** Deletes a launch template. False: EC2 does not know it. */
export async function deleteTemplate(session: CloudSession, id: string, call: Call): Promise<boolean> {
  const answer = await deleting(session, [id], () =>
    session.write((ec2) => new ec2.DeleteLaunchTemplateCommand({ LaunchTemplateId: id }), call),
  );
  if (answer) deletedBy(session).set(id, true);
  return answer !== undefined;
}

/**
 * Deletes versions. EC2 answers for each version separately: a version that was not deleted is a fault, unless it is
 * gone. Returns the number of versions that EC2 does not know.
 */
export async function deleteVersions(
  session: CloudSession,
  id: string,
  versions: readonly string[],
  call: Call,
): Promise<number> {
  let unknown = 0;
  for (const Versions of chunks(versions, maxVersions)) {
    const keys = Versions.map((version) => `${id} ${version}`);
    const answer = await deleting(session, keys, () =>
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
