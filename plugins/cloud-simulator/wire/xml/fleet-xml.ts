import { activityWord, stateWord } from '../../fleets/fleet-words.ts';
import { type StandingFleet, unitsHeld } from '../../state/fleets/standing-fleet.ts';
import { configsXml } from '../../launch/fleets/fleet-pools.ts';
import type { CallContext } from '../../state/call-context.ts';
import type { FleetLaunch } from '../../state/fleets/fleets.ts';
import type { FleetTarget } from '../../state/fleets/fleet-target.ts';
import type { FleetError } from '../../state/fleets/fleet-pool.ts';
import { tagSetXml } from '../../state/tags.ts';
import { echoXml } from './echo-xml.ts';
import { part, parts } from '../form.ts';
import { escapeXml, itemSet, leaf, node, timestamp } from './xml.ts';

/** `<errorSet>` and `<fleetInstanceSet>`, as CreateFleet and DescribeFleets show them for instant fleets. */
export function fleetOutcomeXml(launches: readonly FleetLaunch[], errors: readonly FleetError[]): string {
  return (
    itemSet(
      'errorSet',
      errors,
      (error) =>
        error.poolXml +
        leaf('lifecycle', error.market) +
        leaf('errorCode', error.code) +
        leaf('errorMessage', error.message),
    ) +
    itemSet(
      'fleetInstanceSet',
      launches,
      (launch) =>
        launch.poolXml +
        leaf('lifecycle', launch.market) +
        itemSet('instanceIds', launch.instanceIds, escapeXml) +
        leaf('instanceType', launch.instanceType),
    )
  );
}

/** `<targetCapacitySpecification>`. */
export function targetXml(target: FleetTarget): string {
  return node(
    'targetCapacitySpecification',
    leaf('totalTargetCapacity', target.total) +
      leaf('onDemandTargetCapacity', target.onDemand) +
      leaf('spotTargetCapacity', target.spot) +
      leaf('defaultTargetCapacityType', target.defaultType) +
      leaf('targetCapacityUnitType', target.unitType),
  );
}

/** An EC2 fleet of type request or maintain, as DescribeFleets shows it. */
export function standingFleetXml(context: CallContext, fleet: StandingFleet): string {
  const { request, echo } = fleet;
  return (
    leaf('activityStatus', activityWord(fleet)) +
    timestamp('createTime', fleet.createdAt) +
    leaf('fleetId', fleet.id) +
    leaf('fleetState', stateWord(fleet)) +
    leaf('clientToken', fleet.token) +
    leaf('excessCapacityTerminationPolicy', fleet.excess) +
    leaf('fulfilledCapacity', unitsHeld(fleet)) +
    leaf('fulfilledOnDemandCapacity', unitsHeld(fleet, 'on-demand')) +
    configsXml(context, parts(echo, 'LaunchTemplateConfigs'), false) +
    node('spotOptions', echoXml(part(echo, 'SpotOptions') ?? {})) +
    node('onDemandOptions', echoXml(part(echo, 'OnDemandOptions') ?? {})) +
    targetXml(fleet.target) +
    leaf('terminateInstancesWithExpiration', request.endsWithExpiry) +
    leaf('type', fleet.type) +
    (request.validFrom === undefined ? '' : timestamp('validFrom', request.validFrom)) +
    (request.validUntil === undefined ? '' : timestamp('validUntil', request.validUntil)) +
    leaf('replaceUnhealthyInstances', request.replaceUnhealthy) +
    tagSetXml(fleet.tags)
  );
}
