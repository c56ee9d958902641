import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { isFault, type Call, type LaunchOrder } from '../../../core/index.ts';
import { once } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags, tagsOf } from '../template/tags.ts';
import { orderText } from './descriptions.ts';
import { versionsOf } from './look.ts';
import { makeTemplate, makeVersion, templateTags } from './make.ts';
import { forgetTemplate, templatesOfOrders } from './known-templates.ts';
import { ordersName, ownName } from './names.ts';
import type { TemplateVersion } from './template-version.ts';

type Order = LaunchOrder<any, any>;

/**
 * A launch template for one order alone. It is known by the order: what it was made of may have changed since, as
 * `$Latest` of another does.
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

// Version 1 is the default one, which cannot be deleted, and so is no order's. Nothing is launched from it.
const base: RequestLaunchTemplateData = { InstanceInitiatedShutdownBehavior: 'terminate' };

/** A version for one order of the launch template that all orders of its template have versions of. */
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
        data: base,
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
  // A version whose making was not answered, in whatever process.
  const found = versions.find((each) => each.description === description);
  if (found) return { id, version: String(found.number), owner: 'version' };
  try {
    return {
      id,
      version: String(await makeVersion(session, { id, data, description }, order, call)),
      owner: 'version',
    };
  } catch (error) {
    // Deleted by somebody, it has to be made anew: the next try does.
    if (isFault(error) && error.kind === 'gone') forgetTemplate(session, id);
    throw error;
  }
}
