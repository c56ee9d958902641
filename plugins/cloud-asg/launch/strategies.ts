import { strategyFinder } from '../../cloud/index.ts';

export const spotStrategies = [
  'lowest-price',
  'capacity-optimized',
  'capacity-optimized-prioritized',
  'price-capacity-optimized',
] as const;
export const onDemandStrategies = ['lowest-price', 'prioritized'] as const;

/** The Auto Scaling strategy of a name in any spelling; undefined: Auto Scaling has no such strategy. */
export const spotStrategy = strategyFinder(spotStrategies);
export const onDemandStrategy = strategyFinder(onDemandStrategies);
