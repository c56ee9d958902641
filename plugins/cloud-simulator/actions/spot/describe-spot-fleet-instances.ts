import type { Action } from '../../dispatch/action.ts';
import { required } from '../../wire/values.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { spotFleetById } from '../fleets/fleet-ids.ts';
import { membersPageXml } from '../fleets/fleet-lists.ts';

/** Shows the machines of a Spot fleet; the list may be out of date. */
export const describeSpotFleetInstances: Action = {
  name: 'DescribeSpotFleetInstances',
  mutating: false,
  handle(call) {
    const fleet = spotFleetById(call, required(call.params, 'SpotFleetRequestId'));
    return membersPageXml(call, fleet, false) + leaf('spotFleetRequestId', fleet.id);
  },
};
