import { priceOf } from '../../capacity.ts';
import { type PlanPool, planMarket } from '../../launch/fleets/fleet-plan.ts';
import { countLaunched, shortfallError, machinesAllowed } from '../../launch/launch-rate.ts';
import type { Market } from '../../launch/specification/launch-spec.ts';
import { type Placement, place as placeOf } from '../../launch/place.ts';
import { startInstances } from '../../launch/start-instances.ts';
import type { CallContext } from '../../state/call-context.ts';
import type { Group, GroupMember } from '../../state/groups.ts';
import type { Tags } from '../../state/tags.ts';
import type { AwsError } from '../../wire/errors.ts';
import type { MarketShare } from './market-shares.ts';
import { addGroupMember } from '../members.ts';
import { countByZone, type Place, roomiest } from './places.ts';
import { uuid } from '../../random.ts';
import { isWeighted, type GroupPool, groupPoolsAt } from './group-pools.ts';
import { zoneShares } from './zone-shares.ts';

/** One attempt of a group to launch machines. */
export interface LaunchOrder {
  readonly shares: readonly MarketShare[];
  readonly places: readonly Place[];
  /** Maximum number of machines. */
  readonly limit: number;
  /** Minimum weight of a machine; default none. */
  readonly leastWeight?: number;
  readonly cause: string;
}

/** A place that delivered too little, and the reason. */
export interface Shortage {
  readonly place: Place;
  readonly market: Market;
  readonly type: string | undefined;
  readonly error: AwsError;
}

export interface Round {
  readonly members: readonly GroupMember[];
  readonly shortages: readonly Shortage[];
}

interface ReadyPool extends PlanPool {
  readonly groupPool: GroupPool;
  readonly placement: Placement;
}

// Fewer units than any machine has, so that exactly one machine is launched.
const oneMachine = 1e-6;

/**
 * Starts machines in the zones of a group, the emptiest first, one market after the other. If a zone lacks capacity,
 * the other zones get the rest.
 */
export function launchRound(context: CallContext, group: Group, asked: LaunchOrder): Round {
  const order = { ...asked, limit: Math.min(asked.limit, Math.floor(machinesAllowed(context))) };
  const members: GroupMember[] = [];
  const shortages: Shortage[] = [];
  // AWS launches the machines of a group by instant fleets; here there is one fleet for each round.
  const systemTags: Tags = new Map([
    ['aws:autoscaling:groupName', group.name],
    ['aws:ec2:fleet-id', `fleet-${uuid(context.random)}`],
  ]);
  const wanted = order.shares.reduce((sum, share) => sum + share.units, 0);
  let started = 0;

  for (const share of order.shares) {
    // Units that an earlier market delivered in excess are subtracted here; units that it lacks are not added.
    const units = Math.min(share.units, wanted - started);
    const outcome = fillMarket(
      context,
      group,
      { ...order, limit: order.limit - members.length },
      { ...share, units },
      systemTags,
    );
    members.push(...outcome.members);
    shortages.push(...outcome.shortages);
    started += outcome.members.reduce((sum, member) => sum + member.weight, 0);
  }
  return { members, shortages };
}

function fillMarket(
  context: CallContext,
  group: Group,
  order: LaunchOrder,
  share: MarketShare,
  systemTags: Tags,
): Round {
  const members: GroupMember[] = [];
  const shortages: Shortage[] = [];
  const poolsAt = new Map(
    order.places.map((place) => [place, groupPoolsAt(context, group.config, ownTags(group), place, share.market)]),
  );
  const weighted = isWeighted(group.config);
  const counts = countByZone(group);
  let open = order.places;
  let left = share.units;

  while (left > 0 && open.length > 0) {
    const zones = [...new Set(open.map((place) => place.zone))];
    const shares = zoneShares(
      zones.map((zone) => counts.get(zone) ?? 0),
      weighted ? 1 : Math.ceil(left),
    );
    const asked = Math.max(...shares);
    const zone = zones[shares.indexOf(asked)] as string;
    const here = roomiest(
      context,
      open.filter((place) => place.zone === zone),
    ) as Place;
    const known = poolsAt.get(here) as ReturnType<typeof groupPoolsAt>;
    const pools = known.pools
      .filter((pool) => pool.weight >= (order.leastWeight ?? 0))
      .map((pool) => readyPool(context, pool));
    const limit = order.limit - members.length;
    const plan = planMarket(pools, { ...share.options, units: weighted ? oneMachine : asked }, limit);

    let got = 0;
    for (const { pool, count } of plan.takes) {
      const instances = startInstances(context, {
        spec: pool.groupPool.spec,
        placement: pool.placement,
        count,
        systemTags,
        controller: group.controller,
      });
      members.push(
        ...instances.map((instance) => addGroupMember(context, group, instance, pool.groupPool, order.cause)),
      );
      countLaunched(context, count);
      got += count;
      left -= count * pool.weight;
    }
    counts.set(zone, (counts.get(zone) ?? 0) + got);
    if (got === 0 || plan.units < (weighted ? oneMachine : asked)) {
      open = open.filter((place) => place !== here);
      const short = shortageAt(context, here, share, plan.short[0], known.refusals[0]);
      if (short !== undefined) shortages.push(short);
      // After the limit is reached, no other place can deliver.
      if (order.limit - members.length <= 0) break;
    }
  }
  return { members, shortages };
}

function readyPool(context: CallContext, groupPool: GroupPool): ReadyPool {
  const placement = placeOf(context, groupPool.spec);
  return {
    groupPool,
    placement,
    type: groupPool.spec.type.instance_type,
    zone: placement.pool.zone,
    weight: groupPool.weight,
    priority: groupPool.priority,
    price: priceOf(context, placement.pool),
    room: placement.room,
    bounds: placement.bounds,
  };
}

function shortageAt(
  context: CallContext,
  place: Place,
  share: MarketShare,
  pool: ReadyPool | undefined,
  refusal: AwsError | undefined,
): Shortage | undefined {
  if (pool === undefined) {
    if (refusal === undefined) return undefined;
    return { place, market: share.options.market, type: undefined, error: refusal };
  }
  const after = placeOf(context, pool.groupPool.spec);
  const error = after.room === 0 ? after.refusal : shortfallError(context, after.pool);
  return { place, market: after.pool.market, type: pool.type, error };
}

/** The tags of a group that propagate to its machines. */
function ownTags(group: Group): Tags {
  return new Map([...group.tags].flatMap(([key, { value, propagate }]) => (propagate ? [[key, value] as const] : [])));
}
