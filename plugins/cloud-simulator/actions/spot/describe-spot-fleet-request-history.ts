import type { Action } from '../../dispatch/action.ts';
import { required } from '../../wire/values.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { spotFleetById } from '../fleets/fleet-ids.ts';
import { historyPageXml } from '../fleets/fleet-lists.ts';

/** Shows the history of a Spot fleet, with the delay `history_ms`. */
export const describeSpotFleetRequestHistory: Action = {
  name: 'DescribeSpotFleetRequestHistory',
  mutating: false,
  handle(call) {
    const fleet = spotFleetById(call, required(call.params, 'SpotFleetRequestId'));
    return historyPageXml(call, fleet, 'spot') + leaf('spotFleetRequestId', fleet.id);
  },
};
