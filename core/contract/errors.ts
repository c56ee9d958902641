interface Refused {
  readonly status: number;
  readonly meaning: string;
  /** Whether the same call may succeed later. */
  readonly retry: boolean;
  /** What the reader can do. */
  readonly remedy: string;
}

/**
 * All error codes of muster: the HTTP status, the meaning, whether the same call may succeed later without a change by
 * the caller, and the remedy. All interfaces and the reference page of errors are made from this table.
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
    remedy:
      'Wait until an instance is healthy again (get_provider_health tells), or enable one; the message names the reason for each.',
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
    remedy: 'Name one that list_templates shows; `suggestion` in the details names the most similar one.',
  },
  TEMPLATE_INVALID: {
    status: 400,
    meaning: 'The template failed validation.',
    retry: false,
    remedy: 'Correct the fields that the findings in the details name by path.',
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
  BUDGET_EXCEEDED: {
    status: 409,
    meaning: 'The machines do not fit into a budget.',
    retry: true,
    remedy:
      'Ask for fewer machines, return some, or wait until others are returned; list_budgets shows what is used, and the details name the budget, its limit, what is used and what was asked.',
  },
  INSTANCE_BUSY: {
    status: 503,
    meaning:
      'The provider instance has the maximum number of open requests. A waiting request reports this code; no call is refused with it.',
    retry: true,
    remedy:
      'Wait: requests are served in the order of acceptance, and explain_request says which come first. Or raise `max_concurrent_requests`.',
  },
  INVALID_CONFIGURATION: {
    status: 400,
    meaning: 'The configuration is invalid.',
    retry: false,
    remedy: 'Correct the places that the findings name; `muster config validate` checks a file.',
  },
  FILE_NOT_FOUND: {
    status: 404,
    meaning: 'The named file does not exist.',
    retry: false,
    remedy: 'Correct the path, or create the file.',
  },
  PARSE_ERROR: {
    status: 400,
    meaning: 'A file cannot be parsed.',
    retry: false,
    remedy: 'Correct the file at the place that the message names.',
  },
  INVALID_REQUEST: {
    status: 400,
    meaning: 'The input is malformed or fails validation.',
    retry: false,
    remedy: 'Correct the fields that the message names; the reference lists all fields with their bounds.',
  },
  REQUEST_NOT_FOUND: {
    status: 404,
    meaning: 'No request has this id.',
    retry: false,
    remedy:
      'Correct the id: list_active_requests with all_resources shows the requests. Those that ended long ago may have been purged.',
  },
  MACHINE_NOT_FOUND: {
    status: 404,
    meaning: 'No machine has this id.',
    retry: false,
    remedy: 'Correct the id: list_machines shows the machines. muster only tracks machines that it delivered.',
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
    meaning: 'The present state does not allow the operation, or the state changed during the call.',
    retry: false,
    remedy:
      'Read the present state (sync_and_get_request shows that of a request, explain_request the reason), then decide again.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The path exists but does not serve this method.',
    retry: false,
    remedy: 'Use a method that the header `Allow` names.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    meaning: 'The body is larger than the limit.',
    retry: false,
    remedy: 'Send a smaller body.',
  },
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
    remedy: 'Retry after the time in `Retry-After`, and call less often.',
  },
  NOT_IMPLEMENTED: {
    status: 501,
    meaning: 'The route is planned, but not served yet.',
    retry: false,
    remedy: 'Use the other way that the message names.',
  },
  UNAVAILABLE: {
    status: 503,
    meaning: 'The broker cannot take the request now; try again later.',
    retry: true,
    remedy:
      'Repeat the call a few seconds later; over REST `Retry-After` says when. With an idempotency key the repeated call has no second effect.',
  },
  INTERNAL: {
    status: 500,
    meaning: 'muster failed; the log has the cause under the same request id.',
    retry: false,
    remedy: 'Look for the request id in the log. Check the present state before you repeat the call.',
  },
} as const satisfies Record<string, Refused>;

export type Code = keyof typeof codes;

const errorMark = Symbol.for('muster.error');

/**
 * An operation that was refused. `message` states the cause, the thing and the remedy. It is shown to callers and
 * never contains a secret.
 */
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

/** Recognizes a BrokerError by its mark, so that two copies of this module understand each other. */
export function isBrokerError(error: unknown): error is BrokerError {
  try {
    return typeof error === 'object' && error !== null && errorMark in error;
  } catch {
    // A Proxy of a plugin may throw.
    return false;
  }
}
