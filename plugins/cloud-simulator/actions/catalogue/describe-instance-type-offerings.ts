import type { Action } from '../../dispatch/action.ts';
import { zoneHas } from '../../capacity.ts';
import { offeredTypes } from '../../launch/requirements/instance-requirements.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { oneOf } from '../../wire/values.ts';
import { itemSet, leaf, nextTokenXml } from '../../wire/xml/xml.ts';

interface Offering {
  readonly instanceType: string;
  readonly location: string;
}

const fields: FilterFields<Offering> = {
  'instance-type': (offering) => offering.instanceType,
  location: (offering) => offering.location,
};

/** Shows the instance types that the region offers, or the zones that offer each type. */
export const describeInstanceTypeOfferings: Action = {
  name: 'DescribeInstanceTypeOfferings',
  mutating: false,
  handle(call) {
    const { params, state } = call;
    const page = pageRequest(call, { min: 5, max: 1000 });
    const kind =
      oneOf(params, 'LocationType', ['region', 'availability-zone', 'availability-zone-id', 'outpost']) ?? 'region';
    const filters = readFilters(params, fields, false);
    const places = state.network.catalogue.zones.map(({ zone, zone_id }) => ({
      zone,
      name: kind === 'availability-zone' ? zone : zone_id,
    }));
    const offerings = offeredTypes(state).flatMap(({ instance_type: instanceType }): Offering[] => {
      if (kind === 'outpost') return [];
      if (kind === 'region') return [{ instanceType, location: state.region }];
      return places.flatMap(({ zone, name }) =>
        zoneHas(state, zone, instanceType) ? [{ instanceType, location: name }] : [],
      );
    });
    const { entries, next } = pageOf(
      offerings.filter((offering) => passes(offering, filters, fields)),
      page,
    );
    return (
      itemSet(
        'instanceTypeOfferingSet',
        entries,
        ({ instanceType, location }) =>
          leaf('instanceType', instanceType) + leaf('locationType', kind) + leaf('location', location),
      ) + nextTokenXml(next)
    );
  },
};
