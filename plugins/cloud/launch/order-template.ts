import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { Call, LaunchOrder } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { withImageId } from '../template/image-parameter.ts';
import { launchTemplateFor, type TemplateVersion } from './launch-template.ts';
import { intoInterface, machineSpecOf, type MachineSpec } from '../template/machine-data.ts';
import { contentsOf, namedTemplate } from '../template/named-template.ts';
import { overlay } from '../template/overlay.ts';
import type { CloudSession } from '../connection/session.ts';
import { joinTagSpecifications, tagsOf, tagSpecifications } from '../template/tags.ts';

/** What is tagged of a machine. A Spot request is not one, and among these it would make the on-demand part fail. */
export const machineParts = ['instance', 'volume', 'network-interface'];

/**
 * The launch template of an instant fleet, which tags its machines in the call: the template's own as it is where
 * nothing is laid over it.
 */
export async function sharedOrderTemplate(
  session: CloudSession,
  order: LaunchOrder<any>,
  call: Call,
): Promise<TemplateVersion> {
  const template = order.template as CloudTemplate;
  const { named, spec } = await described(session, template, call);
  if (named && Object.keys(spec).length === 0 && template.launch_template_spec === undefined) return named;
  return launchTemplateFor(session, order, await launchData(session, template, { named, spec }, call), call);
}

/**
 * A launch template of the order's own, which tags the machines that are launched from it. Standing fleets and groups
 * tag their machines by nothing but their launch template, and a machine without our tags could not be found again.
 * `adapt` changes the data for what is launched. /
 */
export async function ownOrderTemplate(
  session: CloudSession,
  order: LaunchOrder<any>,
  call: Call,
  adapt: (data: LaunchData) => LaunchData = (data) => data,
): Promise<TemplateVersion> {
  const template = order.template as CloudTemplate;
  const data = adapt(await launchData(session, template, await described(session, template, call), call));
  const ours = tagSpecifications(machineParts, tagsOf(order, session.installation));
  const tagged = {
    ...data,
    TagSpecifications: joinTagSpecifications(data['TagSpecifications'], ours),
  } as RequestLaunchTemplateData;
  return launchTemplateFor(session, order, tagged, call, 'order');
}

type LaunchData = Readonly<Record<string, unknown>>;

interface Described {
  readonly named: TemplateVersion | undefined;
  readonly spec: MachineSpec;
}

async function described(session: CloudSession, template: CloudTemplate, call: Call): Promise<Described> {
  const spec = await machineSpecOf(session, template, call);
  const named = template.launch_template_id === undefined ? undefined : await namedTemplate(session, template, call);
  return { named, spec };
}

/**
 * What a launch template of a template contains: the named one's data, below the template's own words and its native
 * specification.
 */
async function launchData(
  session: CloudSession,
  template: CloudTemplate,
  { named, spec }: Described,
  call: Call,
): Promise<LaunchData> {
  const below = named ? await contentsOf(session, named, call) : {};
  return withImageId(session, intoInterface(overlay({ ...below, ...spec }, template.launch_template_spec)), call);
}
