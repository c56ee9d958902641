import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { Call, LaunchOrder } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { withImageId } from '../template/image-parameter.ts';
import { launchTemplateFor, type TemplateVersion } from '../launch/launch-template.ts';
import { intoInterface, machineSpecOf, type MachineSpec } from '../template/machine-data.ts';
import { contentsOf, namedTemplate } from '../template/named-template.ts';
import { overlay } from '../template/overlay.ts';
import type { CloudSession } from '../connection/session.ts';
import { joinTagSpecifications, tagsOf, tagSpecifications } from '../template/tags.ts';

/** What is tagged of a machine. A Spot request is not one, and among these it would make the on-demand part fail. */
export const machineParts = ['instance', 'volume', 'network-interface'];

/** The launch template of an instant fleet, which tags its machines in the call: the template's own as it is where nothing is laid over it. */
export async function sharedFleetTemplate(session: CloudSession, order: LaunchOrder<any>, call: Call): Promise<TemplateVersion> {
  const template = order.template as CloudTemplate;
  const { named, spec } = await described(session, template, call);
  if (named && Object.keys(spec).length === 0 && template.launch_template_spec === undefined) return named;
  return launchTemplateFor(session, order, await contents(session, template, { named, spec }, call), call);
}

/**
 * The launch template of a standing fleet. It is the order's own: such fleets tag their machines by nothing but their launch template, and a
 * machine without our tags could not be found again.
 */
export async function ownFleetTemplate(session: CloudSession, order: LaunchOrder<any>, call: Call): Promise<TemplateVersion> {
  const template = order.template as CloudTemplate;
  const data = await contents(session, template, await described(session, template, call), call);
  const ours = tagSpecifications(machineParts, tagsOf(order, session.installation));
  const tagged = { ...data, TagSpecifications: joinTagSpecifications(data.TagSpecifications, ours) } as RequestLaunchTemplateData;
  return launchTemplateFor(session, order, tagged, call, 'order');
}

/**
 * The configurations of a fleet with the launch template of its order, where a native specification named them without. Those of a standing fleet
 * have no other, whatever is said there: its machines would carry no tags.
 */
export function configsWith(configs: unknown, { id, version }: TemplateVersion, standing: boolean): unknown {
  const LaunchTemplateSpecification = { LaunchTemplateId: id, Version: version };
  if (!Array.isArray(configs)) return configs;
  return configs.map((config: object) =>
    standing ? { ...config, LaunchTemplateSpecification } : { LaunchTemplateSpecification, ...config },
  );
}

interface Described {
  readonly named: TemplateVersion | undefined;
  readonly spec: MachineSpec;
}

async function described(session: CloudSession, template: CloudTemplate, call: Call): Promise<Described> {
  const spec = await machineSpecOf(session, template, call);
  const named = template.launch_template_id === undefined ? undefined : await namedTemplate(session, template, call);
  return { named, spec };
}

async function contents(session: CloudSession, template: CloudTemplate, { named, spec }: Described, call: Call) {
  const below = named ? await contentsOf(session, named, call) : {};
  const data = intoInterface(overlay({ ...below, ...spec }, template.launch_template_spec));
  return (await withImageId(session, data, call)) as RequestLaunchTemplateData;
}
