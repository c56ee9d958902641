import type { Change, Store } from '../../core/contract/storage.ts';
import { hiding, maskable } from '../process/secrets.ts';

/**
 * Masks secrets in messages before they are stored: a cloud, or a library of a plugin, may include the password of a
 * call in a message, and callers see stored messages. Changes only messages: the plugin needs its own data unchanged.
 */
export function maskCommits(store: Store, secrets: readonly string[]): Store {
  const texts = maskable(secrets);
  if (texts.length === 0) return store;
  const quoted = texts.map((text) => JSON.stringify(text).slice(1, -1));
  const hide = hiding(texts);

  /** Searching is cheap and copying is not: almost no record contains a secret. */
  function masked(change: Change): Change {
    if (!('record' in change)) return change;
    const text = JSON.stringify(change.record);
    if (!quoted.some((secret) => text.includes(secret))) return change;
    const record: unknown = JSON.parse(text, (name, value: unknown) =>
      name === 'message' && typeof value === 'string' ? hide(value) : value,
    );
    return { ...change, record } as Change;
  }

  const commit = store.commit.bind(store);
  store.commit = (changes) => commit(changes.map(masked));
  return store;
}
