import type { Action } from '../../dispatch/action.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';
import { missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { itemSet, leaf } from '../../wire/xml/xml.ts';
import { spotRequestsById } from './spot-request-ids.ts';

/** Cancels Spot requests: all, or none if one is unknown. Their machines run on. A closed request stays closed. */
export const cancelSpotInstanceRequests: Action = {
  name: 'CancelSpotInstanceRequests',
  mutating: true,
  handle(call) {
    const { now, state } = call;
    const ids = texts(call.params, 'SpotInstanceRequestId');
    if (ids.length === 0) throw missingParameter('SpotInstanceRequestId');
    const requests = spotRequestsById(call, ids);
    endDryRun(call);
    const outcomes = requests.map((request) => {
      if (request.state === 'closed') return { id: request.id, state: 'closed' };
      const open = state.openSpotRequests.get(request.id);
      if (open?.state === 'open') {
        open.state = 'cancelled';
        open.status = { code: 'canceled-before-fulfillment', updatedAt: now };
      }
      if (request.instance !== undefined) request.instance.requestCancelledAt ??= now;
      call.touched.push(request.id);
      return { id: request.id, state: 'cancelled' };
    });
    return itemSet(
      'spotInstanceRequestSet',
      outcomes,
      (one) => leaf('spotInstanceRequestId', one.id) + leaf('state', one.state),
    );
  },
};
