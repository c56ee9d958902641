import type { Action, ActionCall } from '../../action.ts';
import { isFulfilled, unitsOf } from '../../launch/instant-fleet.ts';
import { type Fleet, fleetGoneAfterMs, fleetStateOf } from '../../state/fleets.ts';
import { tagSetXml } from '../../state/tags.ts';
import { AwsError } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { fleetOutcomeXml } from '../../wire/fleet-xml.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml, timestamp } from '../../wire/xml.ts';

/** Shows fleets. Instant ones are shown only to a call that names them, with their machines and errors. */
export const describeFleets: Action = {
  name: 'DescribeFleets',
  mutating: false,
  handle(call) {
    const page = pageRequest(call.params, { min: 1, max: 1000 });
    const fields: FilterFields<Fleet> = {
      'activity-status': activityOf,
      'excess-capacity-termination-policy': () => 'termination',
      'fleet-state': (fleet) => fleetStateOf(fleet, call.state.instances, call.now),
      'replace-unhealthy-instances': () => 'false',
      type: (fleet) => fleet.type,
    };
    const filters = readFilters(call.params, fields, false);
    const named = texts(call.params, 'FleetId').map((id) => fleetById(call, id));
    const { entries, next } = pageOf(
      named.filter((fleet) => passes(fleet, filters, fields)),
      page,
    );
    return itemSet('fleetSet', entries, (fleet) => fleetXml(call, fleet)) + nextTokenXml(next);
  },
};

/** Whether an id has the form of a fleet's. */
export function isFleetId(id: string): boolean {
  return /^fleet-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}

/** A fleet that can still be described. */
export function findFleet(call: ActionCall, id: string): Fleet | undefined {
  const fleet = call.state.fleets.get(id);
  if (fleet?.deletedAt !== undefined && call.now >= fleet.deletedAt + fleetGoneAfterMs) return undefined;
  return fleet;
}

function fleetById(call: ActionCall, id: string): Fleet {
  if (!isFleetId(id)) throw new AwsError('InvalidFleetId.Malformed', `Invalid id: "${id}" (expecting "fleet-...")`);
  const fleet = findFleet(call, id);
  if (fleet === undefined) throw new AwsError('InvalidFleetId.NotFound', `The fleet ID '${id}' does not exist`);
  return fleet;
}

function activityOf(fleet: Fleet): string {
  if (isFulfilled(fleet.launches, fleet.target)) return 'fulfilled';
  return fleet.errors.length > 0 ? 'error' : 'pending_fulfillment';
}

function fleetXml(call: ActionCall, fleet: Fleet): string {
  return (
    leaf('activityStatus', activityOf(fleet)) +
    timestamp('createTime', fleet.createdAt) +
    leaf('fleetId', fleet.id) +
    leaf('fleetState', fleetStateOf(fleet, call.state.instances, call.now)) +
    leaf('clientToken', fleet.token) +
    leaf('excessCapacityTerminationPolicy', 'termination') +
    leaf('fulfilledCapacity', unitsOf(fleet.launches)) +
    leaf('fulfilledOnDemandCapacity', unitsOf(fleet.launches, 'on-demand')) +
    fleet.echoXml +
    leaf('terminateInstancesWithExpiration', false) +
    leaf('type', fleet.type) +
    leaf('replaceUnhealthyInstances', false) +
    tagSetXml(fleet.tags) +
    fleetOutcomeXml(fleet.launches, fleet.errors)
  );
}
