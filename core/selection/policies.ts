import type { Candidate, SelectionQuery, Strategy } from './candidate.ts';
import { hashText, rendezvous } from './weigh.ts';

/** How one strategy ranks those that can serve. */
export interface Policy {
  readonly strategy: Strategy;
  /** Whether it is the one when the caller names no strategy. Asked in order. */
  applies(query: SelectionQuery): boolean;
  /** Best first. */
  rank(query: SelectionQuery, eligible: readonly Candidate[]): readonly Candidate[];
  reason(query: SelectionQuery, winner: Candidate, eligible: readonly Candidate[]): string;
}

const nameHashes = new Map<string, number>();
function nameHash(name: string): number {
  let hash = nameHashes.get(name);
  if (hash === undefined) nameHashes.set(name, (hash = hashText(name)));
  return hash;
}

/** Weighted rendezvous on the request id within each group, the group with the lowest number first. Sorted in as they come: a few dozen at most. */
function byWeight(query: SelectionQuery, candidates: readonly Candidate[], group: (candidate: Candidate) => number): readonly Candidate[] {
  const key = hashText(query.key);
  const ranked: Candidate[] = [];
  const groups: number[] = [];
  const scores: number[] = [];
  for (const candidate of candidates) {
    const mine = group(candidate);
    const score = rendezvous(key, nameHash(candidate.name), candidate.weight);
    let at = ranked.length;
    for (; at > 0; at--) {
      const before = groups[at - 1] as number;
      if (before < mine || (before === mine && (scores[at - 1] as number) >= score)) break;
      ranked[at] = ranked[at - 1] as Candidate;
      groups[at] = before;
      scores[at] = scores[at - 1] as number;
    }
    ranked[at] = candidate;
    groups[at] = mine;
    scores[at] = score;
  }
  return ranked;
}

const alike = (): number => 0;
const byPriority = ({ priority }: Candidate): number => priority;

/** The lowest priority number, and the share of the winner where several have it. */
function preferred({ priority, weight }: Candidate, eligible: readonly Candidate[]): string {
  const equals = eligible.filter((each) => each.priority === priority);
  const total = equals.reduce((sum, each) => sum + each.weight, 0);
  return equals.length === 1 ? `priority ${priority}` : `priority ${priority}, shared by weight (${weight} of ${total}),`;
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
    rank: (query, eligible) => byWeight(query, eligible, alike),
    reason: (query, winner) => `load balanced by weight over the instances of type '${query.provider_type ?? winner.type}'`,
  },
  {
    strategy: 'api_based',
    applies: (query) => query.provider_api !== undefined,
    rank: (query, eligible) => byWeight(query, eligible, byPriority),
    reason: (query, winner, eligible) =>
      `${preferred(winner, eligible)} among the instances that offer '${query.provider_api ?? 'any API'}'`,
  },
  {
    strategy: 'default',
    applies: () => true,
    rank: (query, eligible) => byWeight(query, eligible, byPriority),
    reason: (_, winner, eligible) => `${preferred(winner, eligible)} among all enabled instances`,
  },
];
