import type { FleetRecord, RecordKind, FleetKind, FleetMember } from '../../state/fleets/standing-fleet.ts';
import { itemSet, leaf, node, timestamp } from './xml.ts';

/** `<activeInstanceSet>` of DescribeFleetInstances and DescribeSpotFleetInstances. */
export function activeInstancesXml(
  members: readonly FleetMember[],
  healthy: (member: FleetMember) => boolean,
): string {
  return itemSet(
    'activeInstanceSet',
    members,
    (member) =>
      leaf('instanceId', member.instance.id) +
      leaf('instanceType', member.instance.reservation.spec.type.instance_type) +
      leaf('spotInstanceRequestId', member.instance.spotRequestId) +
      leaf('instanceHealth', healthy(member) ? 'healthy' : 'unhealthy'),
  );
}

/** Event types of history records by the kind of fleet. EC2 fleets have no `information`. */
export const eventTypes: Readonly<Record<FleetKind, Readonly<Record<RecordKind, string>>>> = {
  ec2: { fleet: 'fleet-change', instance: 'instance-change', error: 'service-error', information: 'service-error' },
  spot: { fleet: 'fleetRequestChange', instance: 'instanceChange', error: 'error', information: 'information' },
};

/** `<historyRecordSet>`. */
export function historyXml(records: readonly FleetRecord[], kind: FleetKind): string {
  return itemSet(
    'historyRecordSet',
    records,
    (record) =>
      node(
        'eventInformation',
        leaf('eventDescription', record.description) +
          leaf('eventSubType', record.event) +
          leaf('instanceId', record.instanceId),
      ) +
      leaf('eventType', eventTypes[kind][record.kind]) +
      timestamp('timestamp', record.at),
  );
}
