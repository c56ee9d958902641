/**
 * The kinds of provider faults. The plugin classifies; the core decides by the kind what to do next (`faultMeanings`).
 * For a launch, every kind but `unknown-outcome` states that nothing of the order was started. A launch that started a
 * part of the order returns it, with a shortfall.
 */
export const faultKinds = [
  'capacity',
  'quota',
  'throttled',
  'credentials',
  'invalid',
  'unavailable',
  'unknown-outcome',
  'gone',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface FaultMeaning {
  readonly meaning: string;
  /** What the core does without help. */
  readonly then: string;
  /** What a person can do when the fault repeats. */
  readonly remedy: string;
}

/** The meaning of each kind, what the core does, and the remedy. */
export const faultMeanings: Readonly<Record<FaultKind, FaultMeaning>> = {
  capacity: {
    meaning: 'This offer has no machines now.',
    then: 'muster tries the next offer or instance with a new attempt. For three minutes the offer comes after all others; for 15 s it is not used.',
    remedy: 'Allow more machine types, places or instances in the template.',
  },
  quota: {
    meaning: 'The account has reached a limit.',
    then: 'muster tries the next instance with a new attempt.',
    remedy: 'Ask the provider for a higher limit, or return machines.',
  },
  throttled: {
    meaning: 'The provider got too many calls and started nothing of the order.',
    then: 'muster repeats the same order later, with the same token.',
    remedy: 'Find out what else calls the provider with this account.',
  },
  credentials: {
    meaning: 'The provider does not accept the credentials of the instance.',
    then: 'muster tries the next instance. When a check is refused too, or the orders of three templates are, this instance is unhealthy and not selected until it answers again.',
    remedy: 'Correct the credentials. If the message names a permission, grant it.',
  },
  invalid: {
    meaning: 'The provider refuses the parameters.',
    then: 'The request fails; muster does not retry it. If the identity of the instance lacks a permission (`denied`), muster tries other offers and instances first.',
    remedy: 'Correct the template as the message says.',
  },
  unavailable: {
    meaning: 'The provider certainly did not execute the call, and a retry may succeed.',
    then: 'muster repeats the same order later, with the same token.',
    remedy: 'Check the provider and the network to it.',
  },
  'unknown-outcome': {
    meaning: 'The answer was lost: the provider may have executed the call.',
    then: 'muster looks for machines of the order, or repeats the same order with the same token. It makes no new order before the outcome is known.',
    remedy: 'Usually nothing. The message of the request says when muster stopped looking.',
  },
  gone: {
    meaning: 'The thing that the call names no longer exists.',
    then: 'A launch ends its attempt, and muster makes another one. Every other call is repeated.',
    remedy: 'Find out whether another program deletes resources of muster.',
  },
};

/** Codes of faults and shortfalls that muster itself makes. All other codes come from the provider. */
export const ownFaultCodes: Readonly<Record<string, string>> = {
  TIMEOUT: 'The provider did not answer in time, or the time-out of the request passed.',
  PLUGIN_ERROR:
    'The plugin threw an error that is not a ProviderFault, or returned an invalid value. This is a bug of the plugin; the log has the details.',
  PREPARATION_FAILED:
    'The plugin failed three times in `prepare` for this request; the log has the details. Other requests still use the instance.',
  STOPPED_THREAD:
    'Two calls for this request hung or ended the loop thread. muster makes no further call for the request at this instance.',
  NO_ANSWER: 'The instance completed no call for half a minute; another instance serves the request.',
  QUARANTINED:
    'muster pauses calls to the instance, or calls for one template there, because a call hung or ended the loop thread.',
  MACHINE_FAILED: 'Machines started but did not become ready; muster released them.',
  BUDGET_EXCEEDED: 'A budget has no room for the machines at this instance; others are tried.',
  NO_PROVIDER: 'No configured instance can serve the template.',
};

const faultMark = Symbol.for('muster.fault');

export interface FaultDetails {
  /** The provider's own code, unchanged. */
  readonly code?: string;
  /** The `key` of the offer that the fault concerns. */
  readonly offer?: string;
  /** The `key` of each offer that the fault concerns, where it concerns several. Other offers are not refused. */
  readonly offers?: readonly string[];
  /** As in a shortfall: why the offer has no machines, where that does not concern other templates. */
  readonly lack?: 'terms' | 'untried' | 'denied';
  /** How long the provider asks the caller to wait before the next call, in milliseconds. */
  readonly retry_after_ms?: number;
  /**
   * Of a launch that failed as `unavailable`: the provider may give the same answer to every later call with the
   * order's token, so the next call needs another token. `order`: the answer proves that no call with the token
   * started a machine. `call`: it proves this only for this call, so the token stays while the answer of an earlier
   * call with it is missing.
   */
  readonly token_spent?: 'order' | 'call';
  readonly cause?: unknown;
}

/**
 * A provider that did not deliver. Any plugin call may throw a ProviderFault; any other thrown value counts as a bug
 * of the plugin.
 */
export class ProviderFault extends Error {
  readonly [faultMark] = true;
  readonly kind: FaultKind;
  readonly code: string;
  readonly offer: string | undefined;
  readonly offers: readonly string[] | undefined;
  readonly lack: 'terms' | 'untried' | 'denied' | undefined;
  readonly retry_after_ms: number | undefined;
  readonly token_spent: 'order' | 'call' | undefined;

  constructor(kind: FaultKind, message: string, details: FaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ProviderFault';
    this.kind = kind;
    this.code = details.code ?? kind;
    this.offer = details.offer;
    this.offers = details.offers;
    this.lack = details.lack;
    this.retry_after_ms = details.retry_after_ms;
    this.token_spent = details.token_spent;
  }
}

/** Recognizes a fault by its mark and kind, never by its class: a plugin may carry its own copy of this module. */
export function isFault(error: unknown): error is ProviderFault {
  try {
    return (
      typeof error === 'object' &&
      error !== null &&
      faultMark in error &&
      faultKinds.includes((error as ProviderFault).kind)
    );
  } catch {
    // A field or a Proxy of a plugin may throw.
    return false;
  }
}
