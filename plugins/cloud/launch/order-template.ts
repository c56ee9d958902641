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

/**
 * The resources of a machine that are tagged. A Spot request is not among them: its tag would make the on-demand part
 * fail.
 */
export const machineParts = ['instance', 'volume', 'network-interface'];

/**
 * The launch template of an instant fleet, whose call tags the machines. The launch template that the template names
 * is used unchanged when nothing overrides it.
 */
export async function sharedOrderTemplate(
  session: CloudSession,
  order: LaunchOrder<any>,
  call: Call,
): Promise<TemplateVersion> {
  const template = order.template as CloudTemplate;
  const { named, spec } = await namedAndSpec(session, template, call);
  if (named && Object.keys(spec).length === 0 && template.launch_template_spec === undefined) return named;
  return launchTemplateFor(session, order, await launchData(session, template, { named, spec }, call), call);
}

/**
 * A launch template of this order alone, which tags its machines. Machines of standing fleets and groups are tagged
 * only by their launch template, and a machine without the tags of muster could not be found. `adapt` changes the
 * data.
 */
export async function ownOrderTemplate(
  session: CloudSession,
  order: LaunchOrder<any>,
  call: Call,
  adapt: (data: LaunchData) => LaunchData = (data) => data,
): Promise<TemplateVersion> {
  const template = order.template as CloudTemplate;
  const data = adapt(await launchData(session, template, await namedAndSpec(session, template, call), call));
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

async function namedAndSpec(session: CloudSession, template: CloudTemplate, call: Call): Promise<Described> {
  const spec = await machineSpecOf(session, template, call);
  const named = template.launch_template_id === undefined ? undefined : await namedTemplate(session, template, call);
  return { named, spec };
}

/**
 * The data of a launch template: that of the named launch template, overridden by the fields of the template, and then
 * by its native specification.
 */
async function launchData(
  session: CloudSession,
  template: CloudTemplate,
  { named, spec }: Described,
  call: Call,
): Promise<LaunchData> {
  const base = named ? await contentsOf(session, named, call) : {};
  return withImageId(session, intoInterface(overlay({ ...base, ...spec }, template.launch_template_spec)), call);
}
