import { type Finding, isObject } from '../../../core/index.ts';

/**
 * LSF's keys for how machines are launched that EC2 takes as they are: laid into `launch_template_spec`. Only of whole
 * templates: what a fragment lays over another file would take the place of all that stands there. /
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

const instead = {
  vmTypesOnDemand: 'what runs on demand is chosen among vmTypes',
  poolsCount: 'put InstancePoolsToUseCount into provider_api_spec',
  efaCount: 'put NetworkInterfaces into launch_template_spec',
  durationInHours: 'the cloud has no Spot machines for a fixed time any more',
} as const;

/** Keys that another provider would heed and this one does not: nobody is to believe that they work. */
export function keysWithoutEffect(raw: Readonly<Record<string, unknown>>): readonly Finding[] {
  const warn = (key: string, message: string): Finding => ({
    level: 'warning',
    path: `/${key}`,
    message: `has no effect here: ${message}`,
  });
  const given = Object.entries(instead).filter(([key]) => says(raw[key]));
  const fragments = ['placementGroupName', 'tenancy', 'ebsOptimized'].filter(
    (key) => raw['maxNumber'] === undefined && says(raw[key]),
  );
  return [
    ...given.map(([key, message]) => warn(key, message)),
    ...(raw['interfaceType'] === 'efa' ? [warn('interfaceType', instead.efaCount)] : []),
    ...fragments.map((key) => warn(key, 'it is heeded in a whole template only, one with maxNumber')),
  ];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const says = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== 0;
