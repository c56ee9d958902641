import type { Action } from '../../dispatch/action.ts';
import { required } from '../../wire/values.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { fleetById } from './fleet-ids.ts';
import { historyPageXml } from './fleet-lists.ts';

/** Shows the history of a fleet, with the delay `history_ms`. An instant fleet has no history. */
export const describeFleetHistory: Action = {
  name: 'DescribeFleetHistory',
  mutating: false,
  handle(call) {
    const fleet = fleetById(call, required(call.params, 'FleetId'));
    return historyPageXml(call, fleet.type === 'instant' ? undefined : fleet, 'ec2') + leaf('fleetId', fleet.id);
  },
};
