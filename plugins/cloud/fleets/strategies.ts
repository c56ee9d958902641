import { marketsOf } from '../launch/pools.ts';
import type { CloudTemplate } from '../template/fields.ts';

const spot = [
  'lowest-price',
  'diversified',
  'capacity-optimized',
  'capacity-optimized-prioritized',
  'price-capacity-optimized',
] as const;
const onDemand = ['lowest-price', 'prioritized'] as const;

export type SpotStrategy = (typeof spot)[number];
export type OnDemandStrategy = (typeof onDemand)[number];

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

/**
 * Finds a strategy in a list by a name in any spelling, such as `capacityOptimized` or `CAPACITY_OPTIMIZED`.
 * Undefined: there is no such strategy.
 */
export const strategyFinder =
  <S extends string>(strategies: readonly S[]) =>
  (name: string): S | undefined =>
    strategies.find((each) => bare(each) === bare(name));

export const spotStrategy = strategyFinder(spot);
export const onDemandStrategy = strategyFinder(onDemand);

/** The Spot Fleet spelling: `capacityOptimized`. */
export const camelCased = (strategy: SpotStrategy | OnDemandStrategy): string =>
  strategy.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const spotStrategies: readonly string[] = spot;
export const onDemandStrategies: readonly string[] = onDemand;

/**
 * The strategy of a template in each market. The default depends on whether the template has priorities, or a number
 * of pools.
 */
export function strategiesOf(template: CloudTemplate): {
  readonly spot: SpotStrategy;
  readonly onDemand: OnDemandStrategy;
} {
  const ranked = template.machine_types_priority !== undefined;
  const usual = ranked ? 'capacity-optimized-prioritized' : 'price-capacity-optimized';
  return {
    spot:
      spotStrategy(template.allocation_strategy ?? '') ??
      // Only this strategy divides machines over a number of pools.
      (template.pools_count === undefined ? usual : 'lowest-price'),
    onDemand:
      onDemandStrategy(template.allocation_strategy_on_demand ?? onlyStrategyOf(template)) ??
      (ranked ? 'prioritized' : 'lowest-price'),
  };
}

/** The `allocation_strategy` of a template without Spot machines, which can only mean its on-demand machines. */
export const onlyStrategyOf = (template: CloudTemplate): string =>
  marketsOf(template).includes('spot') ? '' : (template.allocation_strategy ?? '');

/** Over how many Spot pools a template divides its machines; undefined where its strategy does not. */
export const poolsCountOf = (template: CloudTemplate): number | undefined =>
  strategiesOf(template).spot === 'lowest-price' ? template.pools_count : undefined;

/** Whether the overrides need a priority. */
export const isPrioritized = (template: CloudTemplate): boolean =>
  template.machine_types_priority !== undefined ||
  spotStrategy(template.allocation_strategy ?? '') === 'capacity-optimized-prioritized' ||
  onDemandStrategy(template.allocation_strategy_on_demand ?? '') === 'prioritized';
