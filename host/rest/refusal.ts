import { codes, isBrokerError, type Code } from '../../core/contract/errors.ts';
import type { ErrorForm } from './routes/path-table.ts';

/** An error as it is answered, independent of its format. */
export interface Refusal {
  readonly code: Code;
  readonly status: number;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Value of the Retry-After header in seconds. */
  readonly retry_after?: number;
}

/** An HTTP error with its own status. */
export class WireRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface FrameworkError {
  readonly code?: string;
  readonly statusCode?: number;
  readonly message?: string;
}

const framework: Readonly<Record<string, readonly [Code, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'UNSUPPORTED_MEDIA_TYPE',
    'The body must be JSON; send it with content-type: application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['INVALID_REQUEST', 'The length of the body differs from content-length.'],
  FST_ERR_BAD_URL: ['INVALID_REQUEST', 'The path is not valid percent-encoding.'],
  FST_ERR_MAX_PARAM_LENGTH: ['INVALID_REQUEST', 'A part of the path is longer than any valid one.'],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: [
    'UNSUPPORTED_MEDIA_TYPE',
    'The body must be JSON; send it with content-type: application/json.',
  ],
};

/** Returns the answer to an error. An unexpected error becomes INTERNAL without internal details. */
export function refusalOf(error: unknown): Refusal {
  // INTERNAL errors of storages and plugins are internal details too; only the name of a failed scheduler strategy is
  // reported.
  if (isBrokerError(error) && (error.code !== 'INTERNAL' || error.details['strategy'] !== undefined)) {
    const { code, message, details } = error;
    const { status } = codes[code];
    const retry_after = status === 503 || status === 429 ? { retry_after: Number(details['retry_after_s'] ?? 5) } : {};
    return { code, status, message, details, ...retry_after };
  }
  if (error instanceof WireRefusal)
    return { code: 'INVALID_REQUEST', status: error.status, message: error.message, details: {} };
  const { code: name, statusCode, message = '' } = (error ?? {}) as FrameworkError;
  const known = typeof name === 'string' && Object.hasOwn(framework, name) ? framework[name] : undefined;
  if (known) return { code: known[0], status: codes[known[0]].status, message: known[1], details: {} };
  if (name?.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return { code: 'INVALID_REQUEST', status: statusCode, message, details: {} };
  }
  return {
    code: 'INTERNAL',
    status: 500,
    message: 'muster failed; the log has the cause under the X-Request-Id of this answer.',
    details: {},
  };
}

/** Returns the body of the answer as JSON. */
export function refusalBody(refusal: Refusal, form: ErrorForm, request_id: string): string {
  const { code, message, details } = refusal;
  if (form === 'detail') return JSON.stringify({ detail: message, code });
  return JSON.stringify({ error: { code, message, details, timestamp: new Date().toISOString(), request_id } });
}
