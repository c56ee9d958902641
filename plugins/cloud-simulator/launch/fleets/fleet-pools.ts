import type { CallContext } from '../../state/call-context.ts';
import type { FleetTarget, UnitType } from '../../state/fleets/fleet-target.ts';
import { echoXml, overrideXml } from '../../wire/xml/echo-xml.ts';
import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part, parts, text } from '../../wire/form.ts';
import { decimal } from '../../wire/values.ts';
import { itemSet, leaf, node } from '../../wire/xml/xml.ts';
import type { LaunchedFrom } from '../specification/launch-spec.ts';
import { findTemplate, findVersion } from '../specification/template-data.ts';
import { checkDistinct } from './duplicate-pools.ts';
import type { FleetPool } from '../../state/fleets/fleet-pool.ts';

/** Rules for pools that depend on the kind of fleet. */
export interface PoolRules {
  /**
   * An instant fleet accepts one subnet in an override and any number of overrides. Its description shows the number
   * of the version that `$Latest` meant.
   */
  readonly instant: boolean;
  readonly tags?: Params;
  /** The maximum price if an override names none. */
  readonly maxPrice?: number | undefined;
}

const maxConfigs = 50;
const maxOverrides = 300;

/**
 * Reads launch template configurations: one pool for each override, or one for a template without overrides. Templates
 * must exist.
 */
export function readTemplatePools(context: CallContext, configs: readonly Params[], rules: PoolRules): FleetPool[] {
  if (configs.length === 0) throw missingParameter('LaunchTemplateConfigs');
  if (configs.length > maxConfigs)
    throw invalidParameter(`A fleet can have at most ${maxConfigs} launch template configurations.`);
  const pools = configs.flatMap((config) => poolsOf(context, config, rules));
  if (!rules.instant && pools.length > maxOverrides)
    throw invalidParameter(`A fleet can have at most ${maxOverrides} overrides.`);
  checkDistinct(context, pools);
  return pools;
}

/** The pool with the present data of its template; throws if the template or its version is deleted. */
export function refreshPool(context: CallContext, pool: FleetPool): FleetPool {
  if (pool.template === undefined) return pool;
  const { data, id, version } = resolve(context, pool.template);
  return { ...pool, data, from: { id, version } };
}

/** `<launchTemplateConfigs>` as describing calls echo them. */
export function configsXml(context: CallContext, configs: readonly Params[], instant: boolean): string {
  return itemSet('launchTemplateConfigs', configs, (config) => {
    const named = part(config, 'LaunchTemplateSpecification') ?? {};
    const xml = instant
      ? specificationXml(resolveOrRefuse(context, named))
      : node('launchTemplateSpecification', echoXml(named));
    return xml + itemSet('overrides', parts(config, 'Overrides'), overrideXml);
  });
}

/** Throws if a fleet counts vCPUs or memory and a pool does not select types by attributes. */
export function checkUnits(target: FleetTarget, pools: readonly FleetPool[]): void {
  const unit: UnitType = target.unitType ?? 'units';
  if (unit === 'units' || pools.every((pool) => pool.requirements !== undefined)) return;
  throw invalidCombination('TargetCapacityUnitType can only be specified together with InstanceRequirements.');
}

/** Creates a pool from launch data and an override. */
export function poolOver(
  override: Params,
  data: Params,
  template: Params | undefined,
  rules: PoolRules,
  xml: string,
): FleetPool {
  const weight = decimal(override, 'WeightedCapacity') ?? 1;
  if (weight <= 0 || weight > 999) throw invalidParameter(`WeightedCapacity (${weight}) must be between 1 and 999.`);
  const own = part(override, 'InstanceRequirements');
  const type = text(override, 'InstanceType');
  if (own !== undefined && type !== undefined)
    throw invalidCombination('InstanceType and InstanceRequirements may not be specified together.');
  const subnets = alternatives(text(override, 'SubnetId'));
  if (rules.instant && subnets.length > 1)
    throw invalidParameter('An instant fleet takes one subnet ID per override.');
  return {
    template,
    from: undefined,
    data,
    override,
    requirements: own ?? (type === undefined ? part(data, 'InstanceRequirements') : undefined),
    subnets,
    zones: alternatives(text(override, 'AvailabilityZone') ?? text(part(override, 'Placement'), 'AvailabilityZone')),
    weight,
    priority: decimal(override, 'Priority') ?? Number.POSITIVE_INFINITY,
    // EC2 fleets and Spot fleets use different names.
    maxPrice: decimal(override, 'MaxPrice') ?? decimal(override, 'SpotPrice') ?? rules.maxPrice,
    tags: rules.tags ?? {},
    xml,
  };
}

interface Resolved extends LaunchedFrom {
  readonly data: Params;
  readonly refusal?: AwsError;
}

function poolsOf(context: CallContext, config: Params, rules: PoolRules): FleetPool[] {
  const named = part(config, 'LaunchTemplateSpecification');
  if (named === undefined) throw missingParameter('LaunchTemplateConfigs.LaunchTemplateSpecification');
  const resolved = rules.instant ? resolveOrRefuse(context, named) : resolve(context, named);
  const overrides = parts(config, 'Overrides');
  return (overrides.length === 0 ? [{}] : overrides).map((override: Params) => {
    const xml = node(
      'launchTemplateAndOverrides',
      specificationXml(resolved) + node('overrides', overrideXml(override)),
    );
    const { data, refusal, ...from } = resolved;
    const pool = { ...poolOver(override, data, named, rules, xml), from };
    return refusal === undefined ? pool : { ...pool, refusal };
  });
}

function resolve(context: CallContext, named: Params): Resolved {
  const version = text(named, 'Version');
  if (version === undefined || version === '') throw missingParameter('LaunchTemplateSpecification.Version');
  const template = findTemplate(context, named);
  const found = findVersion(context, template, version);
  return { id: template.id, version: String(found.number), data: found.data };
}

const missing = /^InvalidLaunchTemplate(Id\.(Version)?NotFound|Name\.NotFoundException)$/;

/** A template that an instant fleet uses: where AWS reports a missing one as an error of its pools, with that error. */
function resolveOrRefuse(context: CallContext, named: Params): Resolved {
  try {
    return resolve(context, named);
  } catch (error) {
    if (context.knobs.fleets.missing_template === 'refused') throw error;
    if (!(error instanceof AwsError) || !missing.test(error.code)) throw error;
    const id = text(named, 'LaunchTemplateId') ?? text(named, 'LaunchTemplateName') ?? '';
    return { id, version: text(named, 'Version') ?? '', data: {}, refusal: error };
  }
}

/** The tag specifications for the machines of an instant fleet, without those for the fleet itself. */
export function machineTags(specifications: Params): Params {
  const kept: Params = {};
  for (const [index, entry] of Object.entries(specifications)) {
    if (typeof entry !== 'object') continue;
    const type = text(entry, 'ResourceType') ?? '';
    if (type === 'fleet') continue;
    if (type === 'launch-template') throw notTaggable(type);
    kept[index] = entry;
  }
  return kept;
}

/** The error for a tag specification of a type that the call does not accept. */
export function notTaggable(type: string): AwsError {
  return new AwsError(
    'InvalidTagSpecification',
    `'${type}' is not a valid taggable resource type for this operation.`,
  );
}

function alternatives(list: string | undefined): string[] {
  return (list ?? '').split(',').flatMap((one) => one.trim() || []);
}

function specificationXml(template: Resolved): string {
  return node(
    'launchTemplateSpecification',
    leaf('launchTemplateId', template.id) + leaf('version', template.version),
  );
}
