import { ProviderFault, type Call, type LaunchOrder } from '../../../core/index.ts';
import {
  nativeUnit,
  overlay,
  poolsFor,
  poolsOf,
  tagsOf,
  targetFor,
  unitOf,
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
import { swaps } from './processes.ts';
import { onDemandStrategy, spotStrategy } from './strategies.ts';

type Tree = Readonly<Record<string, unknown>>;

/** The launch template and the parameters of CreateAutoScalingGroup for an order. */
export async function groupParameters(session: CloudSession, order: LaunchOrder<any>, call: Call): Promise<Prepared> {
  const template = order.template as CloudTemplate;
  const offered = (order.offers ?? poolsOf(template)) as readonly Pool[];
  const native: Tree = template.provider_api_spec ?? {};
  const said = overridesSaid(native);
  const unitDrawn = nativeUnit(said) ?? unitOf(template, offered);
  const drawn = targetFor(template, offered, order.machine_count, unitDrawn);
  const pools = poolsFor(drawn, offered);
  const types = [...new Set(pools.map((pool) => pool.machine_type))];
  const plain = isPlain(template, drawn, types) && native['MixedInstancesPolicy'] === undefined;
  const unit = plain ? 1 : unitDrawn;
  const total = plain ? order.machine_count : drawn.total;
  const target = plain ? { 'on-demand': total, spot: 0 } : { 'on-demand': drawn.onDemand, spot: drawn.spot };

  const name = groupName(session, order);
  const used = await groupTemplate(session, order, plain ? types[0] : undefined, call);
  const built = {
    HealthCheckType: 'EC2',
    ...(await placesFor(session, pools, native, call)),
    ...(plain ? {} : { MixedInstancesPolicy: policyFor(template, types, drawn) }),
  };
  const laid = Object.entries(withTemplate(overlay(built, native), used)).filter(
    ([setting]) => !swaps.some((each) => each === setting),
  );
  const input = {
    ...Object.fromEntries(laid),
    CapacityRebalance: false,
    // By these the group is found, its machines counted, and none of them ended before their time: they are ours
    // alone.
    AutoScalingGroupName: name,
    MinSize: 0,
    MaxSize: total,
    DesiredCapacity: total,
    NewInstancesProtectedFromScaleIn: true,
    Tags: tagsFor(native['Tags'], tagsOf(order, session.installation)),
  };
  const weighted = said ? Object.keys(weightsIn(said)).length > 0 : isWeighted(template);
  return { name, input, template: used, pools, target, unit, weighted: !plain && weighted };
}

/** One type on demand needs no choice among types and markets, and so no policy for it. */
const isPlain = (template: CloudTemplate, target: Target, types: readonly unknown[]): boolean =>
  target.spot === 0 && types.length === 1 && template.instance_requirements === undefined;

const isWeighted = (template: CloudTemplate): boolean => Object.keys(template.machine_types ?? {}).length > 0;

/** What a native specification says of types and weights in place of ours. */
function overridesSaid(native: Tree): readonly unknown[] | undefined {
  const { LaunchTemplate } = (native['MixedInstancesPolicy'] ?? {}) as {
    readonly LaunchTemplate?: { readonly Overrides?: unknown } | null;
  };
  return Array.isArray(LaunchTemplate?.Overrides) ? [LaunchTemplate] : undefined;
}

/** Subnets of the pools; where they have none, all zones of the region. */
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
    throw new ProviderFault('unavailable', 'DescribeAvailabilityZones named no zone that is available.');
  return { AvailabilityZones: zones };
}

/**
 * How types and markets are chosen. The on-demand part is a base in units, not a percentage: a group rounds
 * percentages up, and takes them anew whenever its size changes. /
 */
function policyFor(template: CloudTemplate, types: readonly (string | undefined)[], target: Target): object {
  const {
    instance_requirements,
    max_price,
    machine_types_priority,
    allocation_strategy,
    allocation_strategy_on_demand,
  } = template;
  const prioritized = machine_types_priority !== undefined && instance_requirements === undefined;
  const weighted = isWeighted(template);
  const overrides = instance_requirements
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
        onDemandStrategy(allocation_strategy_on_demand ?? '') ?? (prioritized ? 'prioritized' : 'lowest-price'),
      OnDemandBaseCapacity: target.onDemand,
      OnDemandPercentageAboveBaseCapacity: target.spot > 0 ? 0 : 100,
      SpotAllocationStrategy:
        spotStrategy(allocation_strategy ?? '') ??
        (prioritized ? 'capacity-optimized-prioritized' : 'price-capacity-optimized'),
      ...(max_price === undefined || target.spot === 0 ? {} : { SpotMaxPrice: String(max_price) }),
    },
  };
}

/** Our launch template where the group or its policy names one: it carries the tags. */
function withTemplate(laid: Record<string, unknown>, { id, version }: TemplateVersion): Record<string, unknown> {
  const named = { LaunchTemplateId: id, Version: version };
  const { LaunchTemplate: _, MixedInstancesPolicy, ...rest } = laid;
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

/** Machines have our tags from the launch template; the group must not give them another value. */
function tagsFor(given: unknown, ours: readonly { readonly Key: string; readonly Value: string }[]): object[] {
  const keys = new Set(ours.map(({ Key }) => Key));
  const more = (Array.isArray(given) ? (given as { Key?: string }[]) : []).filter(
    ({ Key }) => Key !== undefined && !keys.has(Key),
  );
  return [...more, ...ours.map((tag) => ({ ...tag, PropagateAtLaunch: false }))];
}

/** The launch template of an order's group. `type` goes into it where the group has no list of types. */
const groupTemplate = (
  session: CloudSession,
  order: LaunchOrder<any>,
  type: string | undefined,
  call: Call,
): Promise<TemplateVersion> =>
  ownOrderTemplate(session, order, call, (data) => {
    // The market is the group's to choose.
    const { InstanceMarketOptions: _, ...rest } = data;
    return type === undefined ? rest : { ...rest, InstanceType: type, InstanceRequirements: undefined };
  });
