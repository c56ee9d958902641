import type { Machine } from '../api/shapes.ts';
import { count } from './numbers.ts';

/** What machines cost. */
interface Costs {
  readonly usd_per_hour: number;
  readonly usd_so_far: number;
  readonly unpriced_machines?: number | undefined;
}

const grouped = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const small = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumSignificantDigits: 2 });

/** US dollars: in cents, and a part of a dollar with the two digits that tell most. */
export const dollars = (usd: number): string =>
  `$${(usd > 0 && usd < 0.1 ? small : grouped).format(usd).replaceAll(',', '\u202f')}`;

/** A price an hour as a column has it: with as many decimals as prices of clouds have, so that they line up. */
export const priceText = (cost: { readonly usd_per_hour: number } | null | undefined): string =>
  cost ? `$${cost.usd_per_hour.toFixed(4)}` : '–';

/** The machines that a sum leaves out, in words; empty when there are none. */
export const unpricedText = (machines: number): string =>
  machines === 0 ? '' : `${count(machines, 'machine')} unpriced`;

/** The cost in words: the rate while machines run, the sum, and how many machines it leaves out. */
export function costText({ usd_per_hour, usd_so_far, unpriced_machines = 0 }: Costs): string {
  const isKnown = usd_so_far > 0 || usd_per_hour > 0 || unpriced_machines === 0;
  return [
    usd_per_hour > 0 ? `${dollars(usd_per_hour)} an hour` : '',
    isKnown ? `${dollars(usd_so_far)} so far` : '',
    unpricedText(unpriced_machines),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** What machines cost together, those that are gone included. */
export function costOfAll(machines: readonly Pick<Machine, 'cost'>[]): Costs {
  const known = machines.flatMap(({ cost }) => cost ?? []);
  return {
    usd_per_hour: known.reduce((sum, { usd_per_hour }) => sum + usd_per_hour, 0),
    usd_so_far: known.reduce((sum, { usd_so_far }) => sum + usd_so_far, 0),
    unpriced_machines: machines.length - known.length,
  };
}
