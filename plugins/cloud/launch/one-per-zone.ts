import type { Call, Shortfall } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import type { Pool } from './pools.ts';
import { freeAddressesOf, zonesOfSubnets } from './subnets.ts';

/** Subnets that an order cannot use beside another subnet of their zone. Later orders use them. */
export interface LeftOut {
  /** Absent: the zones of the subnets are unknown, and any two may share one. */
  readonly zone?: string;
  /** The subnet that the order uses. */
  readonly used: string;
  readonly others: readonly string[];
}

/** The pools that a fleet can use together. */
export interface PoolsOfFleet {
  readonly pools: readonly Pool[];
  readonly left_out: readonly LeftOut[];
}

/**
 * The pools of an order of a fleet. For EC2 two subnets of a zone are the same pool, and it refuses a fleet that has a
 * pool twice. So each type gets one subnet of each zone: the one with the most free addresses. The other pools are
 * left for later orders. Where the zones cannot be read, the order uses one subnet.
 */
export async function onePerZone(session: CloudSession, offered: readonly Pool[], call: Call): Promise<PoolsOfFleet> {
  const subnets = [...new Set(offered.flatMap(({ subnet_id }) => subnet_id ?? []))];
  const zones = await zonesOfSubnets(session, subnets, call);
  if (subnets.length > 1 && zones.size === 0) return inOneSubnet(offered);
  const crowded = subnets.filter((id) => subnets.some((each) => each !== id && sameZone(zones, each, id)));
  if (crowded.length === 0) return { pools: offered, left_out: [] };
  return chooseSubnets(offered, zones, await freeAddressesOf(session, crowded, call));
}

/** The pools of the subnet that has the most of them, and all other subnets left out. */
function inOneSubnet(offered: readonly Pool[]): PoolsOfFleet {
  const bySubnet = Map.groupBy(offered, ({ subnet_id }) => subnet_id ?? '');
  const [first, ...others] = [...bySubnet].toSorted(([, a], [, b]) => b.length - a.length);
  if (first === undefined) return { pools: offered, left_out: [] };
  return { pools: first[1], left_out: [{ used: first[0], others: others.map(([subnet]) => subnet) }] };
}

const sameZone = (zones: ReadonlyMap<string, string>, a: string, b: string): boolean =>
  zones.get(a) !== undefined && zones.get(a) === zones.get(b);

/** Chooses one subnet for each type and zone. `free`: addresses of the subnets that share their zone. Pure. */
export function chooseSubnets(
  offered: readonly Pool[],
  zones: ReadonlyMap<string, string>,
  free: ReadonlyMap<string, number>,
): PoolsOfFleet {
  const pools = new Set(offered);
  const leftOut = new Map<string, Set<string>>();
  const placed = offered.filter(({ subnet_id }) => subnet_id !== undefined && zones.has(subnet_id));
  const byPlace = Map.groupBy(
    placed,
    ({ machine_type, subnet_id }) => `${machine_type} ${zones.get(subnet_id ?? '')}`,
  );
  for (const here of byPlace.values()) {
    const bySubnet = Map.groupBy(here, ({ subnet_id }) => subnet_id ?? '');
    // All markets of a fleet use the same subnets, so a subnet that all markets may use comes first.
    const [used, ...others] = [...bySubnet].toSorted(
      ([a, ofA], [b, ofB]) => ofB.length - ofA.length || compare(free.get(b), free.get(a)),
    );
    for (const [subnet, left] of others) {
      for (const pool of left) pools.delete(pool);
      const known = leftOut.get(used?.[0] ?? '') ?? new Set();
      leftOut.set(used?.[0] ?? '', known.add(subnet));
    }
  }
  return {
    pools: offered.filter((pool) => pools.has(pool)),
    left_out: [...leftOut].map(([used, others]) => ({ zone: zones.get(used) ?? '', used, others: [...others] })),
  };
}

// Both may be without bound.
const compare = (a = 0, b = 0): number => (a === b ? 0 : a - b);

/** The shortfall of an order, which also says for each pool which subnets of its zone the order left out. */
export function withLeftOut(
  shortfall: readonly Shortfall[],
  pools: readonly Pool[],
  leftOut: readonly LeftOut[] = [],
): Shortfall[] {
  const subnets = new Map(pools.map(({ key, subnet_id }) => [key, subnet_id]));
  return shortfall.map((each) => {
    const here = leftOut.find(({ used }) => each.offer !== undefined && used === subnets.get(each.offer));
    if (!here) return each;
    const why =
      here.zone === undefined
        ? 'The zones of the subnets cannot be read, and a fleet uses one subnet of a zone; it'
        : `A fleet uses one subnet of a zone; of ${here.zone} it`;
    const note = `${why} used ${here.used}, and left ${here.others.join(', ')} for a later order.`;
    const code = / ?Error Code: \S+$/.exec(each.message);
    const text = code ? each.message.slice(0, code.index) : each.message;
    return { ...each, message: `${text} ${note}${code ? ` ${code[0].trim()}` : ''}` };
  });
}
