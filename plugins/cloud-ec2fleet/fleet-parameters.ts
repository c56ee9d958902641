import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { Call, LaunchOrder } from '../../core/index.ts';
import {
  contentsOf,
  intoInterface,
  joinTagSpecifications,
  launchTemplateFor,
  machineSpecOf,
  namedTemplate,
  overlay,
  poolsOf,
  tagsOf,
  tagSpecifications,
  weightOf,
  type CloudSession,
  type CloudTemplate,
  type Pool,
  type TemplateVersion,
} from '../cloud/index.ts';
import { poolsFor, targetFor, type Target } from './capacity.ts';
import type { Prepared } from './fleet-type.ts';
import { onDemandStrategy, spotStrategy } from './strategies.ts';

/** What an instant fleet tags in the call that makes it. With `spot-instances-request` among them the on-demand part would fail. */
const tagged = ['fleet', 'instance', 'volume', 'network-interface'];

/** The launch template and the parameters of CreateFleet for an order. */
export async function fleetParameters(session: CloudSession, order: LaunchOrder<any>, fleet_type: string, call: Call): Promise<Prepared> {
  const template = order.template as CloudTemplate;
  const offered = (order.offers ?? poolsOf(template)) as readonly Pool[];
  const target = targetFor(template, offered, order.machine_count);
  const pools = poolsFor(target, offered);
  const used = await templateOf(session, order, template, call);
  const built = {
    Type: fleet_type,
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateId: used.id, Version: used.version },
        Overrides: overridesOf(template, pools),
      },
    ],
    ...marketOptions(template, target),
  };
  const native = overlay(built, template.provider_api_spec);
  const input = {
    ...native,
    // What the count, the token and the tags are is ours alone: by them the machines are counted and found.
    TargetCapacitySpecification: {
      ...(native['TargetCapacitySpecification'] as object | undefined),
      TotalTargetCapacity: target.total,
      OnDemandTargetCapacity: target.onDemand,
      SpotTargetCapacity: target.spot,
      DefaultTargetCapacityType: target.spot > 0 ? 'spot' : 'on-demand',
    },
    ClientToken: order.token,
    TagSpecifications: joinTagSpecifications(native['TagSpecifications'], tagSpecifications(tagged, tagsOf(order, session.installation))),
  };
  return { fleet_type, input, template: used, pools, target: target.total };
}

/** The template's own launch template as it is where nothing is laid over it; else one of ours. */
async function templateOf(session: CloudSession, order: LaunchOrder<any>, template: CloudTemplate, call: Call): Promise<TemplateVersion> {
  const spec = await machineSpecOf(session, template, call);
  const named = template.launch_template_id === undefined ? undefined : await namedTemplate(session, template, call);
  if (named && Object.keys(spec).length === 0 && template.launch_template_spec === undefined) return named;
  const below = named ? await contentsOf(session, named, call) : {};
  const data = intoInterface(overlay({ ...below, ...spec }, template.launch_template_spec));
  return launchTemplateFor(session, order, data as RequestLaunchTemplateData, call);
}

/** One override for each type and subnet: what a fleet's errors say of a pool is no more than its override did. */
function overridesOf(template: CloudTemplate, pools: readonly Pool[]): object[] {
  const places = [...new Map(pools.map((pool) => [`${pool.machine_type}|${pool.subnet_id}`, pool])).values()];
  const types = [...new Set(places.map((pool) => pool.machine_type))];
  const weighted = Object.keys(template.machine_types ?? {}).length > 0;
  const overrides = places.map(({ machine_type, subnet_id }) => ({
    ...(machine_type === undefined ? {} : { InstanceType: machine_type }),
    ...(template.instance_requirements === undefined ? {} : { InstanceRequirements: template.instance_requirements }),
    ...(subnet_id === undefined ? {} : { SubnetId: subnet_id }),
    ...(weighted ? { WeightedCapacity: weightOf(template, machine_type) } : {}),
    ...(isPrioritized(template) ? { Priority: types.indexOf(machine_type) } : {}),
    ...(template.max_price === undefined ? {} : { MaxPrice: String(template.max_price) }),
  }));
  return overrides.filter((override) => Object.keys(override).length > 0);
}

function marketOptions(template: CloudTemplate, target: Target): object {
  const prioritized = template.machine_types_priority !== undefined;
  const spot =
    spotStrategy(template.allocation_strategy ?? '') ?? (prioritized ? 'capacity-optimized-prioritized' : 'price-capacity-optimized');
  const onDemand = onDemandStrategy(template.allocation_strategy_on_demand ?? '') ?? (prioritized ? 'prioritized' : 'lowest-price');
  return {
    ...(target.spot > 0 ? { SpotOptions: { AllocationStrategy: spot } } : {}),
    ...(target.onDemand > 0 ? { OnDemandOptions: { AllocationStrategy: onDemand } } : {}),
  };
}

const isPrioritized = (template: CloudTemplate): boolean =>
  template.machine_types_priority !== undefined ||
  spotStrategy(template.allocation_strategy ?? '') === 'capacity-optimized-prioritized' ||
  onDemandStrategy(template.allocation_strategy_on_demand ?? '') === 'prioritized';
