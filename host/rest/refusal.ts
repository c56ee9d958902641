import { codes, isBrokerError, type Code } from '../../core/contract/errors.ts';
import type { ErrorForm } from './routes/path-table.ts';

/** A failure as it is answered, whatever its form. */
export interface Refusal {
  readonly code: Code;
  readonly status: number;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds. */
  readonly retry_after?: number;
}

/** What is wrong with a call as HTTP, where HTTP has a status of its own for it. */
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
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON; send it with content-type: application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['INVALID_REQUEST', 'The body is not as long as content-length says.'],
  FST_ERR_BAD_URL: ['INVALID_REQUEST', 'The path is not valid percent-encoding.'],
  FST_ERR_MAX_PARAM_LENGTH: ['INVALID_REQUEST', 'A part of the path is longer than anything that is served.'],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON; send it with content-type: application/json.'],
};

/** What a caller is told of an error. Anything unforeseen is INTERNAL and says nothing of the inside. */
export function refusalOf(error: unknown): Refusal {
  // What a storage or a plugin says of its own misuse is of the inside too; which scheduler strategy failed is ours to say.
  if (isBrokerError(error) && (error.code !== 'INTERNAL' || error.details['strategy'] !== undefined)) {
    const { code, message, details } = error;
    const { status } = codes[code];
    const retry_after = status === 503 || status === 429 ? { retry_after: Number(details['retry_after_s'] ?? 5) } : {};
    return { code, status, message, details, ...retry_after };
  }
  if (error instanceof WireRefusal) return { code: 'INVALID_REQUEST', status: error.status, message: error.message, details: {} };
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

/** The answer's body, as JSON. */
export function refusalBody(refusal: Refusal, form: ErrorForm, request_id: string): string {
  const { code, message, details } = refusal;
  if (form === 'detail') return JSON.stringify({ detail: message, code });
  return JSON.stringify({ error: { code, message, details, timestamp: new Date().toISOString(), request_id } });
}
