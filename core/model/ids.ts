import { createHash, randomUUIDv7 } from 'node:crypto';

/** `req-…`: sortable by time, so that new ids are neighbors in the index. */
export const newRequestId = (): string => `req-${randomUUIDv7()}`;
export const newReturnId = (): string => `ret-${randomUUIDv7()}`;
export const newSignalId = (): string => `signal-${randomUUIDv7()}`;

/**
 * The idempotency token of an attempt: 52 characters of `[a-v0-9]`. Computed from the installation, the request and
 * the attempt, so that it is the same after a restart. Each attempt has its own token, because a provider stores the
 * parameters with the token.
 */
export function attemptToken(installation: string, requestId: string, attempt: number): string {
  const digest = createHash('sha256').update(`${installation}\u0000${requestId}\u0000${attempt}`).digest('hex');
  return BigInt(`0x${digest}`).toString(32).padStart(52, '0');
}

/** The token of the next call of an attempt. The digits of the first token end before `x`, so no two are equal. */
export const presentToken = ({ token, tokens_spent = 0 }: { token: string; tokens_spent?: number }): string =>
  tokens_spent === 0 ? token : `${token}x${tokens_spent}`;

/** A fingerprint of a JSON value that does not depend on the order of keys. */
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
