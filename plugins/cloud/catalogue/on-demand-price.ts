import { familyOf, instanceType } from './index.ts';
import list from './region-prices.json' with { type: 'json' };

/** The prices of these types are in the catalogue itself. */
const home = 'us-east-1';

const regions: Readonly<Record<string, Readonly<Record<string, number>>>> = list.regions;

/**
 * The list price of a machine type in a region, on demand and with Linux, in US dollars an hour. Undefined: the
 * catalogue does not have it. Within a family AWS charges for a size the same multiple in each region, so the list has
 * one factor for a family; its result is within one percent of the price of `date`.
 */
export function onDemandPrice(region: string, type: string): number | undefined {
  const known = instanceType(type);
  const factor = region === home ? 1 : regions[region]?.[familyOf(type)];
  return known === undefined || factor === undefined ? undefined : known.on_demand_price * factor;
}

/** Where the prices of the regions come from, and from when they are. */
export const priceList: { readonly source: string; readonly date: string } = { source: list.source, date: list.date };
