import type { MarketOptions } from './fleet-request.ts';

/** A pool of a plan. */
export interface PlanPool {
  readonly type: string;
  readonly zone: string;
  readonly weight: number;
  readonly priority: number;
  /** Price of one machine an hour. */
  readonly price: number;
  /** Machines that fit if no other pool takes from the shared bounds. */
  readonly room: number;
  /** The bounds of the room; pools share bounds of equal keys. */
  readonly bounds: readonly { readonly key: string; readonly left: number; readonly each: number }[];
}

/** The number of machines from each pool, and the pools that deliver less than requested. */
export interface Plan<Pool> {
  readonly takes: readonly { readonly pool: Pool; readonly count: number }[];
  readonly short: readonly Pool[];
  /** The pools that were not tried, because too many before them were short. */
  readonly untried: readonly Pool[];
  readonly units: number;
}

/**
 * Plans how a fleet fills one market with at most `limit` machines. Pure. Targets are rounded up to whole machines,
 * as in AWS. `tries`: after so many pools that are short, no other pool is tried.
 */
export function planMarket<Pool extends PlanPool>(
  pools: readonly Pool[],
  options: MarketOptions,
  limit: number,
  tries = Number.POSITIVE_INFINITY,
): Plan<Pool> {
  if (options.units <= 0 || pools.length === 0) return { takes: [], short: [], untried: [], units: 0 };
  const ordered = order(pools, options);
  const spread =
    options.strategy === 'diversified'
      ? ordered.length
      : options.market === 'spot' && options.strategy === 'lowest-price'
        ? options.poolCount
        : 1;
  const plans = groups(ordered, options.single).map((group) => fill(group, options.units, { spread, limit, tries }));
  const best = plans.reduce((a, b) => (b.units > a.units ? b : a));
  if (best.units < Math.min(options.least, options.units)) return { ...best, takes: [], units: 0 };
  return best;
}

function order<Pool extends PlanPool>(pools: readonly Pool[], options: MarketOptions): Pool[] {
  const unitPrice = (pool: Pool) => pool.price / pool.weight;
  const byPrice = (a: Pool, b: Pool) => unitPrice(a) - unitPrice(b);
  const byPriority = (a: Pool, b: Pool) => (a.priority === b.priority ? 0 : a.priority - b.priority);
  const byRoom = (a: Pool, b: Pool) => (a.room === b.room ? 0 : b.room - a.room);
  // Ties keep the order of the call, so that a plan is predictable.
  switch (options.strategy) {
    case 'prioritized':
      return pools.toSorted(byPriority);
    case 'capacity-optimized':
      return pools.toSorted(byRoom);
    case 'capacity-optimized-prioritized':
      return pools.toSorted((a, b) => byRoom(a, b) || byPriority(a, b));
    case 'price-capacity-optimized':
      return pools.toSorted((a, b) => Number(a.room === 0) - Number(b.room === 0) || byPrice(a, b));
    default:
      return pools.toSorted(byPrice);
  }
}

function groups<Pool extends PlanPool>(pools: readonly Pool[], single: MarketOptions['single']): Pool[][] {
  return [...Map.groupBy(pools, (pool) => single.map((what) => pool[what]).join('/')).values()];
}

function fill<Pool extends PlanPool>(
  pools: readonly Pool[],
  units: number,
  { spread, limit, tries }: { readonly spread: number; readonly limit: number; readonly tries: number },
): Plan<Pool> {
  const used = new Map<string, number>();
  const counts = new Map<Pool, number>();
  const short = new Set<Pool>();
  const mayTry = () => left > 0 && short.size < tries;
  let left = units;
  let machines = limit;

  function take(pool: Pool, wanted: number): void {
    const rooms = pool.bounds.map((bound) => Math.floor((bound.left - (used.get(bound.key) ?? 0)) / bound.each));
    const room = Math.min(pool.room, machines, ...rooms);
    const count = Math.max(0, Math.min(wanted, room));
    if (count < wanted) short.add(pool);
    if (count === 0) return;
    for (const bound of pool.bounds) used.set(bound.key, (used.get(bound.key) ?? 0) + count * bound.each);
    counts.set(pool, (counts.get(pool) ?? 0) + count);
    machines -= count;
    left -= count * pool.weight;
  }

  if (spread > 1) {
    // Takes one machine from each of the first pools in turn, until none has room.
    const first = pools.slice(0, spread);
    for (let open = first; mayTry() && open.length > 0; open = open.filter((pool) => !short.has(pool))) {
      for (const pool of open) if (mayTry()) take(pool, 1);
    }
  }
  for (const pool of pools) if (mayTry()) take(pool, Math.ceil(left / pool.weight));
  return {
    takes: [...counts].map(([pool, count]) => ({ pool, count })),
    short: [...short],
    untried: left > 0 ? pools.filter((pool) => !short.has(pool) && !counts.has(pool)) : [],
    units: units - left,
  };
}
