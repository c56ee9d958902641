import type { Change, Store } from '../../core/contract/storage.ts';
import { hidingIn, maskable } from '../process/secrets.ts';

/**
 * Masks secrets in messages before they are stored: a cloud, or a library of a plugin, may include the password of a
 * call in a message, and callers see stored messages. Changes only messages: the plugin needs its own data unchanged.
 */
export function maskCommits(store: Store, secrets: readonly string[]): Store {
  if (maskable(secrets).length === 0) return store;
  const masked = hidingIn(secrets, (name) => name === 'message');
  const commit = store.commit.bind(store);
  store.commit = (changes) => commit(changes.map((change) => withRecord(change, masked)));
  return store;
}

function withRecord(change: Change, masked: <T>(value: T) => T): Change {
  if (!('record' in change)) return change;
  const record = masked(change.record);
  return record === change.record ? change : ({ ...change, record } as Change);
}
