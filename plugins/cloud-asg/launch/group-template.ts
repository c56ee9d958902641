import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { Call, LaunchOrder } from '../../../core/index.ts';
import {
  contentsOf,
  intoInterface,
  joinTagSpecifications,
  launchTemplateFor,
  machineParts,
  machineSpecOf,
  namedTemplate,
  overlay,
  tagsOf,
  tagSpecifications,
  withImageId,
  type CloudSession,
  type CloudTemplate,
  type TemplateVersion,
} from '../../cloud/index.ts';

/**
 * The launch template of one order, always its own: only through it are the machines of a group tagged from their first moment. `type` goes
 * into it where the group has no list of types.
 */
export async function groupTemplate(
  session: CloudSession,
  order: LaunchOrder<any>,
  type: string | undefined,
  call: Call,
): Promise<TemplateVersion> {
  const template = order.template as CloudTemplate;
  const spec = await machineSpecOf(session, template, call);
  const below =
    template.launch_template_id === undefined ? {} : await contentsOf(session, await namedTemplate(session, template, call), call);
  const own = await withImageId(session, overlay({ ...below, ...spec }, template.launch_template_spec), call);
  const { InstanceMarketOptions: _, ...data } = intoInterface(
    type === undefined ? own : { ...own, InstanceType: type, InstanceRequirements: undefined },
  );
  const TagSpecifications = joinTagSpecifications(
    data['TagSpecifications'],
    tagSpecifications(machineParts, tagsOf(order, session.installation)),
  );
  return launchTemplateFor(session, order, { ...data, TagSpecifications } as RequestLaunchTemplateData, call, 'order');
}
