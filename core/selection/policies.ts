import type { Candidate, SelectionQuery, Strategy } from './candidate.ts';
import { digestOfKey, digestOfName, rendezvous, type Digest } from './weigh.ts';

/** How one strategy ranks the eligible instances. */
export interface Policy {
  readonly strategy: Strategy;
  /** Whether the policy is used when the caller names no strategy. The first policy that applies is used. */
  applies(query: SelectionQuery): boolean;
  /** Best first. */
  rank(query: SelectionQuery, eligible: readonly Candidate[]): readonly Candidate[];
  reason(query: SelectionQuery, winner: Candidate, eligible: readonly Candidate[]): string;
}

const nameDigests = new Map<string, Digest>();
function nameDigest(name: string): Digest {
  let digest = nameDigests.get(name);
  if (digest === undefined) nameDigests.set(name, (digest = digestOfName(name)));
  return digest;
}

interface Ranked {
  readonly candidate: Candidate;
  readonly group: number;
  readonly score: number;
}

/**
 * Weighted rendezvous hashing of the request id within each group; the group with the lowest number comes first. Uses
 * insertion sort, because there are a few dozen candidates at most.
 */
function byWeight(
  query: SelectionQuery,
  candidates: readonly Candidate[],
  group: (candidate: Candidate) => number,
): readonly Candidate[] {
  if (candidates.length < 2) return candidates;
  const key = digestOfKey(query.key);
  const ranked: Ranked[] = [];
  for (const candidate of candidates) {
    const each: Ranked = {
      candidate,
      group: group(candidate),
      score: rendezvous(key, nameDigest(candidate.name), candidate.weight),
    };
    let at = ranked.length;
    ranked.push(each);
    for (; at > 0; at--) {
      const before = ranked[at - 1] as Ranked;
      if (before.group < each.group || (before.group === each.group && before.score >= each.score)) break;
      ranked[at] = before;
    }
    ranked[at] = each;
  }
  return ranked.map(({ candidate }) => candidate);
}

const alike = (): number => 0;
const byPriority = ({ priority }: Candidate): number => priority;

/** The lowest priority number, with the winner's share when several instances have it. */
function preferred({ priority, weight }: Candidate, eligible: readonly Candidate[]): string {
  const equals = eligible.filter((each) => each.priority === priority);
  const total = equals.reduce((sum, each) => sum + each.weight, 0);
  return equals.length === 1
    ? `priority ${priority}`
    : `priority ${priority}, shared by weight (${weight} of ${total}),`;
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
    reason: (query, winner) =>
      `load balanced by weight over the instances of type '${query.provider_type ?? winner.type}'`,
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
