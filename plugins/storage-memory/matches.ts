type Kept = { readonly [field: string]: unknown };

/**
 * Whether a record meets all conditions: a value for equality, null for absence, a list for any of its values, and
 * exclusive bounds `before` and `after`.
 */
export function matches(record: Kept, where: { readonly [field: string]: unknown }): boolean {
  return Object.entries(where).every(([field, match]) => meets(record[field] ?? null, match));
}

function meets(value: unknown, match: unknown): boolean {
  if (Array.isArray(match)) return match.includes(value);
  if (typeof match !== 'object' || match === null) return value === match;
  const { before, after } = match as { readonly before?: number; readonly after?: number };
  if (before === undefined && after === undefined) return true;
  return (
    typeof value === 'number' &&
    value < (before ?? Number.POSITIVE_INFINITY) &&
    value > (after ?? Number.NEGATIVE_INFINITY)
  );
}

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
