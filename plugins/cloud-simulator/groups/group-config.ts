import type { Moment } from '../moment.ts';
import type { GroupConfig } from '../state/groups.ts';
import { type Params, part, text } from '../wire/form.ts';
import { memberTexts } from '../wire/members.ts';
import { flag, integer, oneOf } from '../wire/values.ts';
import { checkSource, readSource } from './launch-source.ts';
import { readGroupZones } from './group-zones.ts';
import { validationError } from './refusals.ts';
import type { Sizes } from './sizes.ts';

const defaultCooldownS = 300;

/** Settings that have no effect here beyond being shown, beside `DesiredCapacityType`, which has. */
const texts = ['HealthCheckType', 'PlacementGroup', 'ServiceLinkedRoleARN', 'Context', 'DesiredCapacityType'];
const numbers = ['HealthCheckGracePeriod', 'MaxInstanceLifetime', 'DefaultInstanceWarmup'];
const flags = ['CapacityRebalance'];
const notHere = ['LaunchConfigurationName', 'InstanceId'];

/** Reads what CreateAutoScalingGroup sets, or what UpdateAutoScalingGroup changes of `old`; refuses what no machine could be launched from. */
export function readGroupConfig(moment: Moment, params: Params, sizes: Sizes, old: GroupConfig | undefined): GroupConfig {
  const refused = notHere.find((name) => params[name] !== undefined);
  if (refused !== undefined) throw validationError(`${refused} is not simulated; use a launch template.`);
  const source = readSource(moment, params, old?.source);
  const terminationPolicies = memberTexts(params, 'TerminationPolicies');
  const config: GroupConfig = {
    min: sizes.min,
    max: sizes.max,
    ...readGroupZones(moment, params, old),
    source,
    newProtected: flag(params, 'NewInstancesProtectedFromScaleIn') ?? old?.newProtected ?? false,
    cooldownS: integer(params, 'DefaultCooldown') ?? old?.cooldownS ?? defaultCooldownS,
    shown: readShown(params, old),
    terminationPolicies: terminationPolicies.length > 0 ? terminationPolicies : (old?.terminationPolicies ?? ['Default']),
  };
  if (old === undefined || isSourceNamed(params) || old.zones !== config.zones) checkSource(moment, config);
  return config;
}

function isSourceNamed(params: Params): boolean {
  return part(params, 'LaunchTemplate') !== undefined || part(params, 'MixedInstancesPolicy') !== undefined;
}

function readShown(params: Params, old: GroupConfig | undefined): ReadonlyMap<string, string> {
  oneOf(params, 'DesiredCapacityType', ['units', 'vcpu', 'memory-mib']);
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
