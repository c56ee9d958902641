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
 * EC2 Fleet's spelling of a strategy written in any: `capacityOptimized`, `CAPACITY_OPTIMIZED`; undefined when there
 * is none of the name.
 */
export const spotStrategy = (name: string): SpotStrategy | undefined => spot.find((each) => bare(each) === bare(name));
export const onDemandStrategy = (name: string): OnDemandStrategy | undefined =>
  onDemand.find((each) => bare(each) === bare(name));

/** Spot Fleet's spelling of the same: `capacityOptimized`. */
export const camelCased = (strategy: SpotStrategy | OnDemandStrategy): string =>
  strategy.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const spotStrategies: readonly string[] = spot;
export const onDemandStrategies: readonly string[] = onDemand;

/**
 * How a template's pools are chosen in each market; with priorities they decide where the template names no strategy.
 */
export function strategiesOf(template: CloudTemplate): {
  readonly spot: SpotStrategy;
  readonly onDemand: OnDemandStrategy;
} {
  const ranked = template.machine_types_priority !== undefined;
  return {
    spot:
      spotStrategy(template.allocation_strategy ?? '') ??
      (ranked ? 'capacity-optimized-prioritized' : 'price-capacity-optimized'),
    onDemand:
      onDemandStrategy(template.allocation_strategy_on_demand ?? '') ?? (ranked ? 'prioritized' : 'lowest-price'),
  };
}

/** Whether the order of machine types has to be told. */
export const isPrioritized = (template: CloudTemplate): boolean =>
  template.machine_types_priority !== undefined ||
  spotStrategy(template.allocation_strategy ?? '') === 'capacity-optimized-prioritized' ||
  onDemandStrategy(template.allocation_strategy_on_demand ?? '') === 'prioritized';
