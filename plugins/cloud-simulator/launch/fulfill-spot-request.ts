import { deliveryLimit } from '../dispatch/faults.ts';
import { draw } from '../knobs/span.ts';
import type { CallContext } from '../state/call-context.ts';
import type { OpenSpotRequest } from '../state/instances/open-spot-requests.ts';
import { countLaunched, machinesAllowed } from './launch-rate.ts';
import { place } from './place.ts';
import { startInstances } from './start-instances.ts';

// Requests that never got a machine disappear after about the time for which AWS shows them.
const shownMs = 48 * 3_600_000;

/** Plans the evaluation of a new Spot request, and its expiry. */
export function fulfillLater(context: CallContext, request: OpenSpotRequest): void {
  const { state, knobs, random } = context;
  state.timers.plan(request.validFrom + draw(knobs.fleets.launch_ms, random), (then) => evaluate(then, request));
  if (request.validUntil !== undefined)
    state.timers.plan(request.validUntil, ({ now }) => {
      if (request.state !== 'open') return;
      request.state = 'closed';
      request.status = { code: 'schedule-expired', updatedAt: now };
    });
  state.timers.plan(request.createdAt + shownMs, (then) => {
    if (request.state !== 'open') then.state.openSpotRequests.delete(request.id);
  });
}

/** Starts the machine of an open request; without capacity the request is evaluated again after `retry_ms`. */
function evaluate(context: CallContext, request: OpenSpotRequest): void {
  const { state, knobs, random, now } = context;
  if (request.state !== 'open') return;
  const placement = place(context, request.spec);
  const allowed = Math.min(machinesAllowed(context), deliveryLimit(context, 'RequestSpotInstances'));
  if (placement.room >= 1 && allowed >= 1) {
    state.openSpotRequests.delete(request.id);
    startInstances(context, { spec: request.spec, placement, count: 1, spotRequestId: request.id });
    if (request.tags !== request.spec.requestTags) state.partTags.set(request.id, request.tags);
    countLaunched(context, 1);
    return;
  }
  const code = placement.room >= 1 ? 'capacity-not-available' : statusOf(placement.refusal.code);
  if (request.status.code !== code) request.status = { code, updatedAt: now };
  const pauseMs = Math.max(100, draw(knobs.fleets.retry_ms, random));
  state.timers.plan(now + pauseMs, (then) => evaluate(then, request));
}

function statusOf(code: string): string {
  if (code === 'SpotMaxPriceTooLow') return 'price-too-low';
  return code === 'Unsupported' || code === 'InsufficientFreeAddressesInSubnet'
    ? 'constraint-not-fulfillable'
    : 'capacity-not-available';
}
