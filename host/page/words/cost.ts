/** What machines cost, as the broker tells it. */
interface ToldCost {
  readonly usd_per_hour: number;
  readonly usd_so_far: number;
  readonly unpriced_machines?: number | undefined;
}

/** US dollars with as many decimals as a small amount needs. */
export const dollars = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 1 ? 4 : 2)}`;

/** The cost in words: the rate while machines run, the sum, and how many machines it leaves out. */
export function costText({ usd_per_hour, usd_so_far, unpriced_machines = 0 }: ToldCost): string {
  const rate = usd_per_hour > 0 ? `${dollars(usd_per_hour)} an hour, ` : '';
  const known = `${rate}${dollars(usd_so_far)} so far`;
  if (unpriced_machines === 0) return known;
  const unknown = `${unpriced_machines} without a known price`;
  return usd_so_far === 0 && usd_per_hour === 0 ? unknown : `${known}; ${unknown}`;
}
