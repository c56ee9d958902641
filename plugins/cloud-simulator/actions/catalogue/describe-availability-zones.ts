import type { CatalogueZone } from '../../catalogue.ts';
import type { Action } from '../../dispatch/action.ts';
import { AwsError, invalidParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { itemSet, leaf } from '../../wire/xml/xml.ts';

/** Shows the zones of the region. */
export const describeAvailabilityZones: Action = {
  name: 'DescribeAvailabilityZones',
  mutating: false,
  handle(call) {
    const { region, network } = call.state;
    const fields: FilterFields<CatalogueZone> = {
      ...withoutValue('group-long-name', 'message', 'parent-zone-id', 'parent-zone-name'),
      'group-name': () => region,
      'opt-in-status': () => 'opt-in-not-required',
      'region-name': () => region,
      state: () => 'available',
      'zone-id': (zone) => zone.zone_id,
      'zone-name': (zone) => zone.zone,
      'zone-type': () => 'availability-zone',
    };
    const filters = readFilters(call.params, fields, false);
    const { zones } = network.catalogue;
    const names = texts(call.params, 'ZoneName');
    const ids = texts(call.params, 'ZoneId');
    const missing = names.find((name) => !network.zones.includes(name));
    if (missing !== undefined) throw invalidParameter(`Invalid availability zone: [${missing}]`);
    const missingId = ids.find((id) => !zones.some((zone) => zone.zone_id === id));
    if (missingId !== undefined)
      throw new AwsError('InvalidParameterValue', `Invalid availability zone-id: [${missingId}]`);
    const chosen = zones.filter(
      (zone) => (names.length === 0 || names.includes(zone.zone)) && (ids.length === 0 || ids.includes(zone.zone_id)),
    );
    return itemSet(
      'availabilityZoneInfo',
      chosen.filter((zone) => passes(zone, filters, fields)),
      (zone) =>
        leaf('zoneName', zone.zone) +
        leaf('zoneId', zone.zone_id) +
        leaf('zoneState', 'available') +
        leaf('zoneType', 'availability-zone') +
        leaf('regionName', region) +
        leaf('groupName', region) +
        leaf('networkBorderGroup', region) +
        leaf('optInStatus', 'opt-in-not-required') +
        '<messageSet/>',
    );
  },
};
