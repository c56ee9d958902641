/**
 * What went wrong at a provider, in the words that decide what the core does next. The plugin classifies, the core decides:
 * - `capacity`: this offer has no machines now: next offer or provider, with a new attempt
 * - `quota`: a limit of the account: next provider, with a new attempt
 * - `throttled`: asked too often: the same token again, later
 * - `credentials`: the instance cannot act: it is unhealthy until a check succeeds
 * - `invalid`: the provider refuses the parameters: the request fails and is never retried
 * - `unavailable`: certainly not done, worth a retry with the same token
 * - `unknown-outcome`: the call may have been executed: find, else replay; never launch anew
 * - `gone`: what the call names no longer exists
 */
export const faultKinds = ['capacity', 'quota', 'throttled', 'credentials', 'invalid', 'unavailable', 'unknown-outcome', 'gone'] as const;
export type FaultKind = (typeof faultKinds)[number];

const faultMark = Symbol.for('muster.fault');

export interface FaultDetails {
  /** The provider's own code, as it came. */
  readonly code?: string;
  /** Which offer it concerns, by the plugin's own key. */
  readonly offer?: string;
  /** The provider said when to come again, in milliseconds. */
  readonly retry_after_ms?: number;
  readonly cause?: unknown;
}

/** A provider that did not deliver. Throw one from any plugin call; anything else that is thrown counts as a bug of the plugin. */
export class ProviderFault extends Error {
  readonly [faultMark] = true;
  readonly kind: FaultKind;
  readonly code: string;
  readonly offer: string | undefined;
  readonly retry_after_ms: number | undefined;

  constructor(kind: FaultKind, message: string, details: FaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ProviderFault';
    this.kind = kind;
    this.code = details.code ?? kind;
    this.offer = details.offer;
    this.retry_after_ms = details.retry_after_ms;
  }
}

/** Recognises a fault by its mark and kind, never by class: a plugin may carry its own copy of this module. */
export function isFault(error: unknown): error is ProviderFault {
  return typeof error === 'object' && error !== null && faultMark in error && faultKinds.includes((error as ProviderFault).kind);
}
