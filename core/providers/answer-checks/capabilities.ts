import { ContractViolation } from './contract-violation.ts';
import { assertAmount, assertBoolean, assertObject, assertTexts } from './assertions.ts';

/**
 * Checks what an API declares, with its defaults. With an invalid number the core would never order anything, and with
 * an invalid value the capabilities could not be shown.
 */
export function soundCapabilities(value: unknown): void {
  const given = assertObject(value, 'capabilities', 'the capabilities of a provider API');
  for (const name of ['machines_per_launch', 'max_instances']) assertAtLeastOne(given[name], name);
  for (const name of ['visible_within_ms', 'token_valid_ms', 'late_release_ms']) assertAmount(given[name], '', name);
  for (const name of ['supports_spot', 'supports_on_demand']) assertBoolean(given[name], '', name);
  assertTexts(given['supported_fleet_types'], 'supported_fleet_types');
  const offers = given['offers_per_launch'];
  if (offers !== 'one' && offers !== 'many')
    throw new ContractViolation('offers_per_launch', offers, `'one' or 'many'`);
}

function assertAtLeastOne(value: unknown, name: string): void {
  if (!Number.isInteger(value) || (value as number) < 1)
    throw new ContractViolation(name, value, 'a whole number of at least 1');
}
