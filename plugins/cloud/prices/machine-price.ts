import type { Price } from '../../../core/index.ts';
import { onDemandPrice } from '../catalogue/on-demand-price.ts';
import type { Market } from '../launch/markets.ts';
import type { Prices } from './settings.ts';

/** What the price of a machine depends on. */
export interface PricedPool {
  readonly machine_type: string;
  readonly market: Market;
}

/**
 * The price of a machine of a pool: one's own, else for a Spot machine the last Spot price, else the list price.
 * Undefined: not known. A capacity block is paid for in advance, so its machines have only a price of one's own.
 * `spotPrice`: the last Spot price of the pool in US dollars an hour, where it is known.
 */
export function machinePrice(
  { region, prices: { factor = 1, table = {} } }: { readonly region: string; readonly prices: Prices },
  { machine_type, market }: PricedPool,
  spotPrice: number | undefined,
): Price | undefined {
  const own = Object.hasOwn(table, machine_type) ? table[machine_type] : undefined;
  const ownPrice = market === 'spot' ? own?.spot : own?.ondemand;
  if (ownPrice !== undefined) return { usd_per_hour: ownPrice, source: 'own' };
  if (market === 'capacity-block') return undefined;
  if (market === 'spot' && spotPrice !== undefined)
    return { usd_per_hour: rounded(spotPrice * factor), source: 'spot_history' };
  const list = onDemandPrice(region, machine_type);
  return list === undefined ? undefined : { usd_per_hour: rounded(list * factor), source: 'catalogue' };
}

/** To a millionth of a dollar, as AWS tells Spot prices. */
const rounded = (usd: number): number => Math.round(usd * 1e6) / 1e6;
