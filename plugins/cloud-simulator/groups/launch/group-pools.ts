import { overlay } from '../../launch/fleets/fleet-overlay.ts';
import { checkLaunch, groupAsLauncher } from '../../launch/permission.ts';
import { typesFor } from '../../launch/requirements/instance-requirements.ts';
import { readLaunchSpec } from '../../launch/specification/read-launch-spec.ts';
import type { LaunchSpec, Market } from '../../launch/specification/launch-spec.ts';
import { findTemplate, findVersion } from '../../launch/specification/template-data.ts';
import type { CallContext } from '../../state/call-context.ts';
import type { GroupConfig, TemplateName } from '../../state/groups.ts';
import { mergeTags, type Tags } from '../../state/tags.ts';
import { AwsError } from '../../wire/errors.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { memberParts } from '../../wire/members.ts';
import { decimal } from '../../wire/values.ts';
import type { Place } from './places.ts';
import type { UnitType } from '../../state/fleets/fleet-target.ts';

/** A launch that can add a machine to a group at a place. */
export interface GroupPool {
  readonly spec: LaunchSpec;
  /** With the number of the version that is in force now. */
  readonly template: TemplateName;
  readonly weight: number;
  readonly weighted: boolean;
  /** Lower is preferred: the order of the overrides. */
  readonly priority: number;
}

/**
 * The pools from which a group can launch machines of one market at a place, and the errors of the unusable pools.
 * `market` undefined: the market of the template.
 */
export function groupPoolsAt(
  context: CallContext,
  config: GroupConfig,
  tags: Tags,
  place: Place,
  market: Market | undefined,
): { readonly pools: readonly GroupPool[]; readonly refusals: readonly AwsError[] } {
  const pools: GroupPool[] = [];
  const refusals: AwsError[] = [];
  for (const [priority, override] of overridesOf(config).entries()) {
    try {
      pools.push(
        ...groupPoolsOf(context, config, override, place, market).map((pool) => tagged({ ...pool, priority }, tags)),
      );
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      refusals.push(error);
    }
  }
  return { pools, refusals };
}

/** The overrides of a mixed instances policy; a single empty one where there are none. */
export function overridesOf(config: Pick<GroupConfig, 'source'>): readonly Params[] {
  const overrides = memberParts(part(config.source.policy, 'LaunchTemplate'), 'Overrides');
  return overrides.length === 0 ? [{}] : overrides;
}

/** Whether a machine can count other than one unit of the group. */
export function isWeighted(config: GroupConfig): boolean {
  return (
    unitOf(config) !== 'units' ||
    overridesOf(config).some((override) => text(override, 'WeightedCapacity') !== undefined)
  );
}

/** The template that `LaunchTemplateId`, `LaunchTemplateName` and `Version` name. */
export function readTemplateName(context: CallContext, named: Params): TemplateName {
  const { id, name } = findTemplate(context, named);
  return { id, name, version: text(named, 'Version') || undefined };
}

function groupPoolsOf(
  context: CallContext,
  config: GroupConfig,
  override: Params,
  place: Place,
  market: Market | undefined,
): Omit<GroupPool, 'priority'>[] {
  const own = part(override, 'LaunchTemplateSpecification');
  const named = own === undefined ? config.source.template : readTemplateName(context, own);
  const version = findVersion(context, findTemplate(context, { LaunchTemplateId: named.id }), named.version);
  const template = { id: named.id, name: named.name, version: String(version.number) };
  const { policy } = config.source;
  const maxPrice =
    market === 'spot' ? text(part(policy, 'InstancesDistribution'), 'SpotMaxPrice') || undefined : undefined;
  return typeNames(context, override, version.data, market, unitOf(config)).map((type) => {
    const laid = {
      ...(type === undefined ? {} : { InstanceType: type }),
      ...only(override, 'ImageId'),
      ...(place.subnet === undefined ? { AvailabilityZone: place.zone } : { SubnetId: place.subnet }),
      ...(maxPrice === undefined ? {} : { MaxPrice: maxPrice }),
    };
    const { params, data } = overlay(laid, version.data);
    const bare = readLaunchSpec(context, params, data, policy === undefined ? undefined : market);
    const spec = { ...bare, template };
    checkLaunch(context, groupAsLauncher(context), {
      spec,
      subnet: spec.network.subnet?.id,
      template: [named.id, named.name],
    });
    return { spec, template, ...weigh(config, override, spec) };
  });
}

/**
 * The types of an override: the type that it names, the types that its attributes select, or the type of the template
 * (undefined).
 */
function typeNames(
  context: CallContext,
  override: Params,
  data: Params,
  market: Market | undefined,
  unit: UnitType,
): (string | undefined)[] {
  const type = text(override, 'InstanceType');
  const requirements =
    part(override, 'InstanceRequirements') ?? (type === undefined ? part(data, 'InstanceRequirements') : undefined);
  if (requirements === undefined) return [type];
  const arch = context.state.network.image(text(override, 'ImageId') ?? text(data, 'ImageId') ?? '')?.arch;
  const found = typesFor(context, requirements, market ?? 'on-demand', { arch, unit }).map((one) => one.instance_type);
  if (found.length === 0)
    throw new AwsError('InvalidParameterValue', 'No instance type meets the instance requirements.');
  return found;
}

function weigh(config: GroupConfig, override: Params, spec: LaunchSpec): { weight: number; weighted: boolean } {
  const unit = unitOf(config);
  if (unit === 'vcpu') return { weight: spec.type.vcpus, weighted: true };
  if (unit === 'memory-mib') return { weight: spec.type.memory_mib, weighted: true };
  const given = decimal(override, 'WeightedCapacity');
  return { weight: given ?? 1, weighted: given !== undefined };
}

function unitOf(config: GroupConfig): UnitType {
  return (config.shown.get('DesiredCapacityType') ?? 'units') as UnitType;
}

function only(params: Params, name: string): Params {
  const value = params[name];
  return value === undefined ? {} : { [name]: value };
}

function tagged(pool: GroupPool, tags: Tags): GroupPool {
  return { ...pool, spec: { ...pool.spec, tags: mergeTags(pool.spec.tags, tags) } };
}
