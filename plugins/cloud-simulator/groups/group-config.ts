import type { CallContext } from '../state/call-context.ts';
import type { GroupConfig } from '../state/groups.ts';
import { type Params, part, text } from '../wire/form.ts';
import { memberTexts } from '../wire/members.ts';
import { flag, integer, oneOf } from '../wire/values.ts';
import { checkSource, readSource } from './launch/launch-source.ts';
import { readGroupZones } from './group-zones.ts';
import { validationError } from './refusals.ts';
import type { Sizes } from './sizes.ts';

const defaultCooldownS = 300;

/** Settings that are only shown, except `DesiredCapacityType`, which has an effect. */
const texts = ['HealthCheckType', 'PlacementGroup', 'ServiceLinkedRoleARN', 'Context', 'DesiredCapacityType'];
const numbers = ['HealthCheckGracePeriod', 'MaxInstanceLifetime', 'DefaultInstanceWarmup'];
const flags = ['CapacityRebalance'];
/** Structures and lists that are only shown. */
const echoed = [
  'InstanceMaintenancePolicy',
  'AvailabilityZoneDistribution',
  'AvailabilityZoneImpairmentPolicy',
  'CapacityReservationSpecification',
  'LoadBalancerNames',
  'TargetGroupARNs',
  'TrafficSources',
];
const notHere: Readonly<Record<string, string>> = {
  LaunchConfigurationName: 'use a launch template',
  InstanceId: 'use a launch template',
  LifecycleHookSpecificationList: 'machines do not wait for lifecycle hooks',
};

const policies = new Set([
  'Default',
  'AllocationStrategy',
  'ClosestToNextInstanceHour',
  'NewestInstance',
  'OldestInstance',
  'OldestLaunchConfiguration',
  'OldestLaunchTemplate',
]);

/**
 * Reads the settings of CreateAutoScalingGroup, or the changes of UpdateAutoScalingGroup to `old`. Throws if no
 * machine could be launched from them.
 */
export function readGroupConfig(
  context: CallContext,
  params: Params,
  sizes: Sizes,
  old: GroupConfig | undefined,
): GroupConfig {
  const refused = Object.entries(notHere).find(([name]) => params[name] !== undefined);
  if (refused !== undefined) throw validationError(`${refused[0]} is not simulated: ${refused[1]}.`);
  const source = readSource(context, params, old?.source);
  const terminationPolicies = readTerminationPolicies(params);
  const config: GroupConfig = {
    min: sizes.min,
    max: sizes.max,
    ...readGroupZones(context, params, old),
    source,
    newProtected: flag(params, 'NewInstancesProtectedFromScaleIn') ?? old?.newProtected ?? false,
    cooldownS: notNegative(params, 'DefaultCooldown') ?? old?.cooldownS ?? defaultCooldownS,
    shown: readShown(params, old),
    echoed: { ...old?.echoed, ...readEchoed(params) },
    terminationPolicies:
      terminationPolicies.length > 0 ? terminationPolicies : (old?.terminationPolicies ?? ['Default']),
  };
  if (old === undefined || isSourceNamed(params) || old.zones !== config.zones) checkSource(context, config);
  return config;
}

/** Only `NewestInstance` has an effect; all other policies act as `Default`. */
function readTerminationPolicies(params: Params): string[] {
  const names = memberTexts(params, 'TerminationPolicies');
  const unknown = names.find((name) => !policies.has(name) && !name.startsWith('arn:'));
  if (unknown !== undefined) throw validationError(`Invalid termination policy: ${unknown}`);
  return names;
}

function notNegative(params: Params, name: string): number | undefined {
  const value = integer(params, name);
  if (value !== undefined && value < 0) throw validationError(`${name} must not be negative: ${value}`);
  return value;
}

function isSourceNamed(params: Params): boolean {
  return part(params, 'LaunchTemplate') !== undefined || part(params, 'MixedInstancesPolicy') !== undefined;
}

function readEchoed(params: Params): Params {
  const given = Object.entries(params).filter(([name, value]) => echoed.includes(name) && typeof value === 'object');
  return Object.fromEntries(given);
}

function readShown(params: Params, old: GroupConfig | undefined): ReadonlyMap<string, string> {
  oneOf(params, 'DesiredCapacityType', ['units', 'vcpu', 'memory-mib']);
  oneOf(params, 'HealthCheckType', ['EC2', 'EBS', 'ELB', 'VPC_LATTICE']);
  notNegative(params, 'HealthCheckGracePeriod');
  for (const name of numbers) integer(params, name);
  const given = [...texts, ...numbers, ...flags.filter((name) => flag(params, name) !== undefined)].flatMap((name) => {
    const value = text(params, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const start =
    old?.shown ??
    new Map([
      ['HealthCheckType', 'EC2'],
      ['HealthCheckGracePeriod', '0'],
    ]);
  return new Map([...start, ...given]);
}
