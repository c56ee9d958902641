import { ContractViolation } from './contract-violation.ts';
import { assertAmount, assertObject } from './assertions.ts';

/**
 * Checks the numbers by which the core splits orders and waits. With an invalid number the core would never order
 * anything.
 */
export function soundCapabilities(value: unknown): void {
  const given = assertObject(value, 'capabilities', 'the capabilities of a provider API');
  const most = given['machines_per_launch'];
  if (!Number.isInteger(most) || (most as number) < 1)
    throw new ContractViolation('machines_per_launch', most, 'a whole number of at least 1');
  for (const name of ['max_instances', 'visible_within_ms', 'token_valid_ms']) assertAmount(given[name], '', name);
  const offers = given['offers_per_launch'];
  if (offers !== 'one' && offers !== 'many')
    throw new ContractViolation('offers_per_launch', offers, `'one' or 'many'`);
}
