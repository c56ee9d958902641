import { ProviderFault, type Call, type LaunchOrder } from '../../../core/index.ts';
import {
  isWeighted,
  marketFacts,
  marketsOf,
  nativeUnit,
  overlay,
  onlyStrategyOf,
  planFor,
  poolsOf,
  tagsOf,
  targetWith,
  weightOf,
  weightsIn,
  type CloudSession,
  type CloudTemplate,
  type Pool,
  type Target,
  type TemplateVersion,
  ownOrderTemplate,
} from '../../cloud/index.ts';
import type { Prepared } from '../group-handle.ts';
import { groupName } from '../group-name.ts';
import { replacementSettings } from './processes.ts';
import { onDemandStrategy, spotStrategy } from './strategies.ts';

type Tree = Readonly<Record<string, unknown>>;

/** The launch template and the parameters of CreateAutoScalingGroup for an order. */
export async function groupParameters(session: CloudSession, order: LaunchOrder<any>, call: Call): Promise<Prepared> {
  const template = order.template as CloudTemplate;
  const offered = (order.offers ?? poolsOf(template)) as readonly Pool[];
  const native: Tree = template.provider_api_spec ?? {};
  const nativeOverrides = nativeOverridesOf(native);
  const mixed = planFor(template, offered, order.machine_count, nativeUnit(nativeOverrides));
  const { pools } = mixed;
  const types = [...new Set(pools.map((pool) => pool.machine_type))];
  const singleType = isSingleType(template, mixed.target, types) && native['MixedInstancesPolicy'] === undefined;
  const unit = singleType ? 1 : mixed.unit;
  const total = singleType ? order.machine_count : mixed.target.total;
  const target = singleType ? targetWith({ [pools[0]?.market ?? 'on-demand']: total }).units : mixed.target.units;

  const name = groupName(session, order);
  const used = await groupTemplate(session, order, singleType ? types[0] : undefined, call);
  const built = {
    HealthCheckType: 'EC2',
    ...(await placesFor(session, pools, native, call)),
    ...(singleType ? {} : { MixedInstancesPolicy: policyFor(template, types, mixed.target) }),
  };
  const merged = Object.entries(withTemplate(overlay(built, native), used)).filter(
    ([setting]) => !replacementSettings.some((each) => each === setting),
  );
  const input = {
    ...Object.fromEntries(merged),
    CapacityRebalance: false,
    // muster sets these itself: they identify the group, bound its machines, and protect its machines from termination
    // by the group.
    AutoScalingGroupName: name,
    MinSize: 0,
    MaxSize: total,
    DesiredCapacity: total,
    NewInstancesProtectedFromScaleIn: true,
    Tags: tagsFor(native['Tags'], tagsOf(order, session.installation)),
  };
  const weighted = nativeOverrides ? Object.keys(weightsIn(nativeOverrides)).length > 0 : isWeighted(template);
  return { name, input, template: used, pools, target, unit, weighted: !singleType && weighted };
}

/** A group of one on-demand type needs no policy for types and markets. */
const isSingleType = (template: CloudTemplate, target: Target, types: readonly unknown[]): boolean =>
  target.units.spot === 0 &&
  types.length === 1 &&
  (types[0] !== undefined || template.instance_requirements === undefined);

/** The types and weights of a native specification, which replace those of the template. */
function nativeOverridesOf(native: Tree): readonly unknown[] | undefined {
  const { LaunchTemplate } = (native['MixedInstancesPolicy'] ?? {}) as {
    readonly LaunchTemplate?: { readonly Overrides?: unknown } | null;
  };
  return Array.isArray(LaunchTemplate?.Overrides) ? [LaunchTemplate] : undefined;
}

/** The subnets of the pools. Without subnets: all zones of the region. */
async function placesFor(session: CloudSession, pools: readonly Pool[], native: Tree, call: Call): Promise<object> {
  const subnets = [...new Set(pools.flatMap(({ subnet_id }) => subnet_id ?? []))];
  if (subnets.length > 0) return { VPCZoneIdentifier: subnets.join(',') };
  if (native['VPCZoneIdentifier'] !== undefined || native['AvailabilityZones'] !== undefined) return {};
  const filters = [
    { Name: 'state', Values: ['available'] },
    { Name: 'zone-type', Values: ['availability-zone'] },
  ];
  const { AvailabilityZones } = await session.read(
    (ec2) => new ec2.DescribeAvailabilityZonesCommand({ Filters: filters }),
    call,
  );
  const zones = (AvailabilityZones ?? []).flatMap(({ ZoneName }) => ZoneName ?? []).toSorted();
  if (zones.length === 0)
    throw new ProviderFault(
      'unavailable',
      'DescribeAvailabilityZones returned no available zone. Check which zones of the region the account may use.',
    );
  return { AvailabilityZones: zones };
}

