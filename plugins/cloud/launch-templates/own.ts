import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { isFault, type Call, type LaunchOrder } from '../../../core/index.ts';
import { once } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags, tagsOf } from '../template/tags.ts';
import { orderText } from './descriptions.ts';
import { versionsOf } from './describe-templates.ts';
import { makeTemplate, makeVersion, templateTags } from './create.ts';
import { forgetTemplate, templatesOfOrders } from './known-templates.ts';
import { ordersName, ownName } from './names.ts';
import type { TemplateVersion } from './template-version.ts';

type Order = LaunchOrder<any, any>;

/**
 * A launch template for one order alone. It is identified by the order, not by its contents: those may have changed
 * since, for example through `$Latest` of another launch template.
 */
export async function ownTemplate(
  session: CloudSession,
  order: Order,
  data: RequestLaunchTemplateData,
  call: Call,
): Promise<TemplateVersion> {
  const tags = tagsOf(order, session.installation);
  const { id } = await makeTemplate(
    session,
    { name: ownName(session, order), data, description: orderText(order), tags },
    order,
    call,
  );
  return { id, version: '1', owner: 'order' };
}

// Version 1 is the default version, which cannot be deleted, and so belongs to no order. It is never launched.
const baseContents: RequestLaunchTemplateData = { InstanceInitiatedShutdownBehavior: 'terminate' };

/** A version for one order, in the launch template that has one version for each order of the template. */
export async function ownVersion(
  session: CloudSession,
  order: Order,
  data: RequestLaunchTemplateData,
  call: Call,
): Promise<TemplateVersion> {
  const { template_id } = order.template;
  const { id } = await once(templatesOfOrders(session), template_id, () =>
    makeTemplate(
      session,
      {
        name: ordersName(session, template_id),
        data: baseContents,
        description: 'muster: versions of orders',
        tags: [
          { Key: ownTags.installation, Value: session.installation },
          { Key: templateTags.template, Value: template_id },
          { Key: templateTags.holds, Value: 'orders' },
        ],
      },
      order,
      call,
    ),
  );
  const description = orderText(order);
  const versions = await versionsOf(session, id, call);
  // A version whose creation was not answered, in this or another process.
  const found = versions.find((each) => each.description === description);
  if (found) return { id, version: String(found.number), owner: 'version' };
  try {
    return {
      id,
      version: String(await makeVersion(session, { id, data, description }, order, call)),
      owner: 'version',
    };
  } catch (error) {
    // The launch template was deleted: the next try creates it again.
    if (isFault(error) && error.kind === 'gone') forgetTemplate(session, id);
    throw error;
  }
}
