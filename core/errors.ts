/** Every refusal that muster can give: its code, the HTTP status that stands for it, and what it means. The one table that all faces map from. */
export const codes = {
  PROVIDER_NOT_FOUND: { status: 404, meaning: 'The provider instance is not in the configuration.' },
  PROVIDER_DISABLED: { status: 409, meaning: 'The chosen provider instance is disabled.' },
  NO_ENABLED_PROVIDERS: { status: 503, meaning: 'No enabled provider instance can take the request.' },
  PROVIDER_TYPE_MISMATCH: { status: 400, meaning: 'The provider type differs from the one that the template names.' },
  TEMPLATE_NOT_FOUND: { status: 404, meaning: 'No template has this id.' },
  TEMPLATE_INVALID: { status: 400, meaning: 'The template failed validation.' },
  API_NOT_SUPPORTED: { status: 400, meaning: 'The provider instance does not offer the API that the template needs.' },
  INSTANCE_LIMIT_EXCEEDED: { status: 400, meaning: 'The request asks for more machines than a limit allows.' },
  INVALID_CONFIGURATION: { status: 400, meaning: 'The configuration is invalid.' },
  FILE_NOT_FOUND: { status: 404, meaning: 'A file that was named does not exist.' },
  PARSE_ERROR: { status: 400, meaning: 'A file cannot be parsed.' },
  INVALID_REQUEST: { status: 400, meaning: 'The input is malformed or fails validation.' },
  REQUEST_NOT_FOUND: { status: 404, meaning: 'No request has this id.' },
  MACHINE_NOT_FOUND: { status: 404, meaning: 'No machine has this id.' },
  NOT_FOUND: { status: 404, meaning: 'Nothing is served at this path.' },
  ALREADY_EXISTS: { status: 409, meaning: 'Something with this id exists already.' },
  CONFLICT: { status: 409, meaning: 'The present state does not allow this, or it changed meanwhile.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists but does not serve this method.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than the limit.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not JSON.' },
  RATE_LIMITED: { status: 429, meaning: 'The client sent more requests than its limit allows.' },
  NOT_IMPLEMENTED: { status: 501, meaning: 'The route is planned and not served.' },
  UNAVAILABLE: { status: 503, meaning: 'The broker cannot take the request now; try again later.' },
  INTERNAL: { status: 500, meaning: 'muster failed; the log has the cause under the same request id.' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

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
