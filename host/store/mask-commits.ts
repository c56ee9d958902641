import type { Change, Store } from '../../core/contract/storage.ts';
import { mask } from '../../core/schema/redact.ts';

/** As in the log: shorter ones are part of too many words. */
const shortest = 8;

/**
 * Masks secrets in what is told of a provider, before it is stored: a cloud, or a library of a plugin, may name the
 * password with which it was called, and callers are shown what is stored. Messages alone are touched; what a plugin
 * keeps for itself must come back to it as it was. /
 */
export function maskCommits(store: Store, secrets: readonly string[]): Store {
  const texts = [...new Set(secrets)]
    .filter(({ length }) => length >= shortest)
    .toSorted((a, b) => b.length - a.length);
  if (texts.length === 0) return store;
  const quoted = texts.map((text) => JSON.stringify(text).slice(1, -1));
  const hide = (text: string) => texts.reduce((left, secret) => left.replaceAll(secret, mask), text);

  /** To look is cheap and to copy is not: next to nothing that is stored names a secret. */
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
