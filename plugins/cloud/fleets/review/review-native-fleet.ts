import type { Finding } from '../../../../core/index.ts';
import { maxPools, type CloudTemplate } from '../../template/fields.ts';

/** The most units of capacity of one machine in EC2. */
const maxUnits = 999;

interface Config {
  readonly LaunchTemplateSpecification?: unknown;
  readonly Overrides?: readonly {
    readonly SubnetId?: unknown;
    readonly InstanceType?: unknown;
    readonly InstanceRequirements?: unknown;
    readonly WeightedCapacity?: unknown;
  }[];
}

/** A native specification of a fleet, and its path in the template. */
export interface NativeFleet {
  readonly native: Readonly<Record<string, unknown>>;
  readonly path: string;
}

/**
 * The native parameters of the call. `within`: the parameter that contains all others; a template may name or omit it.
 */
export function nativeFleet({ provider_api_spec: given = {} }: CloudTemplate, within?: string): NativeFleet {
  const path = '/provider_api_spec';
  const inner = within === undefined ? undefined : given[within];
  return inner === undefined || inner === null
    ? { native: given, path }
    : { native: inner as Readonly<Record<string, unknown>>, path: `${path}/${within}` };
}

const listOf = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : []);
/** The form was reviewed before. */
const configsOf = ({ native }: NativeFleet): readonly Config[] =>
  listOf(native['LaunchTemplateConfigs']) as readonly Config[];

/** Which properties of machines the native specification names, so that the template may omit them. */
export function namedIn(fleet: NativeFleet): ('image' | 'type')[] {
  const configs = configsOf(fleet);
  const own = configs.length > 0 && configs.every((config) => config.LaunchTemplateSpecification !== undefined);
  const types = configs.some(({ Overrides }) =>
    Overrides?.some(
      ({ InstanceType, InstanceRequirements }) => InstanceType !== undefined || InstanceRequirements !== undefined,
    ),
  );
  return [...(own ? (['image'] as const) : []), ...(own || types ? (['type'] as const) : [])];
}

/** Reports what EC2 would refuse in the pools of the native specification. */
export function reviewPools(fleet: NativeFleet, standing: boolean): Finding[] {
  const findings: Finding[] = [];
  const error = (field: string, message: string) => findings.push({ level: 'error', path: field, message });
  const { native } = fleet;
  const path = `${fleet.path}/LaunchTemplateConfigs`;
  if (native['LaunchSpecifications'] !== undefined)
    error(`${fleet.path}/LaunchSpecifications`, 'cannot be used: fleets are created from a launch template');
  if (native['LaunchTemplateConfigs'] === undefined || native['LaunchTemplateConfigs'] === null) return findings;
  const configs = configsOf(fleet);
  if (configs.length === 0) error(path, 'must be a list that is not empty');
  const overrides = configs.flatMap(({ Overrides }) => Overrides ?? []);
  if (overrides.length > maxPools) error(path, `has ${overrides.length} overrides; a fleet has at most ${maxPools}`);
  if (!standing && overrides.some(({ SubnetId }) => typeof SubnetId === 'string' && SubnetId.includes(',')))
    error(path, 'must have one subnet in each override of an instant fleet');
  for (const [index, { Overrides }] of configs.entries())
    for (const [number, { WeightedCapacity: weight }] of (Overrides ?? []).entries())
      if (
        weight !== undefined &&
        weight !== null &&
        !(Number.isInteger(weight) && Number(weight) >= 1 && Number(weight) <= maxUnits)
      )
        error(`${path}/${index}/Overrides/${number}/WeightedCapacity`, `must be a whole number from 1 to ${maxUnits}`);
  for (const [index, { LaunchTemplateSpecification }] of configs.entries())
    if (standing && LaunchTemplateSpecification !== undefined)
      error(
        `${path}/${index}/LaunchTemplateSpecification`,
        'cannot be used: the machines of such a fleet are tagged only by the launch template of the order; name a base with launch_template_id',
      );
  return findings;
}

const instantOnly = [
  'SingleInstanceType',
  'SingleAvailabilityZone',
  'MinTargetCapacity',
  'CapacityReservationOptions',
];

/**
 * Reports options that EC2 allows only for some types of fleets. `tagged`: the only resource type that the call of a
 * standing fleet can tag.
 */
export function reviewFleetOptions({ native, path }: NativeFleet, standing: boolean, tagged: string): Finding[] {
  const findings: Finding[] = [];
  const error = (field: string, message: string) =>
    findings.push({ level: 'error', path: `${path}${field}`, message });
  for (const options of ['OnDemandOptions', 'SpotOptions']) {
    const given = (native[options] ?? {}) as Readonly<Record<string, unknown>>;
    for (const name of instantOnly)
      if (standing && given[name] !== undefined) error(`/${options}/${name}`, 'is for instant fleets only');
    const least = given['MinTargetCapacity'];
    if (!standing && least !== undefined && !given['SingleInstanceType'] && !given['SingleAvailabilityZone'])
      error(`/${options}/MinTargetCapacity`, 'needs SingleInstanceType or SingleAvailabilityZone');
    if (!standing && Number(least ?? 0) > 1000) error(`/${options}/MinTargetCapacity`, 'must be at most 1000');
  }
  if (standing && native['ReservedCapacityOptions'] !== undefined)
    error('/ReservedCapacityOptions', 'is for instant fleets only');
  const { MaintenanceStrategies: maintenance } = (native['SpotOptions'] ?? {}) as Readonly<Record<string, unknown>>;
  for (const [field, given] of [
    ['/SpotOptions/MaintenanceStrategies', maintenance],
    ['/SpotMaintenanceStrategies', native['SpotMaintenanceStrategies']],
  ] as const)
    if (given !== undefined && given !== null)
      error(field, 'cannot be used: the fleet would replace machines by itself');
  if (native['ReplaceUnhealthyInstances'] === true)
    error('/ReplaceUnhealthyInstances', 'cannot be used: the fleet would terminate machines by itself');
  const tags = native['TagSpecifications'];
  const others = (listOf(tags) as { readonly ResourceType?: string | null }[]).flatMap(({ ResourceType: type }) =>
    type === undefined || type === null || type === tagged ? [] : [type],
  );
  if (standing && others.length > 0)
    error('/TagSpecifications', `can be of ${tagged} only; put tags of machines into launch_template_spec`);
  return findings;
}
