import { BrokerError, isBrokerError } from '../contract/errors.ts';
import type { Change, Store } from '../contract/storage.ts';

/** An Idempotency-Key of a call. */
export interface IdempotencyKey {
  /** Separates the keys of different routes. */
  readonly scope: string;
  readonly key: string;
  /** Computed from the input after renaming of aliases: spelling and order do not matter. */
  readonly fingerprint: string;
}

/**
 * The request that an earlier call with the same key made; undefined when there is none. Throws CONFLICT when the
 * earlier call had another body, and when the request was purged.
 */
export async function requestUnderKey(store: Store, key: IdempotencyKey): Promise<string | undefined> {
  const known = await store.get('key', { scope: key.scope, key: key.key });
  if (!known) return undefined;
  if (known.purged_at !== undefined) {
    const when = new Date(known.purged_at).toISOString();
    throw new BrokerError(
      'CONFLICT',
      `The request made under Idempotency-Key '${key.key}' was purged at ${when}; use a new key.`,
    );
  }
  if (known.fingerprint === key.fingerprint) return known.request_id;
  throw new BrokerError(
    'CONFLICT',
    `Idempotency-Key '${key.key}' was used before with another body, for ${known.request_id}; use a new key.`,
  );
}

export function rememberKey(key: IdempotencyKey | undefined, request_id: string, now: number): Change[] {
  if (!key) return [];
  const record = { scope: key.scope, key: key.key, fingerprint: key.fingerprint, request_id, created_at: now };
  return [{ op: 'insert', kind: 'key', record }];
}

/** Whether a commit failed because a record with the same id or key already exists. */
export const existsAlready = (error: unknown): boolean => isBrokerError(error) && error.code === 'ALREADY_EXISTS';
