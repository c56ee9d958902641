import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { Call, LaunchOrder } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { withImageId } from '../template/image-parameter.ts';
import { launchTemplateFor, type TemplateVersion } from './launch-template.ts';
import { machineSpecOf, type MachineSpec } from '../template/machine-data.ts';
import { createsInterface, machineParameters } from '../template/machine-parameters.ts';
import { contentsOf, namedTemplate } from '../template/named-template.ts';
import type { CloudSession } from '../connection/session.ts';
import { joinTagSpecifications, tagsOf, tagSpecifications } from '../template/tags.ts';

/**
 * The resources of a machine that are tagged. A Spot request is not among them: its tag would make the on-demand part
 * fail.
 */
const machineParts = ['instance', 'volume', 'network-interface'];

/**
 * The resources of a machine that a fleet tags when it launches after its call. Such a fleet launches under a role of
 * AWS, whose policy does not allow tags of network interfaces: with one, no machine would start.
 */
export const standingParts: readonly string[] = ['instance', 'volume'];

/** The resources that a launch with these parameters tags: an existing network interface cannot be tagged. */
export const taggedParts = (params: LaunchData): readonly string[] =>
  createsInterface(params) ? machineParts : machineParts.filter((type) => type !== 'network-interface');

/** The launch template of an order, and the resources of its machines that the call of the launch tags. */
export interface SharedTemplate {
  readonly used: TemplateVersion;
  readonly parts: readonly string[];
}

/**
 * The launch template of an instant fleet, whose call tags the machines. The launch template that the template names
 * is used unchanged when nothing overrides it.
 */
export async function sharedOrderTemplate(
  session: CloudSession,
  order: LaunchOrder<any>,
  call: Call,
): Promise<SharedTemplate> {
  const template = order.template as CloudTemplate;
  const described = await describe(session, template, call);
  const data = dataOf(template, described);
  const parts = taggedParts(data);
  const { named, contents, spec } = described;
  const isPlaced = JSON.stringify(data['NetworkInterfaces']) !== JSON.stringify(contents['NetworkInterfaces']);
  const isOverridden = Object.keys(spec).length > 0 || template.launch_template_spec !== undefined || isPlaced;
  if (named && !isOverridden) return { used: named, parts };
  return { used: await launchTemplateFor(session, order, await withImageId(session, data, call), call), parts };
}

/** How the launch template of an order differs from that of others. */
export interface OwnTemplate {
  /** Changes the data. */
  readonly adapt?: (data: LaunchData) => LaunchData;
  /** Resource types that the launch may tag. Default: all. */
  readonly taggable?: readonly string[];
}

/**
 * A launch template of this order alone, which tags its machines. Machines of standing fleets and groups are tagged
 * only by their launch template, and a machine without the tags of muster could not be found.
 */
export async function ownOrderTemplate(
  session: CloudSession,
  order: LaunchOrder<any>,
  call: Call,
  { adapt = (data) => data, taggable }: OwnTemplate = {},
): Promise<TemplateVersion> {
  const template = order.template as CloudTemplate;
  const described = dataOf(template, await describe(session, template, call));
  const data = adapt(await withImageId(session, described, call));
  const parts = taggedParts(data).filter((type) => taggable?.includes(type) ?? true);
  const ours = tagSpecifications(parts, tagsOf(order, session.installation));
  const tagged = {
    ...data,
    TagSpecifications: joinTagSpecifications(data['TagSpecifications'], ours).filter(
      ({ ResourceType: type }) => parts.includes(type) || (taggable === undefined && !machineParts.includes(type)),
    ),
  } as RequestLaunchTemplateData;
  return launchTemplateFor(session, order, tagged, call, 'order');
}

type LaunchData = Readonly<Record<string, unknown>>;

interface Described {
  readonly named: TemplateVersion | undefined;
  /** The contents of `named`; empty without it. */
  readonly contents: LaunchData;
  readonly spec: MachineSpec;
}

async function describe(session: CloudSession, template: CloudTemplate, call: Call): Promise<Described> {
  const spec = await machineSpecOf(session, template, call);
  if (template.launch_template_id === undefined) return { named: undefined, contents: {}, spec };
  const named = await namedTemplate(session, template, call);
  return { named, contents: { ...(await contentsOf(session, named, call)) }, spec };
}

/** The data of a launch template, except that the image may still be the name of a parameter. */
const dataOf = (template: CloudTemplate, { contents, spec }: Described): LaunchData =>
  machineParameters({
    named: contents,
    fields: { ...spec },
    natives: [template.launch_template_spec],
    placed: Boolean(template.subnet_ids?.length),
  });
