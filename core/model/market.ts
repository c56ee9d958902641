/** How a machine is paid for, as it is stored and as providers report it. A Spot machine may be taken back by the cloud. */
export const markets = ['spot', 'on-demand', 'capacity-block'] as const;
export type Market = (typeof markets)[number];

/** The markets in the words that callers read and write: those of a template's `price_type`. */
export const marketWords = ['ondemand', 'spot', 'capacity_block'] as const;
export type MarketWord = (typeof marketWords)[number];

/** Other spellings of the words. */
export const marketSpellings: Readonly<Record<string, MarketWord>> = {
  'on-demand': 'ondemand',
  on_demand: 'ondemand',
  onDemand: 'ondemand',
  'capacity-block': 'capacity_block',
  capacityBlock: 'capacity_block',
};

const stored: Readonly<Record<MarketWord, Market>> = { ondemand: 'on-demand', spot: 'spot', capacity_block: 'capacity-block' };

/** The market that a word means. */
export const marketOfWord = (word: MarketWord): Market => stored[word];

/** The word for a market. */
export const marketWord = (market: Market): MarketWord => marketSpellings[market] ?? 'spot';
