import type { Finding } from '../../../../core/index.ts';
import type { CloudTemplate } from '../../template/fields.ts';
import { mostPools } from '../../launch/most-pools.ts';

/** Units of capacity that EC2 lets one machine count as. */
const mostUnits = 999;

interface Config {
  readonly LaunchTemplateSpecification?: unknown;
  readonly Overrides?: readonly {
    readonly SubnetId?: unknown;
    readonly InstanceType?: unknown;
    readonly InstanceRequirements?: unknown;
    readonly WeightedCapacity?: unknown;
  }[];
}

/** A native specification of a fleet, and where it lies in the template. */
export interface NativeFleet {
  readonly native: Readonly<Record<string, unknown>>;
  readonly path: string;
}

/** The parameters of the call. `within`: the one in which all others lie; a template may name it or leave it out. */
export function nativeFleet({ provider_api_spec: given = {} }: CloudTemplate, within?: string): NativeFleet {
  const path = '/provider_api_spec';
  const inner = within === undefined ? undefined : given[within];
  return inner === undefined || inner === null
    ? { native: given, path }
    : { native: inner as Readonly<Record<string, unknown>>, path: `${path}/${within}` };
}

const listed = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : []);
/** Its form was looked at before. */
const configsOf = ({ native }: NativeFleet): readonly Config[] =>
  listed(native['LaunchTemplateConfigs']) as readonly Config[];

/** What the native specification says of machines, so that the template need not. */
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

/** What a fleet would be refused for in the pools that the template and its native specification name. */
export function reviewPools(fleet: NativeFleet, standing: boolean): Finding[] {
  const findings: Finding[] = [];
  const error = (where: string, message: string) => findings.push({ level: 'error', path: where, message });
  const { native } = fleet;
  const path = `${fleet.path}/LaunchTemplateConfigs`;
  if (native['LaunchSpecifications'] !== undefined)
    error(`${fleet.path}/LaunchSpecifications`, 'cannot be used: fleets are made from a launch template');
  if (native['LaunchTemplateConfigs'] === undefined || native['LaunchTemplateConfigs'] === null) return findings;
  const configs = configsOf(fleet);
  if (configs.length === 0) error(path, 'must be a list that is not empty');
  const overrides = configs.flatMap(({ Overrides }) => Overrides ?? []);
  if (overrides.length > mostPools) error(path, `has ${overrides.length} overrides; a fleet has at most ${mostPools}`);
  if (!standing && overrides.some(({ SubnetId }) => typeof SubnetId === 'string' && SubnetId.includes(',')))
    error(path, 'must have one subnet in each override of an instant fleet');
  for (const [index, { Overrides }] of configs.entries())
    for (const [number, { WeightedCapacity: weight }] of (Overrides ?? []).entries())
      if (
        weight !== undefined &&
        weight !== null &&
        !(Number.isInteger(weight) && Number(weight) >= 1 && Number(weight) <= mostUnits)
      )
        error(
          `${path}/${index}/Overrides/${number}/WeightedCapacity`,
          `must be a whole number from 1 to ${mostUnits}`,
        );
  for (const [index, { LaunchTemplateSpecification }] of configs.entries())
    if (standing && LaunchTemplateSpecification !== undefined)
      error(
        `${path}/${index}/LaunchTemplateSpecification`,
        'cannot be used: only by its own launch template are the machines of such a fleet tagged; launch_template_id names one to start from',
      );
  return findings;
}

const instantOnly = [
  'SingleInstanceType',
  'SingleAvailabilityZone',
  'MinTargetCapacity',
  'CapacityReservationOptions',
];

/** What EC2 allows of some types of fleet only. `tagged`: the only resource that the call of a standing fleet tags. */
export function reviewFleetOptions({ native, path }: NativeFleet, standing: boolean, tagged: string): Finding[] {
  const findings: Finding[] = [];
  const error = (where: string, message: string) =>
    findings.push({ level: 'error', path: `${path}${where}`, message });
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
  const { MaintenanceStrategies: exchange } = (native['SpotOptions'] ?? {}) as Readonly<Record<string, unknown>>;
  for (const [where, given] of [
    ['/SpotOptions/MaintenanceStrategies', exchange],
    ['/SpotMaintenanceStrategies', native['SpotMaintenanceStrategies']],
  ] as const)
    if (given !== undefined && given !== null)
      error(where, 'cannot be used: the fleet would exchange machines by itself');
  if (native['ReplaceUnhealthyInstances'] === true)
    error('/ReplaceUnhealthyInstances', 'cannot be used: the fleet would end machines by itself');
  const tags = native['TagSpecifications'];
  const others = (listed(tags) as { readonly ResourceType?: string | null }[]).flatMap(({ ResourceType: type }) =>
    type === undefined || type === null || type === tagged ? [] : [type],
  );
  if (standing && others.length > 0)
    error('/TagSpecifications', `can be of ${tagged} only; tags of machines belong into launch_template_spec`);
  return findings;
}
