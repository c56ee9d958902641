import type { Action, ActionCall } from '../../dispatch/action.ts';
import { activityWord, stateWord } from '../../fleets/fleet-words.ts';
import { isFulfilled, unitsOf } from '../../launch/fleets/instant-fleet.ts';
import { type Fleet, type InstantFleet, instantStateOf } from '../../state/fleets/fleets.ts';
import { tagSetXml } from '../../state/tags.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { fleetOutcomeXml, standingFleetXml } from '../../wire/xml/fleet-xml.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml, timestamp } from '../../wire/xml/xml.ts';
import { fleetById, standingFleets } from './fleet-ids.ts';

/** Shows fleets. An instant fleet is shown, with its machines and errors, only to a call that names its id. */
export const describeFleets: Action = {
  name: 'DescribeFleets',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 1, max: 1000 });
    const fields: FilterFields<Fleet> = {
      'activity-status': (fleet) => (fleet.type === 'instant' ? activityOf(fleet) : activityWord(fleet)),
      'excess-capacity-termination-policy': (fleet) => (fleet.type === 'instant' ? 'termination' : fleet.excess),
      'fleet-state': (fleet) =>
        fleet.type === 'instant' ? instantStateOf(fleet, call.state.instances, call.now) : stateWord(fleet),
      'replace-unhealthy-instances': (fleet) => String(fleet.type !== 'instant' && fleet.request.replaceUnhealthy),
      type: (fleet) => fleet.type,
    };
    const filters = readFilters(call.params, fields, false);
    const ids = [...new Set(texts(call.params, 'FleetId'))];
    const chosen: readonly Fleet[] =
      ids.length > 0 ? ids.map((id) => fleetById(call, id)) : standingFleets(call, 'ec2');
    const { entries, next } = pageOf(
      chosen.filter((fleet) => passes(fleet, filters, fields)),
      page,
    );
    return itemSet('fleetSet', entries, (fleet) => fleetXml(call, fleet)) + nextTokenXml(next);
  },
};

function activityOf(fleet: InstantFleet): string {
  if (isFulfilled(fleet.launches, fleet.target)) return 'fulfilled';
  return fleet.errors.length > 0 ? 'error' : 'pending_fulfillment';
}

function fleetXml(call: ActionCall, fleet: Fleet): string {
  if (fleet.type !== 'instant') return standingFleetXml(call, fleet);
  return (
    leaf('activityStatus', activityOf(fleet)) +
    timestamp('createTime', fleet.createdAt) +
    leaf('fleetId', fleet.id) +
    leaf('fleetState', instantStateOf(fleet, call.state.instances, call.now)) +
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
