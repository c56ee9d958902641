import { refusals } from './refusals.ts';

/** What is to be added, by the name of the number; INTERNAL for names that are not plain, and for what is no number. */
export function checkedAmounts(amounts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  const all = Object.entries(amounts);
  const odd = all.find(([name, amount]) => !/^\w+$/.test(name) || !Number.isFinite(amount));
  if (odd) throw refusals.misuse(`What is added is a number under a plain name, not ${JSON.stringify(odd)}.`);
  return all;
}
