import type { Round } from '../../groups/launch/launch-round.ts';
import type { GroupMember } from '../../state/groups.ts';
import type { Network } from '../../state/network/network.ts';
import { memberSet } from '../members.ts';
import { escapeXml, leaf } from './xml.ts';

const marketTypes = { 'on-demand': 'OnDemand', spot: 'Spot', 'capacity-block': 'CapacityBlock' } as const;

/** The machines and the errors of one launch as LaunchInstances shows them; machines of one pool are grouped. */
export function roundXml(round: Round, network: Network): string {
  const zoneId = (zone: string) => network.catalogue.zones.find((one) => one.zone === zone)?.zone_id;
  const collections = Map.groupBy(round.members, ({ instance }) => instance.reservation);
  return (
    memberSet('Instances', collections.values(), (members) => {
      const { instance } = members[0] as GroupMember;
      const { spec } = instance.reservation;
      return (
        leaf('InstanceType', spec.type.instance_type) +
        leaf('MarketType', marketTypes[spec.market]) +
        leaf('SubnetId', instance.subnet.id) +
        leaf('AvailabilityZone', instance.zone) +
        leaf('AvailabilityZoneId', zoneId(instance.zone)) +
        memberSet('InstanceIds', members, (member) => escapeXml(member.instance.id))
      );
    }) +
    memberSet(
      'Errors',
      round.shortages,
      ({ type, market, place, error }) =>
        leaf('InstanceType', type) +
        leaf('MarketType', marketTypes[market]) +
        leaf('SubnetId', place.subnet) +
        leaf('AvailabilityZone', place.zone) +
        leaf('AvailabilityZoneId', zoneId(place.zone)) +
        leaf('ErrorCode', error.code) +
        leaf('ErrorMessage', error.message),
    )
  );
}
