import type { CapacityOffer } from '../../api/shapes.ts';

/** One pool: a machine type in a zone and a market. Several APIs of an instance may offer it. */
export interface Pool {
  readonly key: string;
  readonly machine_type: string;
  readonly zone: string;
  readonly market: string;
  readonly offers: readonly CapacityOffer[];
  /** The offers that lack capacity. */
  readonly short: readonly CapacityOffer[];
}

export interface ZoneColumn {
  readonly zone: string;
  readonly markets: readonly string[];
  readonly short: number;
}

export interface TypeRow {
  readonly machine_type: string;
  /** By zone and market, in the order of the columns; undefined: no template allows this pool. */
  readonly pools: readonly (Pool | undefined)[];
}

/** The pools of one provider instance: machine types downwards, zones and markets to the right. */
export interface CapacityGrid {
  readonly provider_instance: string;
  readonly zones: readonly ZoneColumn[];
  readonly rows: readonly TypeRow[];
  readonly pools: number;
  readonly short: number;
}

export const anyZone = 'any zone';
export const anyType = 'any type';
const anyMarket = 'any market';
const marketOrder = ['ondemand', 'spot', 'capacity_block', anyMarket];

/** The grids of all instances, by name. Pure. */
export function capacityGrids(offers: readonly CapacityOffer[]): readonly CapacityGrid[] {
  const byInstance = Map.groupBy(offers, ({ provider_instance }) => provider_instance);
  return [...byInstance]
    .map(([provider_instance, its]) => gridOf(provider_instance, its))
    .toSorted((a, b) => (a.provider_instance < b.provider_instance ? -1 : 1));
}

function gridOf(provider_instance: string, offers: readonly CapacityOffer[]): CapacityGrid {
  const pools = new Map(
    [...Map.groupBy(offers, keyOf)].map(([key, its]) => {
      const [first] = its;
      const short = its.filter(({ state }) => state === 'short');
      return [key, { key: `${provider_instance} ${key}`, ...placeOf(first as CapacityOffer), offers: its, short }];
    }),
  );
  const all = [...pools.values()];
  const zones = [...new Set(all.map(({ zone }) => zone))].toSorted(zonesInOrder).map((zone) => {
    const there = all.filter((pool) => pool.zone === zone);
    const markets = marketOrder.filter((market) => there.some((pool) => pool.market === market));
    return { zone, markets, short: there.filter(({ short }) => short.length > 0).length };
  });
  const types = [...new Set(all.map(({ machine_type }) => machine_type))].toSorted(typesInOrder);
  return {
    provider_instance,
    zones,
    rows: types.map((machine_type) => ({
      machine_type,
      pools: zones.flatMap(({ zone, markets }) =>
        markets.map((market) => pools.get(placeKey({ machine_type, zone, market }))),
      ),
    })),
    pools: all.length,
    short: all.filter(({ short }) => short.length > 0).length,
  };
}

interface Place {
  readonly machine_type: string;
  readonly zone: string;
  readonly market: string;
}

const placeOf = ({ machine_type, zone, market }: CapacityOffer): Place => ({
  machine_type: machine_type ?? anyType,
  zone: zone ?? anyZone,
  market: market ?? anyMarket,
});
const placeKey = ({ machine_type, zone, market }: Place): string => `${machine_type} ${zone} ${market}`;
const keyOf = (offer: CapacityOffer): string => placeKey(placeOf(offer));

const zonesInOrder = (a: string, b: string): number =>
  Number(a === anyZone) - Number(b === anyZone) || a.localeCompare(b, 'en', { numeric: true });

const sizes = ['nano', 'micro', 'small', 'medium', 'large', 'xlarge'];

/** Types of one family by size, as the field lists them: `m5.large`, `m5.xlarge`, `m5.2xlarge`, `m5.metal`. */
function typesInOrder(a: string, b: string): number {
  const [familyA = '', sizeA = ''] = a.split('.');
  const [familyB = '', sizeB = ''] = b.split('.');
  return familyA === familyB
    ? sizeRank(sizeA) - sizeRank(sizeB) || a.localeCompare(b)
    : familyA.localeCompare(familyB, 'en', { numeric: true });
}

function sizeRank(size: string): number {
  const times = /^(\d+)xlarge$/.exec(size)?.[1];
  if (times !== undefined) return sizes.length + Number(times);
  const rank = sizes.indexOf(size);
  return rank === -1 ? 1_000 : rank;
}

/** The latest lack of a pool, which is the one that says when it is tried again. */
export const latestLack = ({ short }: Pool): CapacityOffer | undefined =>
  short.toSorted((a, b) => ((a.tried_again_at ?? '') < (b.tried_again_at ?? '') ? 1 : -1))[0];
