import type { ActionCall } from '../../dispatch/action.ts';
import type { StandingFleet } from '../../state/fleets/standing-fleet.ts';
import type { Fleet } from '../../state/fleets/fleets.ts';
import { AwsError } from '../../wire/errors.ts';
import { uuid } from '../../random.ts';

const uuidForm = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const fleetId = new RegExp(`^fleet-${uuidForm}$`);
const spotFleetId = new RegExp(`^sfr-${uuidForm}$`);

/** Whether an id has the form of an EC2 fleet id. */
export function isFleetId(id: string): boolean {
  return fleetId.test(id);
}

/** Whether an id has the form of a Spot fleet id. */
export function isSpotFleetId(id: string): boolean {
  return spotFleetId.test(id);
}

export function newFleetId(call: ActionCall, prefix: 'fleet' | 'sfr'): string {
  return `${prefix}-${uuid(call.random)}`;
}

/** The fleet of either kind; undefined if it does not exist or is not yet visible. */
export function findFleet(call: ActionCall, id: string): Fleet | undefined {
  const fleet = call.state.fleets.get(id);
  return fleet !== undefined && isVisible(call, fleet) ? fleet : undefined;
}

/** The EC2 fleet of an id; throws InvalidFleetId.NotFound if it does not exist or is not yet visible. */
export function fleetById(call: ActionCall, id: string): Fleet {
  if (!isFleetId(id)) throw new AwsError('InvalidFleetId.Malformed', `Invalid id: "${id}" (expecting "fleet-...")`);
  const fleet = findFleet(call, id);
  if (fleet === undefined) throw new AwsError('InvalidFleetId.NotFound', `The fleet ID '${id}' does not exist`);
  return fleet;
}

/** The Spot fleet of an id; throws InvalidSpotFleetRequestId.NotFound if it does not exist or is not yet visible. */
export function spotFleetById(call: ActionCall, id: string): StandingFleet {
  if (!isSpotFleetId(id))
    throw new AwsError('InvalidSpotFleetRequestId.Malformed', `Invalid id: "${id}" (expecting "sfr-...")`);
  const fleet = findFleet(call, id);
  if (fleet === undefined || fleet.type === 'instant')
    throw new AwsError('InvalidSpotFleetRequestId.NotFound', `The spot fleet request ID '${id}' does not exist`);
  return fleet;
}

/** The visible standing fleets of a kind, in order of creation. */
export function standingFleets(call: ActionCall, kind: StandingFleet['kind']): StandingFleet[] {
  return [...call.state.fleets.values()].filter(
    (fleet): fleet is StandingFleet => fleet.type !== 'instant' && fleet.kind === kind && isVisible(call, fleet),
  );
}

function isVisible(call: ActionCall, fleet: Fleet): boolean {
  return call.now - fleet.createdAt >= call.knobs.visible_ms.fleet;
}
