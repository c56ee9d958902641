import { type Finding, isObject } from '../../../core/index.ts';

/**
 * Converts LSF keys that EC2 accepts unchanged to `launch_template_spec`. Only for complete templates: in a fragment
 * they would replace the whole specification of the other file.
 */
export function launchKeys(
  raw: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (raw['maxNumber'] === undefined) return {};
  const { placementGroupName, tenancy, ebsOptimized } = raw;
  const placement = {
    ...(isText(placementGroupName) ? { GroupName: placementGroupName } : {}),
    ...(isText(tenancy) ? { Tenancy: tenancy } : {}),
  };
  const optimized = typeof ebsOptimized === 'string' ? ebsOptimized.toLowerCase() === 'true' : ebsOptimized;
  const spec = {
    ...(Object.keys(placement).length > 0 ? { Placement: placement } : {}),
    ...(typeof optimized === 'boolean' ? { EbsOptimized: optimized } : {}),
  };
  if (Object.keys(spec).length === 0) return {};
  const given = fields['launch_template_spec'];
  return { launch_template_spec: { ...spec, ...(isObject(given) ? given : {}) } };
}

const alternatives = {
  vmTypesOnDemand: 'on-demand machines are chosen among vmTypes',
  poolsCount: 'put InstancePoolsToUseCount into provider_api_spec',
  efaCount: 'put NetworkInterfaces into launch_template_spec',
  durationInHours: 'the cloud no longer offers Spot machines for a fixed time',
} as const;

/** Reports keys that other providers support and this one ignores. */
export function keysWithoutEffect(raw: Readonly<Record<string, unknown>>): readonly Finding[] {
  const warn = (key: string, message: string): Finding => ({
    level: 'warning',
    path: `/${key}`,
    message: `has no effect here: ${message}`,
  });
  const given = Object.entries(alternatives).filter(([key]) => isSet(raw[key]));
  const fragments = ['placementGroupName', 'tenancy', 'ebsOptimized'].filter(
    (key) => raw['maxNumber'] === undefined && isSet(raw[key]),
  );
  return [
    ...given.map(([key, message]) => warn(key, message)),
    ...(raw['interfaceType'] === 'efa' ? [warn('interfaceType', alternatives.efaCount)] : []),
    ...fragments.map((key) => warn(key, 'it is used only in a complete template, one with maxNumber')),
  ];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== 0;
