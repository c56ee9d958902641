import { refusals } from './refusals.ts';

/**
 * Returns the amounts of an `add` by name. Throws INTERNAL for a name that is not letters, digits and `_`, and for an
 * amount that is not a finite number.
 */
export function checkedAmounts(amounts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  const all = Object.entries(amounts);
  const odd = all.find(([name, amount]) => !/^\w+$/.test(name) || !Number.isFinite(amount));
  if (odd)
    throw refusals.misuse(
      `An amount to add must be a finite number with a name of letters, digits and '_', not ${JSON.stringify(odd)}.`,
    );
  return all;
}
