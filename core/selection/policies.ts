import type { Candidate, SelectionQuery, Strategy } from './candidate.ts';
import { hashText, rendezvous } from './weigh.ts';

/** How one strategy ranks those that can serve. */
export interface Policy {
  readonly strategy: Strategy;
  /** Whether it is the one when the caller names no strategy. Asked in order. */
  applies(query: SelectionQuery): boolean;
  /** Best first. */
  rank(query: SelectionQuery, eligible: readonly Candidate[]): readonly Candidate[];
  reason(query: SelectionQuery, winner: Candidate): string;
}

const nameHashes = new Map<string, number>();
function nameHash(name: string): number {
  let hash = nameHashes.get(name);
  if (hash === undefined) nameHashes.set(name, (hash = hashText(name)));
  return hash;
}

const byPreference = (a: Candidate, b: Candidate): number =>
  a.priority - b.priority || b.weight - a.weight || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

export const policies: readonly Policy[] = [
  {
    strategy: 'explicit',
    applies: (query) => query.provider_instance !== undefined,
    rank: (_, eligible) => eligible,
    reason: (_, winner) => `instance '${winner.name}' was named`,
  },
  {
    strategy: 'load_balanced',
    applies: (query) => query.provider_type !== undefined,
    rank(query, eligible) {
      const key = hashText(query.key);
      const scored = eligible.map((candidate) => ({ candidate, score: rendezvous(key, nameHash(candidate.name), candidate.weight) }));
      return scored.toSorted((a, b) => b.score - a.score).map(({ candidate }) => candidate);
    },
    reason: (query, winner) => `load balanced by weight over the instances of type '${query.provider_type ?? winner.type}'`,
  },
  {
    strategy: 'api_based',
    applies: (query) => query.provider_api !== undefined,
    rank: (_, eligible) => eligible.toSorted(byPreference),
    reason: (query, winner) => `priority ${winner.priority} among the instances that offer '${query.provider_api ?? 'any API'}'`,
  },
  {
    strategy: 'default',
    applies: () => true,
    rank: (_, eligible) => eligible.toSorted(byPreference),
    reason: (_, winner) => `priority ${winner.priority}, weight ${winner.weight} among all enabled instances`,
  },
];
