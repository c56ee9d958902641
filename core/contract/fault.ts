/**
 * What went wrong at a provider, in the words that decide what the core does next (`faultMeanings`). The plugin classifies, the core decides.
 * Of a launch every kind but `unknown-outcome` says that nothing of the order was started: what came must be answered, with a shortfall.
 */
export const faultKinds = ['capacity', 'quota', 'throttled', 'credentials', 'invalid', 'unavailable', 'unknown-outcome', 'gone'] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface FaultMeaning {
  readonly meaning: string;
  /** What the core does about it by itself. */
  readonly then: string;
  /** What a person can do where it goes on. */
  readonly remedy: string;
}

/** What each kind says, and what follows from it. */
export const faultMeanings: Readonly<Record<FaultKind, FaultMeaning>> = {
  capacity: {
    meaning: 'This offer has no machines now.',
    then: 'The next offer or instance is tried, with a new attempt; the offer comes behind all others for three minutes, and is not asked again for 15 s.',
    remedy: 'Allow more machine types, places or instances in the template.',
  },
  quota: {
    meaning: 'A limit of the account is reached.',
    then: 'The next instance is tried, with a new attempt.',
    remedy: 'Have the limit raised, or return machines.',
  },
  throttled: {
    meaning: 'The provider was asked too often, and nothing of the order was started.',
    then: 'The same order is sent again later, with the same token.',
    remedy: 'See who else calls with this account.',
  },
  credentials: {
    meaning: 'The instance may not act.',
    then: 'The next instance is tried. This one is unhealthy, and not chosen, when a check is refused too, or orders of three templates are, until it answers again.',
    remedy: 'Mend the credentials, or the permissions that the message names.',
  },
  invalid: {
    meaning: 'The provider refuses the parameters.',
    then: 'The request fails and is not tried again.',
    remedy: 'Mend the template by what the message says.',
  },
  unavailable: {
    meaning: 'It was certainly not done, and is worth a retry.',
    then: 'The same order is sent again later, with the same token.',
    remedy: 'See whether the provider, and the network to it, work.',
  },
  'unknown-outcome': {
    meaning: 'The answer was lost: the call may have been carried out.',
    then: 'What it started is looked for, or the same order is sent again with the same token; never a new one meanwhile.',
    remedy: 'Nothing, as a rule. The request says when muster gave up looking.',
  },
  gone: {
    meaning: 'What the call names no longer exists.',
    then: 'A launch ends its attempt, and another is made; everything else is asked again.',
    remedy: 'See whether somebody takes away what muster made.',
  },
};

/** Codes that faults and shortfalls have where muster itself says so; all others are the provider's. */
export const ownFaultCodes: Readonly<Record<string, string>> = {
  TIMEOUT: 'An answer did not come in time, or the time-out of the request passed.',
  PLUGIN_ERROR: 'The plugin threw something that is no fault, or gave nonsense: a bug of the plugin, told in the log.',
  PREPARATION_FAILED:
    'The plugin failed three times while it made the order of this request ready; told in the log. Others are served there.',
  STOPPED_THREAD: 'Two calls for this request hung or ended the thread that carries requests out: nothing more is called for it there.',
  NO_ANSWER: 'The instance carried nothing out for half a minute; another one serves instead.',
  QUARANTINED:
    'The instance, or requests of one template there, are left alone for a while: a call hung or ended the thread that carries requests out.',
  MACHINE_FAILED: 'Machines were started and never became ready; they were given back.',
  NO_PROVIDER: 'No configured instance can serve the template.',
};

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
