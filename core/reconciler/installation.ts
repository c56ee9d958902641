import { randomBytes } from 'node:crypto';
import { isBrokerError } from '../contract/errors.ts';
import type { Store } from '../contract/storage.ts';

const key = { topic: 'installation', name: '', item: '' };

/** The id of this installation: random, made once for each store. It marks the resources of muster in every cloud. */
export async function installationOf(store: Store, now: number): Promise<string> {
  const known = await store.get('fact', key);
  if (known) return String(known.value);
  const value = randomBytes(8).toString('hex');
  try {
    await store.commit([{ op: 'insert', kind: 'fact', record: { ...key, value, at: now } }]);
    return value;
  } catch (error) {
    // Another process was first.
    if (isBrokerError(error) && error.code === 'ALREADY_EXISTS') return installationOf(store, now);
    throw error;
  }
}
