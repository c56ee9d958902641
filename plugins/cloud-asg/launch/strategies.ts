const spot = [
  'lowest-price',
  'capacity-optimized',
  'capacity-optimized-prioritized',
  'price-capacity-optimized',
] as const;
const onDemand = ['lowest-price', 'prioritized'] as const;

export type SpotStrategy = (typeof spot)[number];
export type OnDemandStrategy = (typeof onDemand)[number];

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

/** Auto Scaling's own spelling of a strategy written in any; undefined when it has none of the name. */
export const spotStrategy = (name: string): SpotStrategy | undefined => spot.find((each) => bare(each) === bare(name));
export const onDemandStrategy = (name: string): OnDemandStrategy | undefined =>
  onDemand.find((each) => bare(each) === bare(name));

export const spotStrategies: readonly string[] = spot;
export const onDemandStrategies: readonly string[] = onDemand;
