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

/** The highest score first. Sorted in as they come: a few dozen at most, and chosen among for every request. */
function byScore(candidates: readonly Candidate[], score: (candidate: Candidate) => number): readonly Candidate[] {
  const ranked: Candidate[] = [];
  const scores: number[] = [];
  for (const candidate of candidates) {
    const mine = score(candidate);
    let at = ranked.length;
    while (at > 0 && (scores[at - 1] ?? 0) < mine) {
      ranked[at] = ranked[at - 1] as Candidate;
      scores[at] = scores[at - 1] as number;
      at -= 1;
    }
    ranked[at] = candidate;
    scores[at] = mine;
  }
  return ranked;
}

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
      return byScore(eligible, ({ name, weight }) => rendezvous(key, nameHash(name), weight));
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
