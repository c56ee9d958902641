import type { ActionCall } from '../../dispatch/action.ts';
import { deliveryLimit } from '../../dispatch/faults.ts';
import { launchRound } from '../../groups/launch/launch-round.ts';
import { marketShares, readDistribution } from '../../groups/launch/market-shares.ts';
import { type Place, placesOf } from '../../groups/launch/places.ts';
import { changed, isSuspended, recordShortages } from '../../groups/reconcile.ts';
import { validationError } from '../../groups/refusals.ts';
import { isWeighted } from '../../groups/launch/group-pools.ts';
import { once } from '../../launch/once.ts';
import type { Group } from '../../state/groups.ts';
import { memberTexts } from '../../wire/members.ts';
import { integer, oneOf, required } from '../../wire/values.ts';
import { roundXml } from '../../wire/xml/round-xml.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { groupAction, openGroup } from './group-action.ts';

const maxMachines = 100;

/**
 * Starts machines in one zone of a group during the call, and reports the machines and the errors. The desired
 * capacity rises by the units that started.
 */
export const launchInstances = groupAction({
  name: 'LaunchInstances',
  mutating: true,
  handle(call) {
    const { params, state, token } = call;
    const requested = readRequested(call);
    const retry =
      oneOf(params, 'RetryStrategy', ['none', 'retry-with-group-configuration']) === 'retry-with-group-configuration';
    if (token !== undefined && !/^[A-Za-z0-9_/-]{1,64}$/.test(token))
      throw validationError(`The client token '${token}' is malformed.`);

    // A replay gets the first answer even if the group has changed since then or no longer exists.
    const { result: round } = once(call, { pinFailures: false }, () => {
      const group = openGroup(call);
      const places = readPlaces(call, group);
      checkRequest(group, requested);
      const made = launchRound(call, group, {
        shares: marketShares(group, requested),
        places,
        limit: Math.min(maxMachines, deliveryLimit(call, call.action)),
        cause: 'instances were launched in response to a LaunchInstances request.',
      });
      recordShortages(call, group, made.shortages);
      const started = made.members.reduce((sum, member) => sum + member.weight, 0);
      group.desired = Math.min(group.config.max, group.desired + (retry ? Math.max(requested, started) : started));
      call.touched.push(group.name);
      if (token !== undefined)
        state.launchesByToken.set(token, (state.launchesByToken.get(token) ?? 0) + made.members.length);
      changed(call, group);
      return made;
    });
    return (
      leaf('AutoScalingGroupName', required(params, 'AutoScalingGroupName')) +
      leaf('ClientToken', token) +
      roundXml(round, state.network)
    );
  },
});

function readRequested(call: ActionCall): number {
  required(call.params, 'RequestedCapacity');
  const requested = integer(call.params, 'RequestedCapacity') as number;
  if (requested < 1) throw validationError('RequestedCapacity must be at least 1.');
  return requested;
}

function checkRequest(group: Group, requested: number): void {
  const { config, desired } = group;
  if (requested > maxMachines && !isWeighted(config))
    throw validationError(`You can launch at most ${maxMachines} instances in one call.`);
  if (desired + requested > config.max)
    throw validationError(`Launching ${requested} more would take the group above its max size of ${config.max}.`);
  if (isSuspended(group, 'Launch'))
    throw validationError(`The process Launch of the group '${group.name}' is suspended.`);
  const { base, percentage } = readDistribution(config.source.policy);
  if (percentage < 100 && (percentage > 0 || base > 0))
    throw validationError('LaunchInstances does not support groups that mix On-Demand and Spot Instances.');
}

/** The places that the call allows, all in one zone. */
function readPlaces(call: ActionCall, group: Group): readonly Place[] {
  const { params, state } = call;
  const zones = memberTexts(params, 'AvailabilityZones');
  const ids = memberTexts(params, 'AvailabilityZoneIds');
  const subnets = memberTexts(params, 'SubnetIds');
  if (Math.max(zones.length, ids.length, subnets.length) > 1)
    throw validationError('At most one Availability Zone or subnet can be specified.');
  if (zones.length > 0 && ids.length > 0)
    throw validationError('AvailabilityZones and AvailabilityZoneIds cannot be specified together.');
  const zone = zones[0] ?? state.network.catalogue.zones.find((one) => one.zone_id === ids[0])?.zone ?? ids[0];
  const subnet = subnets[0];
  if (zone === undefined && subnet === undefined && group.config.zones.length > 1)
    throw validationError(
      'Either an Availability Zone or a subnet must be specified for a group with several Availability Zones.',
    );
  const places = placesOf(call, group.config).filter(
    (place) => (zone === undefined || place.zone === zone) && (subnet === undefined || place.subnet === subnet),
  );
  if (places.length === 0)
    throw validationError(`The Availability Zone or subnet '${subnet ?? zone}' is not one of the group's.`);
  return places;
}
