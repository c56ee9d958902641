import type { CredentialState, ProviderState, RateState } from '../../contract/provider/provider-state.ts';
import { ContractViolation } from './contract-violation.ts';
import {
  assertAmount,
  assertBoolean,
  assertKnown,
  assertObject,
  assertOptionalTime,
  assertShortText,
  assertText,
} from './assertions.ts';

const mostRates = 1_000;
const mostCharacters = 100;
const counted = ['calls', 'machines'] as const;
const allCounted: ReadonlySet<unknown> = new Set(counted);

/**
 * Checks what a session says of itself, and returns the fields of the contract alone: the answer goes to another
 * thread.
 */
export function readProviderState(value: unknown): ProviderState {
  const { rates, credentials } = assertObject(value, '', 'rates and credentials');
  if (!Array.isArray(rates) || rates.length > mostRates)
    throw new ContractViolation('/rates', rates, `a list of at most ${mostRates} rates`);
  return {
    rates: rates.map((rate, index) => readRate(rate, `/rates/${index}`)),
    credentials: credentials === null ? null : readCredentials(credentials, '/credentials'),
  };
}

function readRate(value: unknown, path: string): RateState {
  const { action, counts, per_second, capacity, free, share } = assertObject(value, path, 'a rate');
  assertShortText(action, path, '/action', mostCharacters);
  assertKnown(counts, allCounted, path, '/counts', counted);
  assertAmount(per_second, path, '/per_second');
  assertAmount(capacity, path, '/capacity');
  assertAmount(share, path, '/share');
  if ((share as number) > 1) throw new ContractViolation(`${path}/share`, share, 'at most 1');
  if (!Number.isFinite(free)) throw new ContractViolation(`${path}/free`, free, 'a number');
  return { action, counts, per_second, capacity, free, share } as RateState;
}

function readCredentials(value: unknown, path: string): CredentialState {
  const { source, expires_at, renewed } = assertObject(value, path, 'credentials or null');
  assertShortText(source, path, '/source', mostCharacters);
  if (expires_at !== null) {
    assertText(expires_at, path, '/expires_at');
    assertOptionalTime(expires_at, path, '/expires_at');
  }
  assertBoolean(renewed, path, '/renewed');
  return { source, expires_at, renewed } as CredentialState;
}
