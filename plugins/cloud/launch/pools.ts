import type { MachineRef, Offer } from '../../../core/index.ts';
import { maxPools, type CloudTemplate } from '../template/fields.ts';
import { marketsOfPrice, type Market } from './markets.ts';

/** A pool of machines: one type in one place in one market. */
export interface Pool extends Offer {
  /** `m5.large|subnet-1|on-demand`; `*` where the template leaves a part open. */
  readonly key: string;
  /** Absent where the template names attributes or a launch template instead. */
  readonly machine_type?: string;
  readonly subnet_id?: string;
  readonly market: Market;
}

const anyValue = '*';

/**
 * The pools of a template: types by priority, each in every subnet; all pools of the first market before the second.
 * Each pool once, and in each market only as many as a fleet may have, so that lists which the review refuses cost no
 * time here.
 */
export function poolsOf(template: CloudTemplate): Pool[] {
  const subnets = template.subnet_ids?.length ? [...new Set(template.subnet_ids)] : [undefined];
  return marketsOf(template).flatMap((market) => [
    ...firstPools(machineTypesOf(template, market), subnets, market).values(),
  ]);
}

type Names = readonly (string | undefined)[];

function firstPools(types: Names, subnets: Names, market: Market): ReadonlyMap<string, Pool> {
  const pools = new Map<string, Pool>();
  for (const machine_type of types)
    for (const subnet_id of subnets) {
      if (pools.size === maxPools) return pools;
      const made = pool(machine_type, subnet_id, market);
      if (!pools.has(made.key)) pools.set(made.key, made);
    }
  return pools;
}

function pool(machine_type: string | undefined, subnet_id: string | undefined, market: Market): Pool {
  return {
    key: [machine_type ?? anyValue, subnet_id ?? anyValue, market].join('|'),
    ...(machine_type === undefined ? {} : { machine_type }),
    ...(subnet_id === undefined ? {} : { subnet_id }),
    market,
  };
}

/**
 * Markets in the order in which they are tried. With `mixed`, on-demand machines replace Spot machines that are not
 * available.
 */
export function marketsOf(template: CloudTemplate): readonly Market[] {
  const shares = template.price_type === 'spot' && (template.percent_on_demand ?? 0) > 0;
  return marketsOfPrice(shares ? 'mixed' : template.price_type);
}

/**
 * Types of a market by priority, then in the order of the template. One `undefined` where attributes or a launch
 * template name the types. Default: the types of the market that is tried first.
 */
export function machineTypesOf(
  template: CloudTemplate,
  market: Market = marketsOf(template)[0] ?? 'on-demand',
): readonly (string | undefined)[] {
  const own = market === 'on-demand' ? Object.keys(template.machine_types_on_demand ?? {}) : [];
  if (own.length === 0 && template.instance_requirements) return [undefined];
  const types = own.length > 0 ? own : Object.keys(template.machine_types ?? {});
  if (types.length === 0) return [template.machine_type];
  const rank = (type: string) => template.machine_types_priority?.[type] ?? Infinity;
  return types.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

/** Units of capacity of one machine of a type. */
export const weightOf = (template: CloudTemplate, type: string | undefined): number =>
  type === undefined ? 1 : (template.machine_types?.[type] ?? template.machine_types_on_demand?.[type] ?? 1);

/** Whether the template gives weights, so that a fleet counts units of capacity instead of machines. */
export const isWeighted = ({ machine_types = {}, machine_types_on_demand = {} }: CloudTemplate): boolean =>
  Object.keys(machine_types).length > 0 || Object.keys(machine_types_on_demand).length > 0;

/** The pool with a key. Of a launch that named no place, the key names the zone instead of a subnet. */
export function poolNamed(key: string): Pool | undefined {
  const [type, place, market, ...more] = key.split('|');
  if (!isMarket(market) || more.length > 0) return undefined;
  const where = place?.startsWith('subnet-') ? { subnet_id: place } : { zone: place };
  return {
    key,
    ...(type === anyValue ? {} : { machine_type: type }),
    ...(place === anyValue ? {} : where),
    market,
  } as Pool;
}

const isMarket = (market: string | undefined): market is Market =>
  market === 'on-demand' || market === 'spot' || market === 'capacity-block';

/** The pools that a machine may have come from. Its data name its type, subnet and market. */
export const poolsOfMachine = ({ data }: MachineRef, offers: readonly Offer[]): readonly Pool[] =>
  data === undefined ? [] : matchingPools(offers as readonly Pool[], data as PoolMatch);

/** Properties of a pool, as far as an event names them. */
export interface PoolMatch {
  readonly machine_type?: string | undefined;
  readonly subnet_id?: string | undefined;
  readonly market?: Market | undefined;
}

const fits = (a: string | undefined, b: string | undefined): boolean => a === undefined || b === undefined || a === b;

/** The pools that do not contradict these properties. */
export function matchingPools(pools: readonly Pool[], seen: PoolMatch): Pool[] {
  return pools.filter(
    (each) =>
      fits(each.machine_type, seen.machine_type) &&
      fits(each.subnet_id, seen.subnet_id) &&
      fits(each.market, seen.market),
  );
}
