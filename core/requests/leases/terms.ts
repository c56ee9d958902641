import { queryInParts } from '../../collections/query-in-parts.ts';
import { isBrokerError } from '../../contract/errors.ts';
import type { Change, Store } from '../../contract/storage.ts';

/**
 * How many extensions and holds were stored for the machines of each request. Whoever stores one, or returns machines,
 * reads the number first, then the waiting signals and the machines, and commits on condition that the number is still
 * the same. So of a return and a hold that happen at once, the later one knows the earlier one.
 */
export const termsTopic = 'terms';

const factOf = (request_id: string) => ({ topic: termsTopic, name: request_id, item: '' });

/** The number of each of the requests. */
export async function termsOf(store: Store, request_ids: readonly string[]): Promise<(request_id: string) => number> {
  const facts = await queryInParts(request_ids, (name) =>
    store.find('fact', { where: { topic: termsTopic, name, item: '' } }),
  );
  const numbers = new Map(facts.map(({ name, value }) => [name, Number((value as { n?: number }).n ?? 0)]));
  return (request_id) => numbers.get(request_id) ?? 0;
}

/** Refuses the commit when the number has changed. */
export const unlessTerms = (request_id: string, n: number): Change => ({
  op: 'check',
  fact: factOf(request_id),
  numbers: { n },
});

/** Increases the number. */
export const nextTerms = (request_id: string, at: number): Change => ({
  op: 'add',
  kind: 'fact',
  key: factOf(request_id),
  amounts: { n: 1 },
  at,
});

/** Removes the number of a request that is removed. */
export const withoutTerms = (request_id: string): Change => ({ op: 'delete', kind: 'fact', key: factOf(request_id) });

/** Whether a commit was refused because an extension or hold was stored in between. */
export const termsChanged = (error: unknown): boolean =>
  isBrokerError(error) && error.code === 'CONFLICT' && error.details['topic'] === termsTopic;
