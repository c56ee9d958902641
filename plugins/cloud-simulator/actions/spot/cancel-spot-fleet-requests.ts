import type { Action, ActionCall } from '../../dispatch/action.ts';
import { stopFleet } from '../../fleets/fleet-life.ts';
import { stateWord } from '../../fleets/fleet-words.ts';
import { isStopped, type StandingFleet } from '../../state/fleets/standing-fleet.ts';
import { invalidParameter, missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { flag } from '../../wire/values.ts';
import { itemSet, leaf, node } from '../../wire/xml/xml.ts';
import { findFleet, isSpotFleetId } from '../fleets/fleet-ids.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';

const maxIds = 100;

interface Cancellation {
  readonly id: string;
  readonly previous: string;
  readonly current: string;
}

interface Failure {
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

/** Cancels Spot fleets one by one, with or without their machines. */
export const cancelSpotFleetRequests: Action = {
  name: 'CancelSpotFleetRequests',
  mutating: true,
  handle(call) {
    const ids = [...new Set(texts(call.params, 'SpotFleetRequestId'))];
    if (ids.length === 0) throw missingParameter('SpotFleetRequestId');
    if (ids.length > maxIds)
      throw invalidParameter(`You can cancel at most ${maxIds} Spot Fleet requests in one call.`);
    const terminate = flag(call.params, 'TerminateInstances');
    if (terminate === undefined) throw missingParameter('TerminateInstances');

    endDryRun(call);
    const outcomes = ids.map((id) => cancel(call, id, terminate));
    return (
      itemSet(
        'successfulFleetRequestSet',
        outcomes.filter((one): one is Cancellation => 'current' in one),
        (one) =>
          leaf('currentSpotFleetRequestState', one.current) +
          leaf('previousSpotFleetRequestState', one.previous) +
          leaf('spotFleetRequestId', one.id),
      ) +
      itemSet(
        'unsuccessfulFleetRequestSet',
        outcomes.filter((one): one is Failure => 'code' in one),
        (one) =>
          node('error', leaf('code', one.code) + leaf('message', one.message)) + leaf('spotFleetRequestId', one.id),
      )
    );
  },
};

function cancel(call: ActionCall, id: string, terminate: boolean): Cancellation | Failure {
  if (!isSpotFleetId(id))
    return { id, code: 'fleetRequestIdMalformed', message: `The Spot Fleet request ID '${id}' is malformed.` };
  const fleet = findFleet(call, id) as StandingFleet | undefined;
  if (fleet === undefined)
    return { id, code: 'fleetRequestIdDoesNotExist', message: `The Spot Fleet request ID '${id}' does not exist.` };
  if (isStopped(fleet))
    return {
      id,
      code: 'fleetRequestNotInCancellableState',
      message: `The Spot Fleet request '${id}' is cancelled already.`,
    };
  const previous = stateWord(fleet);
  stopFleet(call, fleet, terminate);
  call.touched.push(id);
  return { id, previous, current: stateWord(fleet) };
}
