import { type Params, part, parts, text } from '../../wire/form.ts';

const passed = ['InstanceType', 'ImageId', 'KeyName', 'IamInstanceProfile', 'MetadataOptions', 'BlockDeviceMapping'];

/** Merges an override into template data. Where both contradict each other, the override wins. */
export function overlay(override: Params, data: Params): { params: Params; data: Params } {
  const params: Params = {};
  const base: Params = { ...data };
  for (const name of passed) {
    const value = override[name];
    if (value !== undefined) params[name] = value;
  }
  const subnet = text(override, 'SubnetId');
  const zone = text(override, 'AvailabilityZone') ?? text(part(override, 'Placement'), 'AvailabilityZone');
  const interfaces = parts(data, 'NetworkInterface');
  if (subnet !== undefined && interfaces.length > 0) {
    // The interfaces keep their groups and move to the override's subnet.
    const moved = interfaces.map((one, index) => [index + 1, { ...one, SubnetId: subnet }]);
    params['NetworkInterface'] = Object.fromEntries(moved);
  } else if (subnet !== undefined) {
    params['SubnetId'] = subnet;
  }
  const zoneId = text(override, 'AvailabilityZoneId') ?? text(part(override, 'Placement'), 'AvailabilityZoneId');
  const placement: Params = { ...part(data, 'Placement') };
  if (subnet !== undefined || zone !== undefined || zoneId !== undefined) {
    delete placement['AvailabilityZone'];
    delete placement['AvailabilityZoneId'];
  }
  Object.assign(placement, part(override, 'Placement'));
  if (zone !== undefined) placement['AvailabilityZone'] = zone;
  if (zoneId !== undefined) placement['AvailabilityZoneId'] = zoneId;
  // Only the zone of the template's placement is replaced; its tenancy and its group stay.
  if (Object.keys(placement).length > 0) params['Placement'] = placement;
  else delete base['Placement'];
  const maxPrice = text(override, 'MaxPrice');
  if (maxPrice !== undefined) params['InstanceMarketOptions'] = { SpotOptions: { MaxPrice: maxPrice } };
  return { params, data: base };
}
