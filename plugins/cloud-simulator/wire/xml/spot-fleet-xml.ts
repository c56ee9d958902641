import { activityWord, stateWord } from '../../fleets/fleet-words.ts';
import { type StandingFleet, unitsHeld } from '../../state/fleets/standing-fleet.ts';
import { tagSetXml } from '../../state/tags.ts';
import { type EchoNames, echoXml } from './echo-xml.ts';
import { leaf, node, timestamp } from './xml.ts';

// Answer names of lists that do not follow the rule.
const names: EchoNames = {
  LaunchSpecifications: 'launchSpecifications',
  LaunchTemplateConfigs: 'launchTemplateConfigs',
  Overrides: 'overrides',
  BlockDeviceMapping: 'blockDeviceMapping',
  Tag: 'tag',
  SecurityGroupId: 'SecurityGroupId',
};

// Parameters that are shown with their current value, not as received.
const current = new Set([
  'ClientToken',
  'ExcessCapacityTerminationPolicy',
  'FulfilledCapacity',
  'OnDemandFulfilledCapacity',
  'OnDemandTargetCapacity',
  'ReplaceUnhealthyInstances',
  'TagSpecification',
  'TargetCapacity',
  'TerminateInstancesWithExpiration',
  'Type',
  'ValidFrom',
  'ValidUntil',
]);

/** A Spot fleet as DescribeSpotFleetRequests shows it. */
export function spotFleetXml(fleet: StandingFleet): string {
  return (
    leaf('activityStatus', activityWord(fleet)) +
    timestamp('createTime', fleet.createdAt) +
    node('spotFleetRequestConfig', configXml(fleet)) +
    leaf('spotFleetRequestId', fleet.id) +
    leaf('spotFleetRequestState', stateWord(fleet)) +
    tagSetXml(fleet.tags)
  );
}

function configXml(fleet: StandingFleet): string {
  const { request, target, echo } = fleet;
  return (
    echoXml(Object.fromEntries(Object.entries(echo).filter(([name]) => !current.has(name))), names) +
    leaf('clientToken', fleet.token) +
    leaf('excessCapacityTerminationPolicy', fleet.excess === 'termination' ? 'default' : 'noTermination') +
    leaf('fulfilledCapacity', unitsHeld(fleet)) +
    leaf('onDemandFulfilledCapacity', unitsHeld(fleet, 'on-demand')) +
    leaf('targetCapacity', target.total) +
    leaf('onDemandTargetCapacity', target.onDemand) +
    leaf('terminateInstancesWithExpiration', request.endsWithExpiry) +
    leaf('type', fleet.type) +
    (request.validFrom === undefined ? '' : timestamp('validFrom', request.validFrom)) +
    (request.validUntil === undefined ? '' : timestamp('validUntil', request.validUntil)) +
    leaf('replaceUnhealthyInstances', request.replaceUnhealthy)
  );
}
