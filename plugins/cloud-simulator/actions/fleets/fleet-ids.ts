import type { ActionCall } from '../../dispatch/action.ts';
import type { StandingFleet } from '../../state/fleets/standing-fleet.ts';
import type { Fleet } from '../../state/fleets/fleets.ts';
import { AwsError } from '../../wire/errors.ts';

const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const fleetId = new RegExp(`^fleet-${uuid}$`);
const spotFleetId = new RegExp(`^sfr-${uuid}$`);

/** Whether an id has the form of an EC2 fleet's. */
export function isFleetId(id: string): boolean {
  return fleetId.test(id);
}

/** Whether an id has the form of a Spot fleet's. */
export function isSpotFleetId(id: string): boolean {
  return spotFleetId.test(id);
}

/** A new id. */
export function newFleetId(call: ActionCall, prefix: 'fleet' | 'sfr'): string {
  const hex = call.random.hex(32);
  return `${prefix}-${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')}`;
}

/** A fleet of either kind, unless it is gone or too young to be seen. */
export function findFleet(call: ActionCall, id: string): Fleet | undefined {
  const fleet = call.state.fleets.get(id);
  return fleet !== undefined && isVisible(call, fleet) ? fleet : undefined;
}

/** The EC2 fleet of an id; refuses the call when there is none to be seen. */
export function fleetById(call: ActionCall, id: string): Fleet {
  if (!isFleetId(id)) throw new AwsError('InvalidFleetId.Malformed', `Invalid id: "${id}" (expecting "fleet-...")`);
  const fleet = findFleet(call, id);
  if (fleet === undefined) throw new AwsError('InvalidFleetId.NotFound', `The fleet ID '${id}' does not exist`);
  return fleet;
}

/** The Spot fleet of an id; refuses the call when there is none to be seen. */
export function spotFleetById(call: ActionCall, id: string): StandingFleet {
  if (!isSpotFleetId(id))
    throw new AwsError('InvalidSpotFleetRequestId.Malformed', `Invalid id: "${id}" (expecting "sfr-...")`);
  const fleet = findFleet(call, id);
  if (fleet === undefined || fleet.type === 'instant')
    throw new AwsError('InvalidSpotFleetRequestId.NotFound', `The spot fleet request ID '${id}' does not exist`);
  return fleet;
}

/** Fleets of a kind that go on after their call, in order of their making. */
export function standingFleets(call: ActionCall, kind: StandingFleet['kind']): StandingFleet[] {
  return [...call.state.fleets.values()].filter(
    (fleet): fleet is StandingFleet => fleet.type !== 'instant' && fleet.kind === kind && isVisible(call, fleet),
  );
}

function isVisible(call: ActionCall, fleet: Fleet): boolean {
  return call.now - fleet.createdAt >= call.knobs.visible_ms.fleet;
}
