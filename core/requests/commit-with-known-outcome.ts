import type { Clock } from '../contract/clock.ts';
import { BrokerError, isBrokerError } from '../contract/errors.ts';
import type { Change, Store } from '../contract/storage.ts';

/** The delays in milliseconds between reads after a commit with an unknown outcome. The first read has no delay. */
const readDelaysMs = [50, 150, 300, 500, 1_000];

/**
 * Commits the changes that store a request. When the storage cannot tell the outcome, the function reads the request
 * by its id: a caller that is refused although the request was stored would create it twice. When the request is not
 * found within two seconds, the UNAVAILABLE contains the id, so that the caller can look the request up or repeat the
 * call with it.
 */
export async function commitWithKnownOutcome(
  store: Store,
  clock: Clock,
  request_id: string,
  changes: readonly Change[],
): Promise<void> {
  try {
    await store.commit(changes);
  } catch (error) {
    if (!isInDoubt(error)) throw error;
    // After a failed read the next one may succeed.
    const isThere = async () => (await store.get('request', { request_id }).catch(() => undefined)) !== undefined;
    if (await isThere()) return;
    for (const ms of readDelaysMs) {
      await clock.sleep(ms);
      if (await isThere()) return;
    }
    throw new BrokerError(
      'UNAVAILABLE',
      `It is not known whether '${request_id}' was stored: look it up by this id. Repeating the call with this request_id, or with the same Idempotency-Key, creates no second request. ${error.message}`,
      { ...error.details, request_id },
      { cause: error },
    );
  }
}

const isInDoubt = (error: unknown): error is BrokerError =>
  isBrokerError(error) && error.code === 'UNAVAILABLE' && error.details['outcome'] === 'unknown';
