import assert from 'node:assert/strict';
import { isClaimLost, isFault, type ProviderFault } from '../../../core/index.ts';
import { formatValue } from './format.ts';

/** The outcome of a call into the plugin. */
export type Outcome<T> =
  | { readonly kind: 'value'; readonly value: T; readonly ms: number }
  | { readonly kind: 'fault'; readonly fault: ProviderFault; readonly ms: number }
  | { readonly kind: 'claim-lost'; readonly ms: number }
  | { readonly kind: 'error'; readonly error: unknown; readonly ms: number };

export async function outcomeOf<T>(call: () => T | Promise<T>): Promise<Outcome<T>> {
  const began = performance.now();
  const ms = () => performance.now() - began;
  try {
    return { kind: 'value', value: await call(), ms: ms() };
  } catch (error) {
    // A failed assertion of the kit about the answer, not an error of the plugin.
    if (error instanceof assert.AssertionError) throw error;
    if (isClaimLost(error)) return { kind: 'claim-lost', ms: ms() };
    if (isFault(error)) return { kind: 'fault', fault: error, ms: ms() };
    return { kind: 'error', error, ms: ms() };
  }
}

/** Describes an outcome for a message, without a full stop. */
export const describeOutcome = (outcome: Outcome<unknown>): string => sentenceOf(outcome).replace(/\.$/, '');

function sentenceOf(outcome: Outcome<unknown>): string {
  if (outcome.kind === 'value') return `it returned ${formatValue(outcome.value)}`;
  if (outcome.kind === 'fault')
    return `it threw a ProviderFault of kind '${outcome.fault.kind}': ${outcome.fault.message}`;
  if (outcome.kind === 'claim-lost') return 'it threw ClaimLost';
  return `it threw ${thrown(outcome.error)}`;
}

export const thrown = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : `a value that is not an Error: ${formatValue(error)}`;

/** The value that a call returned; fails with the error if the call threw. */
export const delivered = async <T>(what: string, call: () => T | Promise<T>): Promise<T> =>
  valueOf(what, await outcomeOf(call));

/** The value of an outcome; fails if the outcome has none. */
export function valueOf<T>(what: string, outcome: Outcome<T>): T {
  if (outcome.kind === 'value') return outcome.value;
  const hint =
    outcome.kind === 'error'
      ? '. Any error except a ProviderFault counts as a bug of the plugin, and as a lost answer.'
      : '';
  const failure = new assert.AssertionError({
    message: `${what} must succeed here: ${describeOutcome(outcome)}${hint}`,
  });
  failure.cause = outcome.kind === 'fault' ? outcome.fault : outcome.kind === 'error' ? outcome.error : undefined;
  throw failure;
}
