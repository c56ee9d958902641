import type { Offer } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { mostPools } from './most-pools.ts';

export type Market = 'on-demand' | 'spot';

/** A pool of machines of the cloud: one type in one place in one market. */
export interface Pool extends Offer {
  /** `m5.large|subnet-1|on-demand`; `*` where the template leaves it open. */
  readonly key: string;
  /** Absent where the template names attributes or a launch template instead. */
  readonly machine_type?: string;
  readonly subnet_id?: string;
  readonly market: Market;
}

const open = '*';

/**
 * Pools that a template allows: types by priority, each in every subnet; all of the first market before the second.
 * Each once, and of each market the first that a fleet may have, so that lists which a review would refuse cost no
 * time here.
 */
export function poolsOf(template: CloudTemplate): Pool[] {
  const types = machineTypesOf(template);
  const subnets = template.subnet_ids?.length ? [...new Set(template.subnet_ids)] : [undefined];
  return marketsOf(template).flatMap((market) => [...firstPools(types, subnets, market).values()]);
}

type Names = readonly (string | undefined)[];

function firstPools(types: Names, subnets: Names, market: Market): ReadonlyMap<string, Pool> {
  const pools = new Map<string, Pool>();
  for (const machine_type of types)
    for (const subnet_id of subnets) {
      if (pools.size === mostPools) return pools;
      const made = pool(machine_type, subnet_id, market);
      if (!pools.has(made.key)) pools.set(made.key, made);
    }
  return pools;
}

function pool(machine_type: string | undefined, subnet_id: string | undefined, market: Market): Pool {
  return {
    key: [machine_type ?? open, subnet_id ?? open, market].join('|'),
    ...(machine_type === undefined ? {} : { machine_type }),
    ...(subnet_id === undefined ? {} : { subnet_id }),
    market,
  };
}

/** Markets in the order in which they are tried. With `mixed`, what Spot does not give is had on demand. */
export function marketsOf(template: CloudTemplate): readonly Market[] {
  switch (template.price_type) {
    case 'mixed':
    case 'heterogeneous':
      return ['spot', 'on-demand'];
    case 'spot':
      return (template.percent_on_demand ?? 0) > 0 ? ['spot', 'on-demand'] : ['spot'];
    default:
      return ['on-demand'];
  }
}

/**
 * Types by priority, then in the order of the template; one `undefined` where attributes or a launch template name
 * them.
 */
export function machineTypesOf(template: CloudTemplate): readonly (string | undefined)[] {
  if (template.instance_requirements) return [undefined];
  const types = Object.keys(template.machine_types ?? {});
  if (types.length === 0) return [template.machine_type];
  const rank = (type: string) => template.machine_types_priority?.[type] ?? Infinity;
  return types.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

/** Units of capacity that one machine of a type counts as. */
export const weightOf = (template: CloudTemplate, type: string | undefined): number =>
  type === undefined ? 1 : (template.machine_types?.[type] ?? 1);

/** What is known of a pool when something happened in it. */
export interface Sighting {
  readonly machine_type?: string | undefined;
  readonly subnet_id?: string | undefined;
  readonly market?: Market | undefined;
}

const fits = (a: string | undefined, b: string | undefined): boolean => a === undefined || b === undefined || a === b;

/** The pools that a sighting can be about; all that do not contradict it. */
export function poolsSeen(pools: readonly Pool[], seen: Sighting): Pool[] {
  return pools.filter(
    (each) =>
      fits(each.machine_type, seen.machine_type) &&
      fits(each.subnet_id, seen.subnet_id) &&
      fits(each.market, seen.market),
  );
}
