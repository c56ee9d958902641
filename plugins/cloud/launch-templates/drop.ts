import { LRUCache } from 'lru-cache';
import { isFault, ProviderFault, type Call, type LaunchOrder } from '../../../core/index.ts';
import { kindOfReason } from '../fault-codes.ts';
import type { CloudSession } from '../session.ts';
import { ownTags } from '../tags.ts';
import { orderText } from './descriptions.ts';
import { templatesTagged, unlessMissing, versionsOf } from './look.ts';
import { templateTags } from './make.ts';
import { isYoung } from './missing.ts';
import type { TemplateVersion } from './template-version.ts';

/** EC2's limit of one call. */
const mostVersions = 200;
const askAgainMs = 15_000;

/** What a session deleted, or may have, its answer being lost: that it is gone then needs no second word. */
function deletedBy({ memory }: CloudSession): LRUCache<string, true> {
  const key = 'launch templates deleted';
  const known = memory.get(key) as LRUCache<string, true> | undefined;
  const deleted = known ?? new LRUCache<string, true>({ max: 10_000 });
  if (!known) memory.set(key, deleted);
  return deleted;
}

/** Asks to delete, and remembers what may have been deleted where the answer gets lost. Undefined: there is no such launch template. */
async function deleting<T>(session: CloudSession, marks: readonly string[], ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await unlessMissing(ask);
  } catch (error) {
    if (isFault(error) && error.kind === 'unknown-outcome') for (const mark of marks) deletedBy(session).set(mark, true);
    throw error;
  }
}

/**
 * Deletes what was made for this order alone, and nothing else; already deleted is done. EC2 may deny for minutes what was just made: one that it does not
 * know counts as deleted only when it must know it, and is a fault `unavailable` before. An order that broke off before it was stored what it
 * uses may have made a launch template or a version all the same, also under settings that have changed since: it is looked for by its marks.
 */
export async function dropLaunchTemplate(
  session: CloudSession,
  order: LaunchOrder<any, any>,
  used: TemplateVersion | undefined,
  call: Call,
): Promise<void> {
  if (used) {
    if (used.owner !== 'order' && used.owner !== 'version') return;
    const known = used.owner === 'order' ? await deleteTemplate(session, used.id, call) : await deleteVersion(session, used, call);
    const deleted = deletedBy(session);
    const gone = deleted.has(used.id) || deleted.has(`${used.id} ${used.version}`);
    if (!known && !gone && isYoung(session, used)) {
      const message = `EC2 does not know launch template ${used.id} (version ${used.version}), which may be too young for it; it is to be deleted again.`;
      throw new ProviderFault('unavailable', message, { code: 'InvalidLaunchTemplateId.NotFound', retry_after_ms: askAgainMs });
    }
    return;
  }
  const installation = { [ownTags.installation]: session.installation };
  const made = { ...installation, [ownTags.request]: order.request_id, [ownTags.attempt]: String(order.attempt) };
  for (const { LaunchTemplateId } of await templatesTagged(session, made, call))
    if (LaunchTemplateId !== undefined) await deleteTemplate(session, LaunchTemplateId, call);
  const ofOrders = { ...installation, [templateTags.template]: order.template.template_id, [templateTags.holds]: 'orders' };
  for (const { LaunchTemplateId: id } of await templatesTagged(session, ofOrders, call)) {
    const versions = id === undefined ? [] : await versionsOf(session, id, call);
    const own = versions.filter(({ description }) => description === orderText(order));
    if (id !== undefined)
      await deleteVersions(
        session,
        id,
        own.map(({ number }) => String(number)),
        call,
      );
  }
}

/** False: EC2 does not know it. */
export async function deleteTemplate(session: CloudSession, id: string, call: Call): Promise<boolean> {
  const answer = await deleting(session, [id], () =>
    session.write((ec2) => new ec2.DeleteLaunchTemplateCommand({ LaunchTemplateId: id }), call),
  );
  if (answer) deletedBy(session).set(id, true);
  return answer !== undefined;
}

const deleteVersion = async (session: CloudSession, { id, version }: TemplateVersion, call: Call): Promise<boolean> =>
  (await deleteVersions(session, id, [version], call)) === 0;

/**
 * Deletes versions. EC2 answers for each by itself: what it did not delete, for another reason than that it is gone, is a fault. Gives how many it does not
 * know.
 */
export async function deleteVersions(session: CloudSession, id: string, versions: readonly string[], call: Call): Promise<number> {
  let unknown = 0;
  for (let i = 0; i < versions.length; i += mostVersions) {
    const Versions = versions.slice(i, i + mostVersions);
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
      throw new ProviderFault(kind, `DeleteLaunchTemplateVersions: version ${VersionNumber} of ${id}: ${said} Error Code: ${code}`, {
        code,
      });
    }
  }
  return unknown;
}
