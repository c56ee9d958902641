interface Refused {
  readonly status: number;
  readonly meaning: string;
  /** Whether the same call may succeed later. */
  readonly retry: boolean;
  /** What to do, for people. */
  readonly remedy: string;
}

/**
 * Every refusal that muster can give: its code, the HTTP status that stands for it, what it means, whether the same call may succeed later with nothing
 * changed by the caller, and what to do. The one table that all faces and their documentation map from.
 */
export const codes = {
  PROVIDER_NOT_FOUND: {
    status: 404,
    meaning: 'The provider instance is not in the configuration.',
    retry: false,
    remedy: 'Name one that list_providers shows, or add it to the configuration.',
  },
  PROVIDER_DISABLED: {
    status: 409,
    meaning: 'The chosen provider instance is disabled.',
    retry: false,
    remedy: 'Choose another instance, or set `enabled: true` in the configuration.',
  },
  NO_ENABLED_PROVIDERS: {
    status: 503,
    meaning: 'No enabled provider instance can take the request.',
    retry: true,
    remedy: 'Wait until an instance is healthy again, or enable one; the message says what is against each.',
  },
  PROVIDER_TYPE_MISMATCH: {
    status: 400,
    meaning: 'The provider type differs from the one that the template names.',
    retry: false,
    remedy: 'Leave the provider type out, or choose an instance of the type that the template names.',
  },
  TEMPLATE_NOT_FOUND: {
    status: 404,
    meaning: 'No template has this id.',
    retry: false,
    remedy: 'Name one that list_templates shows; `suggestion` in the details says what may have been meant.',
  },
  TEMPLATE_INVALID: {
    status: 400,
    meaning: 'The template failed validation.',
    retry: false,
    remedy: 'Mend what the findings in the details name, each with its path.',
  },
  API_NOT_SUPPORTED: {
    status: 400,
    meaning: 'The provider instance does not offer the API that the template needs.',
    retry: false,
    remedy: 'Change `provider_api` of the template, or choose an instance that offers it.',
  },
  INSTANCE_LIMIT_EXCEEDED: {
    status: 400,
    meaning: 'The request asks for more machines than a limit allows.',
    retry: false,
    remedy: 'Ask for fewer machines, return some of this template first, or raise the limit that the message names.',
  },
  INSTANCE_BUSY: {
    status: 503,
    meaning:
      'The provider instance has as many requests open as it may have at once. A request that waits for it says so; no call is refused for it.',
    retry: true,
    remedy: 'Wait: requests are served in the order in which they were accepted. Or raise `max_concurrent_requests`.',
  },
  INVALID_CONFIGURATION: {
    status: 400,
    meaning: 'The configuration is invalid.',
    retry: false,
    remedy: 'Mend what the findings name, each with its place; `muster config validate` checks a file.',
  },
  FILE_NOT_FOUND: {
    status: 404,
    meaning: 'A file that was named does not exist.',
    retry: false,
    remedy: 'Correct the path, or make the file.',
  },
  PARSE_ERROR: {
    status: 400,
    meaning: 'A file cannot be parsed.',
    retry: false,
    remedy: 'Mend the file at the place that the message names.',
  },
  INVALID_REQUEST: {
    status: 400,
    meaning: 'The input is malformed or fails validation.',
    retry: false,
    remedy: 'Mend what the message names; the reference has the fields with their bounds.',
  },
  REQUEST_NOT_FOUND: {
    status: 404,
    meaning: 'No request has this id.',
    retry: false,
    remedy: 'Correct the id. One that ended long ago may have been purged.',
  },
  MACHINE_NOT_FOUND: {
    status: 404,
    meaning: 'No machine has this id.',
    retry: false,
    remedy: 'Correct the id. Only machines that muster handed out are known to it.',
  },
  NOT_FOUND: {
    status: 404,
    meaning: 'Nothing is served at this path.',
    retry: false,
    remedy: 'Correct the path or the name; the reference lists them.',
  },
  ALREADY_EXISTS: {
    status: 409,
    meaning: 'Something with this id exists already.',
    retry: false,
    remedy: 'Choose another id, or change what exists.',
  },
  CONFLICT: {
    status: 409,
    meaning: 'The present state does not allow this, or it changed meanwhile.',
    retry: false,
    remedy: 'Read how it stands now, then decide anew.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The path exists but does not serve this method.',
    retry: false,
    remedy: 'Use a method that the header `Allow` names.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than the limit.', retry: false, remedy: 'Send less.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The body is not JSON.',
    retry: false,
    remedy: 'Send JSON, with `content-type: application/json` and without compression.',
  },
  RATE_LIMITED: {
    status: 429,
    meaning: 'The client sent more requests than its limit allows.',
    retry: true,
    remedy: 'Come again after `Retry-After`, and call less often.',
  },
  NOT_IMPLEMENTED: {
    status: 501,
    meaning: 'The route is planned and not served.',
    retry: false,
    remedy: 'Use another way; the message names one.',
  },
  UNAVAILABLE: {
    status: 503,
    meaning: 'The broker cannot take the request now; try again later.',
    retry: true,
    remedy: 'Come again after `Retry-After`. Under an `Idempotency-Key` nothing is done twice.',
  },
  INTERNAL: {
    status: 500,
    meaning: 'muster failed; the log has the cause under the same request id.',
    retry: false,
    remedy: 'Look for the request id in the log. See how things stand before the call is repeated.',
  },
} as const satisfies Record<string, Refused>;

export type Code = keyof typeof codes;

const errorMark = Symbol.for('muster.error');

/** An operation that was refused. `message` says what happened, to which thing, and what to do; it is shown to callers and never holds a secret. */
export class BrokerError extends Error {
  readonly [errorMark] = true;
  readonly code: Code;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, details: Readonly<Record<string, unknown>> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BrokerError';
    this.code = code;
    this.details = details;
  }
}

/** Recognises a BrokerError by its mark, so that two copies of this module understand each other. */
export function isBrokerError(error: unknown): error is BrokerError {
  return typeof error === 'object' && error !== null && errorMark in error;
}
