import type { Shortfall } from '../../model/shortfall.ts';

interface Reason {
  readonly said: Shortfall;
  /** Machines that it cost in all attempts, as they were told: the same missing machine may have been tried often. */
  readonly claimed: number;
  /** The last attempt in which it was said. */
  readonly last: number;
}

/**
 * Why so many machines are missing at the end. Each reason stands once, and its `count` is how many of the missing machines it accounts for: a machine
 * that several attempts tried for counts for the reason that was said last. So the counts never add up to more than is missing. A reason without a `count`
 * accounts for none by itself. `told`: what each attempt was told, in order; `beside`: what is known otherwise, and gives way to what an attempt was told.
 */
export function shortfallOf(told: readonly (readonly Shortfall[])[], beside: readonly Shortfall[], missing: number): readonly Shortfall[] {
  const reasons = new Map<string, Reason>();
  for (const [attempt, said] of told.entries()) {
    for (const each of said) {
      const earlier = reasons.get(keyOf(each))?.claimed ?? 0;
      reasons.set(keyOf(each), { said: each, claimed: earlier + (each.count ?? 0), last: attempt });
    }
  }
  for (const each of beside) if (!reasons.has(keyOf(each))) reasons.set(keyOf(each), { said: each, claimed: each.count ?? 0, last: -1 });
  const counts = new Map<string, number>();
  let left = Math.max(0, missing);
  for (const [key, { claimed }] of [...reasons].toSorted(([, a], [, b]) => b.last - a.last)) {
    const count = Math.min(claimed, left);
    counts.set(key, count);
    left -= count;
  }
  return [...reasons].map(([key, { said }]) => {
    const count = counts.get(key) ?? 0;
    return count > 0 ? { ...said, count } : uncounted(said);
  });
}

/** A reason that accounts for no number of machines. */
export function uncounted(reason: Shortfall): Shortfall {
  const { count: _count, ...said } = reason;
  return said;
}

const keyOf = ({ offer, kind, code }: Shortfall): string => `${offer}|${kind}|${code}`;
