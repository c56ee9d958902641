import type { Kept } from './kept.ts';

/** Compares two records by some fields; an absent value sorts before every other. */
export function compare(a: Kept, b: Kept, order: readonly (readonly [string, 'asc' | 'desc'])[]): number {
  for (const [field, direction] of order) {
    const by = rank(a[field] ?? null, b[field] ?? null);
    if (by !== 0) return direction === 'asc' ? by : -by;
  }
  return 0;
}

function rank(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return (a as string | number) < (b as string | number) ? -1 : 1;
}
