import type { Action, ActionCall } from '../../dispatch/action.ts';
import { openFleet } from '../../fleets/fleet-life.ts';
import { checkFleetQuotas } from '../../fleets/fleet-quotas.ts';
import { onceRead } from '../../launch/fleets/fleet-once.ts';
import { launchInstantFleet } from '../../launch/fleets/instant-fleet.ts';
import { type InstantRequest, readInstantFleet } from '../../launch/fleets/instant-fleet-request.ts';
import { readStandingFleet } from '../../launch/fleets/standing-fleet-request.ts';
import { isUnseen } from '../../launch/unseen.ts';
import type { InstantFleet } from '../../state/fleets/fleets.ts';
import { fleetOutcomeXml } from '../../wire/xml/fleet-xml.ts';
import { oneOf } from '../../wire/values.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { newFleetId } from './fleet-ids.ts';

/**
 * Creates a fleet. An instant fleet makes its only attempt during the call: the answer holds the machines and the
 * errors of pools, and its status is 200 even if no machine started. For other types the answer holds only the id,
 * and the machines start afterwards.
 */
export const createFleet: Action = {
  name: 'CreateFleet',
  mutating: true,
  handle(call) {
    const type = oneOf(call.params, 'Type', ['instant', 'request', 'maintain']) ?? 'maintain';
    return type === 'instant' ? createInstant(call) : createStanding(call, type);
  },
};

function createStanding(call: ActionCall, type: 'request' | 'maintain'): string {
  const { result: id } = onceRead(
    call,
    () => readStandingFleet(call, type),
    (request) => {
      checkFleetQuotas(call, 'ec2', request.target);
      const made = openFleet(call, newFleetId(call, 'fleet'), request);
      call.touched.push(made.id);
      return made.id;
    },
  );
  return leaf('fleetId', id);
}

function createInstant(call: ActionCall): string {
  const { result: fleet, replayed } = onceRead(
    call,
    () => readInstantFleet(call),
    (request) => launch(call, request),
    { again: (first) => isExecutedAgain(call, first) },
  );
  const bare = replayed && call.knobs.tokens.fleet_replay === 'bare';
  return leaf('fleetId', fleet.id) + (bare ? '' : fleetOutcomeXml(fleet.launches, fleet.errors));
}

/** Whether a replay of a fleet that started nothing makes another attempt, as knobs decide. */
function isExecutedAgain({ knobs }: ActionCall, { launches, errors }: InstantFleet): boolean {
  if (launches.some(({ instanceIds }) => instanceIds.length > 0)) return false;
  const { unseen_replay, failed_replay } = knobs.tokens;
  return (errors.some(isUnseen) ? unseen_replay : failed_replay) === 'execute';
}

function launch(call: ActionCall, request: InstantRequest): InstantFleet {
  const { state, token, now } = call;
  const { target, tags, echoXml } = request;
  const id = newFleetId(call, 'fleet');
  call.touched.push(id);
  const { launches, errors } = launchInstantFleet(call, id, request.pools, request.markets, target);
  const made: InstantFleet = {
    kind: 'ec2',
    id,
    type: 'instant',
    createdAt: now,
    token,
    target,
    echoXml,
    launches,
    errors,
    tags,
    deletedAt: undefined,
  };
  state.fleets.set(id, made);
  if (token !== undefined) {
    const started = launches.reduce((sum, one) => sum + one.instanceIds.length, 0);
    state.launchesByToken.set(token, (state.launchesByToken.get(token) ?? 0) + started);
  }
  return made;
}
