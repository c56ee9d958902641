/** How a machine is paid for, as stored and as reported by providers. The cloud may reclaim a Spot machine. */
export const markets = ['spot', 'on-demand', 'capacity-block'] as const;
export type Market = (typeof markets)[number];

/** The names of the markets in calls, answers and `price_type` of templates. */
export const marketWords = ['ondemand', 'spot', 'capacity_block'] as const;
export type MarketWord = (typeof marketWords)[number];

/** Other spellings of these names. */
export const marketSpellings: Readonly<Record<string, MarketWord>> = {
  'on-demand': 'ondemand',
  on_demand: 'ondemand',
  onDemand: 'ondemand',
  'capacity-block': 'capacity_block',
  capacityBlock: 'capacity_block',
};

const stored: Readonly<Record<MarketWord, Market>> = {
  ondemand: 'on-demand',
  spot: 'spot',
  capacity_block: 'capacity-block',
};

/** The market for a name. */
export const marketOfWord = (word: MarketWord): Market => stored[word];

/** The name of a market. */
export const marketWord = (market: Market): MarketWord => marketSpellings[market] ?? 'spot';
