import type { Clock } from '../contract/clock.ts';
import { BrokerError, isBrokerError } from '../contract/errors.ts';
import type { Change, Store } from '../contract/storage.ts';

/** It is looked at once when the storage could not say what became of a commit, and again after these milliseconds. */
const looksAfter = [50, 150, 300, 500, 1_000];

/**
 * Commits what stores a request. Where the storage cannot say what became of it, the request is looked for by its id: a caller who is turned away for something
 * that was stored asks twice. When it is not found in two seconds the UNAVAILABLE names the id, so that it can be looked for and asked again under.
 */
export async function commitKnown(store: Store, clock: Clock, request_id: string, changes: readonly Change[]): Promise<void> {
  try {
    await store.commit(changes);
  } catch (error) {
    if (!isInDoubt(error)) throw error;
    // A read that fails says nothing; the next one may.
    const isThere = async () => (await store.get('request', { request_id }).catch(() => undefined)) !== undefined;
    if (await isThere()) return;
    for (const ms of looksAfter) {
      await clock.sleep(ms);
      if (await isThere()) return;
    }
    throw new BrokerError(
      'UNAVAILABLE',
      `It is not known whether '${request_id}' was stored: look for it by this id. The same call again, with it as request_id or under the same Idempotency-Key, makes nothing twice. ${error.message}`,
      { ...error.details, request_id },
      { cause: error },
    );
  }
}

const isInDoubt = (error: unknown): error is BrokerError =>
  isBrokerError(error) && error.code === 'UNAVAILABLE' && error.details['outcome'] === 'unknown';
