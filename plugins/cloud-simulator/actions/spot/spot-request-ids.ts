import type { ActionCall } from '../../dispatch/action.ts';
import type { Instance } from '../../state/instances/instance.ts';
import { openSpotRequestOf, type SpotRequest, spotRequestOf } from '../../state/instances/spot-requests.ts';
import { AwsError } from '../../wire/errors.ts';
import { isSeen } from '../instances/instance-ids.ts';

/** The named Spot requests. One malformed, unknown or not yet visible id refuses the whole call. */
export function spotRequestsById(call: ActionCall, ids: readonly string[]): SpotRequest[] {
  const malformed = ids.find((id) => !/^sir-[0-9a-z]{8}$/.test(id));
  if (malformed !== undefined)
    throw new AwsError(
      'InvalidSpotInstanceRequestID.Malformed',
      `The Spot Instance request ID '${malformed}' is malformed`,
    );
  const wanted = new Set(ids);
  const found = new Map<string, SpotRequest>();
  for (const id of wanted) {
    const open = call.state.openSpotRequests.get(id);
    if (open !== undefined) found.set(id, openSpotRequestOf(call, open));
  }
  if (found.size < wanted.size) {
    for (const instance of call.state.instances) {
      const id = instance.spotRequestId;
      if (id !== undefined && wanted.has(id) && isSeen(call, instance, 'id'))
        found.set(id, spotRequestOf(call, instance) as SpotRequest);
    }
  }
  const missing = [...wanted].filter((id) => !found.has(id));
  if (missing.length > 0) {
    throw new AwsError(
      'InvalidSpotInstanceRequestID.NotFound',
      missing.length === 1
        ? `The spot instance request ID '${missing[0]}' does not exist`
        : `The spot instance request IDs '${missing.join(', ')}' do not exist`,
    );
  }
  return [...found.values()].toSorted((a, b) => a.place - b.place);
}

/** The machine of a Spot request that has one. */
export function machineOfRequest(call: ActionCall, id: string): Instance {
  return spotRequestsById(call, [id])[0]?.instance as Instance;
}
