import type { Action } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { required } from '../../wire/values.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { fleetById } from './fleet-ids.ts';
import { membersPageXml } from './fleet-lists.ts';

/** Shows the machines of a fleet of type request or maintain; the list may be out of date. */
export const describeFleetInstances: Action = {
  name: 'DescribeFleetInstances',
  mutating: false,
  handle(call) {
    const fleet = fleetById(call, required(call.params, 'FleetId'));
    if (fleet.type === 'instant')
      throw new AwsError('UnsupportedOperation', 'Fleets of type instant are not supported; describe the fleet.');
    return membersPageXml(call, fleet, true) + leaf('fleetId', fleet.id);
  },
};
