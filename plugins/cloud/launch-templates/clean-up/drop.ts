import { ProviderFault, type Call, type LaunchOrder } from '../../../../core/index.ts';
import type { CloudSession } from '../../connection/session.ts';
import { ownTags } from '../../template/tags.ts';
import { deleteTemplate, deleteVersions, mayHaveDeleted } from './deletions.ts';
import { orderText } from '../descriptions.ts';
import { templatesTagged, versionsOf } from '../describe-templates.ts';
import { templateTags } from '../create.ts';
import { mayBePropagating } from '../missing.ts';
import type { TemplateVersion } from '../template-version.ts';

const retryMs = 15_000;

/**
 * Deletes the launch template or version that was created for this order alone. A deleted one is a success. EC2 may
 * deny a new one for minutes: an unknown one counts as deleted only when it is old enough, and is a fault
 * `unavailable` before. An order that broke off before its preparation was stored may have created a launch template
 * or a version too, possibly under other settings: it is found by its tags or its description.
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
    if (!known && !mayHaveDeleted(session, used) && mayBePropagating(session, used)) {
      const message = `EC2 does not know launch template ${id} (version ${version}), which may be too new; the deletion is retried.`;
      throw new ProviderFault('unavailable', message, {
        code: 'InvalidLaunchTemplateId.NotFound',
        retry_after_ms: retryMs,
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
