import { Broken } from './broken.ts';
import { amount, object } from './values.ts';

/**
 * Checks the numbers by which the core splits orders and waits. With an invalid number the core would never order
 * anything.
 */
export function soundCapabilities(value: unknown): void {
  const given = object(value, 'capabilities', 'the capabilities of a provider API');
  const most = given['machines_per_launch'];
  if (!Number.isInteger(most) || (most as number) < 1)
    throw new Broken('machines_per_launch', most, 'a whole number of at least 1');
  for (const name of ['max_instances', 'visible_within_ms', 'token_valid_ms']) amount(given[name], '', name);
  const offers = given['offers_per_launch'];
  if (offers !== 'one' && offers !== 'many') throw new Broken('offers_per_launch', offers, `'one' or 'many'`);
}
