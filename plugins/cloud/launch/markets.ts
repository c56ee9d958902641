import type {
  DefaultTargetCapacityType,
  InstanceLifecycleType,
  MarketType,
  TargetCapacitySpecificationRequest,
} from '@aws-sdk/client-ec2';

/** How AWS names one way of paying for machines, in the calls and answers that name it. */
interface MarketFacts {
  /** The `price_type` of templates that use this market alone. */
  readonly price_type: string;
  /** The parameter of a fleet's target that gives the units of this market. Absent: a fleet has such units alone. */
  readonly target_field?: keyof TargetCapacitySpecificationRequest;
  /** The type of the units of a fleet's target for which no parameter gives the market. */
  readonly default_type: DefaultTargetCapacityType;
  /** `InstanceMarketOptions.MarketType` of a launch. Absent: a launch of this market has no such options. */
  readonly market_type?: MarketType;
  /** Fleets and groups have the market in their launch template, and only instant fleets have it. */
  readonly in_template?: true;
  /** `InstanceLifecycle` of a machine. Absent: a machine of this market has none. */
  readonly lifecycle?: InstanceLifecycleType;
}

/** The markets of EC2. One entry makes a market. */
export const markets = {
  'on-demand': { price_type: 'ondemand', target_field: 'OnDemandTargetCapacity', default_type: 'on-demand' },
  spot: {
    price_type: 'spot',
    target_field: 'SpotTargetCapacity',
    default_type: 'spot',
    market_type: 'spot',
    lifecycle: 'spot',
  },
  'capacity-block': {
    price_type: 'capacity_block',
    default_type: 'capacity-block',
    market_type: 'capacity-block',
    in_template: true,
    lifecycle: 'capacity-block',
  },
} as const satisfies Readonly<Record<string, MarketFacts>>;

export type Market = keyof typeof markets;

export const marketNames = Object.keys(markets) as readonly Market[];

/** The properties of a market in one type, also those that only some markets have. */
export const marketFacts = (market: Market): MarketFacts => markets[market];

const byLifecycle: ReadonlyMap<string, Market> = new Map(
  marketNames.flatMap((market) => {
    const { lifecycle } = marketFacts(market);
    return lifecycle === undefined ? [] : [[lifecycle, market] as const];
  }),
);

/** The market of a machine with this life cycle. None, and a life cycle that is not in the table, is on demand. */
export const marketOfLifecycle = (lifecycle: string | undefined): Market =>
  byLifecycle.get(lifecycle ?? '') ?? 'on-demand';

const byPriceType: Readonly<Record<string, readonly Market[]>> = {
  ...Object.fromEntries(marketNames.map((market) => [marketFacts(market).price_type, [market]])),
  mixed: ['spot', 'on-demand'],
  heterogeneous: ['spot', 'on-demand'],
};

/** The values of `price_type`. */
export const priceTypes: readonly string[] = Object.keys(byPriceType);

/** The markets of a `price_type`, in the order in which they are tried. Default: on demand. */
export const marketsOfPrice = (priceType: string | undefined): readonly Market[] =>
  byPriceType[priceType ?? ''] ?? ['on-demand'];
