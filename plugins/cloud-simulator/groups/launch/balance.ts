import { place as placeOf } from '../../launch/place.ts';
import type { CallContext } from '../../state/call-context.ts';
import { capacityOf, type Group, type GroupMember, stayingMembers } from '../../state/groups.ts';
import { noTags } from '../../state/tags.ts';
import type { LaunchOrder } from './launch-round.ts';
import { marketShare } from './market-shares.ts';
import { countByZone, loadOf, placesOf } from './places.ts';
import { groupPoolsAt } from './group-pools.ts';

/** A launch in a small zone, after which a larger zone gives up a machine. */
export interface Move {
  readonly weight: number;
  readonly order: Pick<LaunchOrder, 'shares' | 'places' | 'leastWeight'>;
}

/**
 * The launch that balances the zones of a group: `even` while no two zones differ by more than one machine; `stuck`
 * if no smaller zone can deliver, or no larger zone has an unprotected machine.
 */
export function balance(context: CallContext, group: Group): Move | 'even' | 'stuck' {
  const counts = [...countByZone(group)].map(([zone, count]) => ({ zone, load: loadOf(group, zone, count), count }));
  const small = counts.filter(({ zone }) => group.config.zones.includes(zone)).toSorted((a, b) => a.load - b.load);
  const large = counts.filter(({ count }) => count > 0).toSorted((a, b) => b.load - a.load);
  const least = small[0];
  if (least === undefined || (large[0]?.load ?? 0) - least.load <= 1) return 'even';

  const staying = stayingMembers(group);
  for (const { zone, load } of large) {
    const candidate = staying.find((member) => member.instance.zone === zone && !member.guarded);
    if (candidate === undefined) continue;
    const target = small.find(
      (one) => load - one.load > 1 && moveTo(context, group, one.zone, candidate) !== undefined,
    );
    if (target !== undefined) return moveTo(context, group, target.zone, candidate) as Move;
  }
  return 'stuck';
}

function moveTo(context: CallContext, group: Group, zone: string, candidate: GroupMember): Move | undefined {
  const { policy } = group.config.source;
  const market = policy === undefined ? undefined : candidate.instance.reservation.spec.market;
  const leastWeight = Math.max(0, group.desired - (capacityOf(group) - candidate.weight));
  const places = placesOf(context, group.config).filter((place) => place.zone === zone);
  const able = places.filter((place) =>
    groupPoolsAt(context, group.config, noTags, place, market).pools.some(
      (pool) => pool.weight >= leastWeight && placeOf(context, pool.spec).room > 0,
    ),
  );
  if (able.length === 0) return undefined;
  // At most the weight of one machine, so that exactly one starts.
  return {
    weight: candidate.weight,
    order: { shares: [marketShare(group, market, Math.min(1, candidate.weight))], places: able, leastWeight },
  };
}
