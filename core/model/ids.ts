import { createHash, randomUUIDv7 } from 'node:crypto';

/** `req-…`: sortable by time, so that the newest are near each other in the index. */
export const newRequestId = (): string => `req-${randomUUIDv7()}`;
export const newReturnId = (): string => `ret-${randomUUIDv7()}`;
export const newSignalId = (): string => `signal-${randomUUIDv7()}`;

/**
 * The idempotency token of an attempt: 52 characters of `[a-v0-9]`. A function of the installation, the request and the attempt, so
 * that a restart finds the same one; new for each attempt, because a provider remembers the parameters with it.
 */
export function attemptToken(installation: string, requestId: string, attempt: number): string {
  const digest = createHash('sha256').update(`${installation}\u0000${requestId}\u0000${attempt}`).digest('hex');
  return BigInt(`0x${digest}`).toString(32).padStart(52, '0');
}

/** A fingerprint of a JSON value that does not depend on the order of its keys. */
export function jsonFingerprint(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
