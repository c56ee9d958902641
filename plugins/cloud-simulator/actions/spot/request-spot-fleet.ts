import type { Action } from '../../dispatch/action.ts';
import { openFleet } from '../../fleets/fleet-life.ts';
import { checkFleetQuotas } from '../../fleets/fleet-quotas.ts';
import { onceRead } from '../../launch/fleets/fleet-once.ts';
import { readSpotFleet } from '../../launch/fleets/spot-fleet-request.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { newFleetId } from '../fleets/fleet-ids.ts';

/** Creates a Spot fleet, whose machines start afterwards. Without a client token each call creates another fleet. */
export const requestSpotFleet: Action = {
  name: 'RequestSpotFleet',
  mutating: true,
  token: 'SpotFleetRequestConfig.ClientToken',
  handle(call) {
    const { result: id } = onceRead(
      call,
      () => readSpotFleet(call),
      (request) => {
        checkFleetQuotas(call, 'spot', request.target);
        const made = openFleet(call, newFleetId(call, 'sfr'), request);
        call.touched.push(made.id);
        return made.id;
      },
    );
    return leaf('spotFleetRequestId', id);
  },
};
