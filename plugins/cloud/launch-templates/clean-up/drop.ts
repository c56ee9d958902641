import { ProviderFault, type Call, type LaunchOrder } from '../../../../core/index.ts';
import type { CloudSession } from '../../connection/session.ts';
import { ownTags } from '../../template/tags.ts';
import { deleteTemplate, deleteVersions, mayHaveDeleted } from './deletions.ts';
import { orderText } from '../descriptions.ts';
import { templatesTagged, versionsOf } from '../look.ts';
import { templateTags } from '../make.ts';
import { isYoung } from '../missing.ts';
import type { TemplateVersion } from '../template-version.ts';

const askAgainMs = 15_000;

/**
 * Deletes what was made for this order alone, and nothing else; already deleted is done. EC2 may deny for minutes what
 * was just made: one that it does not know counts as deleted only when it must know it, and is a fault `unavailable`
 * before. An order that broke off before it was stored what it uses may have made a launch template or a version all
 * the same, also under settings that have changed since: it is looked for by its marks. /
 */
export async function dropLaunchTemplate(
  session: CloudSession,
  order: LaunchOrder<any, any>,
  used: TemplateVersion | undefined,
  call: Call,
): Promise<void> {
  if (used) {
    const { owner, id, version } = used;
    if (owner !== 'order' && owner !== 'version') return;
    const known =
      owner === 'order'
        ? await deleteTemplate(session, id, call)
        : (await deleteVersions(session, id, [version], call)) === 0;
    if (!known && !mayHaveDeleted(session, used) && isYoung(session, used)) {
      const message = `EC2 does not know launch template ${id} (version ${version}), which may be too young for it; it is to be deleted again.`;
      throw new ProviderFault('unavailable', message, {
        code: 'InvalidLaunchTemplateId.NotFound',
        retry_after_ms: askAgainMs,
      });
    }
    return;
  }
  const installation = { [ownTags.installation]: session.installation };
  const made = { ...installation, [ownTags.request]: order.request_id, [ownTags.attempt]: String(order.attempt) };
  for (const { LaunchTemplateId } of await templatesTagged(session, made, call))
    if (LaunchTemplateId !== undefined) await deleteTemplate(session, LaunchTemplateId, call);
  const ofOrders = {
    ...installation,
    [templateTags.template]: order.template.template_id,
    [templateTags.holds]: 'orders',
  };
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
