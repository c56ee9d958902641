import type { Shortfall } from '../../model/shortfall.ts';

interface Reason {
  readonly shortfall: Shortfall;
  /** The sum of `count` over all attempts. Several attempts may have tried for the same missing machine. */
  readonly claimed: number;
  /** The last attempt with this reason. */
  readonly last: number;
}

/**
 * The reasons for the machines that are missing at the end. Each reason occurs once; its `count` is the number of
 * missing machines that it accounts for. A machine that several attempts tried for counts for the latest reason, so
 * the counts never exceed the number of missing machines. A reason without a `count` accounts for none. `reported`:
 * the shortfall of each attempt, in order. `additional`: other reasons, with lower precedence.
 */
export function shortfallOf(
  reported: readonly (readonly Shortfall[])[],
  additional: readonly Shortfall[],
  missing: number,
): readonly Shortfall[] {
  const reasons = new Map<string, Reason>();
  for (const [attempt, shortfall] of reported.entries()) {
    for (const each of shortfall) {
      const earlier = reasons.get(keyOf(each))?.claimed ?? 0;
      reasons.set(keyOf(each), { shortfall: each, claimed: earlier + (each.count ?? 0), last: attempt });
    }
  }
  for (const each of additional)
    if (!reasons.has(keyOf(each))) reasons.set(keyOf(each), { shortfall: each, claimed: each.count ?? 0, last: -1 });
  const counts = new Map<string, number>();
  let left = Math.max(0, missing);
  for (const [key, { claimed }] of [...reasons].toSorted(([, a], [, b]) => b.last - a.last)) {
    const count = Math.min(claimed, left);
    counts.set(key, count);
    left -= count;
  }
  return [...reasons].map(([key, { shortfall }]) => {
    const count = counts.get(key) ?? 0;
    return count > 0 ? { ...shortfall, count } : uncounted(shortfall);
  });
}

/** Removes the `count` of a reason. */
export function uncounted(reason: Shortfall): Shortfall {
  const { count: _count, ...rest } = reason;
  return rest;
}

const keyOf = ({ offer, kind, code }: Shortfall): string => `${offer}|${kind}|${code}`;
