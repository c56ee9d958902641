import type { Action } from '../../dispatch/action.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { spotFleetXml } from '../../wire/xml/spot-fleet-xml.ts';
import { itemSet, nextTokenXml } from '../../wire/xml/xml.ts';
import { spotFleetById, standingFleets } from '../fleets/fleet-ids.ts';

/** Shows Spot fleets, by id or all. */
export const describeSpotFleetRequests: Action = {
  name: 'DescribeSpotFleetRequests',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 1, max: 1000 });
    const ids = [...new Set(texts(call.params, 'SpotFleetRequestId'))];
    const fleets = ids.length > 0 ? ids.map((id) => spotFleetById(call, id)) : standingFleets(call, 'spot');
    const { entries, next } = pageOf(fleets, page);
    return itemSet('spotFleetRequestConfigSet', entries, spotFleetXml) + nextTokenXml(next);
  },
};
