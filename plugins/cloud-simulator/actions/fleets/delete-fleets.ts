import type { Action, ActionCall } from '../../dispatch/action.ts';
import { stopFleet } from '../../fleets/fleet-life.ts';
import { stateWord } from '../../fleets/fleet-words.ts';
import { isStopped } from '../../state/fleets/standing-fleet.ts';
import { endInstance } from '../../launch/end-instance.ts';
import { type Fleet, fleetGoneAfterMs, type InstantFleet, instantStateOf } from '../../state/fleets/fleets.ts';
import { invalidParameter, missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { flag } from '../../wire/values.ts';
import { itemSet, leaf, node } from '../../wire/xml/xml.ts';
import { userInitiated } from '../../state/instances/instance.ts';
import { findFleet, isFleetId } from './fleet-ids.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';

const maxStanding = 100;
const maxInstant = 25;

interface Deletion {
  readonly id: string;
  readonly previous: string;
  readonly current: string;
}

interface Failure {
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

/** Deletes fleets one by one, with or without their machines. The machines of an instant fleet always end with it. */
export const deleteFleets: Action = {
  name: 'DeleteFleets',
  mutating: true,
  handle(call) {
    const ids = [...new Set(texts(call.params, 'FleetId'))];
    if (ids.length === 0) throw missingParameter('FleetId');
    const terminate = flag(call.params, 'TerminateInstances');
    if (terminate === undefined) throw missingParameter('TerminateInstances');
    const instant = ids.filter((id) => findFleet(call, id)?.type === 'instant').length;
    if (ids.length - instant > maxStanding)
      throw invalidParameter(`You can delete at most ${maxStanding} fleets of type request and maintain in one call.`);

    endDryRun(call);
    const outcomes = ids.map((id) => objection(call, id, terminate, instant) ?? deleteFleet(call, id, terminate));
    return (
      itemSet(
        'successfulFleetDeletionSet',
        outcomes.filter((one): one is Deletion => 'current' in one),
        (one) =>
          leaf('currentFleetState', one.current) + leaf('previousFleetState', one.previous) + leaf('fleetId', one.id),
      ) +
      itemSet(
        'unsuccessfulFleetDeletionSet',
        outcomes.filter((one): one is Failure => 'code' in one),
        (one) => node('error', leaf('code', one.code) + leaf('message', one.message)) + leaf('fleetId', one.id),
      )
    );
  },
};

function objection(call: ActionCall, id: string, terminate: boolean, instant: number): Failure | undefined {
  if (!isFleetId(id)) return { id, code: 'fleetIdMalformed', message: `The fleet ID '${id}' is malformed.` };
  const fleet = findFleet(call, id);
  if (fleet === undefined) return { id, code: 'fleetIdDoesNotExist', message: `The fleet ID '${id}' does not exist.` };
  if (fleet.type === 'instant' ? fleet.deletedAt !== undefined : isStopped(fleet))
    return {
      id,
      code: 'fleetNotInDeletableState',
      message: `The fleet '${id}' is not in a state in which it can be deleted.`,
    };
  if (fleet.type === 'instant' && !terminate) {
    return {
      id,
      code: 'NoTerminateInstancesNotSupported',
      message: 'Deleting an instant fleet without terminating its instances is not supported.',
    };
  }
  // AWS refuses every fleet of a call that names too many instant fleets.
  if (instant > maxInstant) {
    return {
      id,
      code: 'ExceededInstantFleetNumForDeletion',
      message: `You can delete at most ${maxInstant} fleets of type instant in one call.`,
    };
  }
  return undefined;
}

function deleteFleet(call: ActionCall, id: string, terminate: boolean): Deletion {
  const fleet = findFleet(call, id) as Fleet;
  call.touched.push(id);
  if (fleet.type === 'instant') return deleteInstant(call, fleet);
  const previous = stateWord(fleet);
  stopFleet(call, fleet, terminate);
  return { id, previous, current: stateWord(fleet) };
}

function deleteInstant(call: ActionCall, fleet: InstantFleet): Deletion {
  const { state, now } = call;
  const { id } = fleet;
  const previous = instantStateOf(fleet, state.instances, now);
  fleet.deletedAt = now;
  state.timers.plan(now + fleetGoneAfterMs, (then) => void then.state.fleets.delete(id));
  for (const instanceId of fleet.launches.flatMap((launch) => launch.instanceIds)) {
    const instance = state.instances.get(instanceId);
    if (instance === undefined || instance.shutdownAt !== undefined) continue;
    endInstance(call, instance, userInitiated);
    call.touched.push(instanceId);
  }
  return { id, previous, current: instantStateOf(fleet, state.instances, now) };
}
