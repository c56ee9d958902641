/**
 * The provider API of a HostFactory template that names none. Only complete templates imply one: a fragment that
 * overrides a field of another file leaves the choice to that file.
 */
export function impliedApi(
  raw: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (fields['provider_api'] !== undefined || raw['maxNumber'] === undefined) return {};
  // An LSF template names a file with parameters of CreateFleet.
  if (fields['provider_api_spec_file'] !== undefined) return { provider_api: 'EC2Fleet' };
  const price = fields['price_type'];
  const spotPrice = Number(raw['spotPrice'] ?? 0);
  const spot = price === 'spot' || price === 'mixed';
  if (spot || (price === undefined && (isText(fields['fleet_role']) || spotPrice > 0))) {
    return { provider_api: 'SpotFleet', price_type: price ?? 'spot' };
  }
  const types = fields['machine_types'];
  const several = typeof types === 'object' && types !== null && Object.keys(types).length > 1;
  return several
    ? { provider_api: 'EC2Fleet', fleet_type: fields['fleet_type'] ?? 'instant' }
    : { provider_api: 'RunInstances' };
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
