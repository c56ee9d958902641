import { freeAddresses } from '../../capacity.ts';
import type { CallContext } from '../../state/call-context.ts';
import { type Group, type GroupConfig, stayingMembers } from '../../state/groups.ts';

/** Where a group can launch: a subnet, or the default subnet of a zone. */
export interface Place {
  readonly zone: string;
  readonly subnet: string | undefined;
}

/** The places of a group, in the order of its settings. */
export function placesOf(context: CallContext, config: Pick<GroupConfig, 'zones' | 'subnets'>): Place[] {
  if (config.subnets.length === 0) return config.zones.map((zone) => ({ zone, subnet: undefined }));
  return config.subnets.map((id) => ({ zone: context.state.network.adoptSubnet(id).zone, subnet: id }));
}

/** The place with the most free addresses. */
export function roomiest(context: CallContext, places: readonly Place[]): Place | undefined {
  const free = ({ subnet }: Place) =>
    subnet === undefined
      ? Number.POSITIVE_INFINITY
      : freeAddresses(context, context.state.network.adoptSubnet(subnet));
  return places.toSorted((a, b) => free(b) - free(a))[0];
}

/** Number of machines of a group by zone, including former zones that still have machines. */
export function countByZone(group: Group): Map<string, number> {
  const counts = new Map(group.config.zones.map((zone) => [zone, 0]));
  for (const { instance } of stayingMembers(group)) counts.set(instance.zone, (counts.get(instance.zone) ?? 0) + 1);
  return counts;
}

/** The load of a zone. A former zone of the group has a higher load than all others. */
export function loadOf(group: Group, zone: string, count: number): number {
  return group.config.zones.includes(zone) ? count : 1_000_000 + count;
}