/**
 * The policy by which the group chooses types and markets. The on-demand part is a base in units, not a percentage: a
 * group rounds percentages up and applies them again whenever its size changes.
 */
function policyFor(template: CloudTemplate, types: readonly (string | undefined)[], target: Target): object {
  const {
    instance_requirements,
    max_price,
    machine_types_priority,
    allocation_strategy,
    allocation_strategy_on_demand,
    pools_count,
  } = template;
  const prioritized = machine_types_priority !== undefined && instance_requirements === undefined;
  const weighted = isWeighted(template);
  const usual = prioritized ? 'capacity-optimized-prioritized' : 'price-capacity-optimized';
  const spot = spotStrategy(allocation_strategy ?? '') ?? (pools_count === undefined ? usual : 'lowest-price');
  const overrides =
    instance_requirements && types.includes(undefined)
      ? [{ InstanceRequirements: instance_requirements }]
      : types.flatMap((type) =>
          type === undefined
            ? []
            : [{ InstanceType: type, ...(weighted ? { WeightedCapacity: String(weightOf(template, type)) } : {}) }],
        );
  return {
    LaunchTemplate: overrides.length > 0 ? { Overrides: overrides } : {},
    InstancesDistribution: {
      OnDemandAllocationStrategy:
        onDemandStrategy(allocation_strategy_on_demand ?? onlyStrategyOf(template)) ??
        (prioritized ? 'prioritized' : 'lowest-price'),
      OnDemandBaseCapacity: target.units['on-demand'],
      OnDemandPercentageAboveBaseCapacity: target.units.spot > 0 ? 0 : 100,
      SpotAllocationStrategy: spot,
      ...(pools_count === undefined || spot !== 'lowest-price' || target.units.spot === 0
        ? {}
        : { SpotInstancePools: pools_count }),
      ...(max_price === undefined || target.units.spot === 0 ? {} : { SpotMaxPrice: String(max_price) }),
    },
  };
}

/** The parameters with the launch template of the order, on the group or in its policy. It carries the tags. */
function withTemplate(merged: Record<string, unknown>, { id, version }: TemplateVersion): Record<string, unknown> {
  const named = { LaunchTemplateId: id, Version: version };
  const { LaunchTemplate: _, MixedInstancesPolicy, ...rest } = merged;
  if (MixedInstancesPolicy === undefined) return { ...rest, LaunchTemplate: named };
  const policy = MixedInstancesPolicy as { readonly LaunchTemplate?: object };
  return {
    ...rest,
    MixedInstancesPolicy: {
      ...policy,
      LaunchTemplate: { ...policy.LaunchTemplate, LaunchTemplateSpecification: named },
    },
  };
}

/** Machines get the tags of muster from the launch template. The group must not propagate other values. */
function tagsFor(nativeTags: unknown, ours: readonly { readonly Key: string; readonly Value: string }[]): object[] {
  const keys = new Set(ours.map(({ Key }) => Key));
  const more = (Array.isArray(nativeTags) ? (nativeTags as { Key?: string }[]) : []).filter(
    ({ Key }) => Key !== undefined && !keys.has(Key),
  );
  return [...more, ...ours.map((tag) => ({ ...tag, PropagateAtLaunch: false }))];
}

/** The launch template of an order's group. It contains `type` when the group has no list of types. */
const groupTemplate = (
  session: CloudSession,
  order: LaunchOrder<any>,
  type: string | undefined,
  call: Call,
): Promise<TemplateVersion> =>
  ownOrderTemplate(session, order, call, {
    adapt(data) {
      // The group chooses the market, except one that its launch template has to name.
      const { InstanceMarketOptions: _, ...others } = data;
      const inTemplate = marketsOf(order.template as CloudTemplate).some((market) => marketFacts(market).in_template);
      const rest = inTemplate ? data : others;
      return type === undefined ? rest : { ...rest, InstanceType: type, InstanceRequirements: undefined };
    },
  });
