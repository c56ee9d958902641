import type { Kept } from './kept.ts';

/**
 * The test of a record by all conditions: a value for equality, null for absence, a list for any of its values, and
 * exclusive bounds `before` and `after`.
 */
export function condition(where: { readonly [field: string]: unknown }): (record: Kept) => boolean {
  const tests = Object.entries(where).map(([field, match]) => [field, test(match)] as const);
  return (record) => tests.every(([field, meets]) => meets(record[field] ?? null));
}

function test(match: unknown): (value: unknown) => boolean {
  if (Array.isArray(match)) {
    const values = new Set<unknown>(match);
    return (value) => values.has(value);
  }
  if (typeof match !== 'object' || match === null) return (value) => value === match;
  const { before, after } = match as { readonly before?: number; readonly after?: number };
  if (before === undefined && after === undefined) return () => true;
  const [least, most] = [after ?? Number.NEGATIVE_INFINITY, before ?? Number.POSITIVE_INFINITY];
  return (value) => typeof value === 'number' && value < most && value > least;
}
