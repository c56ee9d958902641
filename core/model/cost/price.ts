import { Type, type Static } from 'typebox';

/**
 * Where a price comes from.
 * - `catalogue`: a list price that the plugin knows
 * - `spot_history`: the last price that the provider told for the pool
 * - `own`: the configuration of the instance
 */
export const priceSources = ['catalogue', 'spot_history', 'own'] as const;
export type PriceSource = (typeof priceSources)[number];

/** What a machine costs while it runs. */
export const Price = Type.Object({
  /** US dollars. */
  usd_per_hour: Type.Number({ minimum: 0 }),
  source: Type.Unsafe<PriceSource>(Type.Enum([...priceSources])),
});
export type Price = Static<typeof Price>;
