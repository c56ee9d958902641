let last = Number.NaN;
let text = '';

/**
 * Formats epoch milliseconds as ISO 8601. Caches the last result, because under load many calls have the same
 * millisecond.
 */
export function isoTime(at: number): string {
  if (at !== last) {
    text = new Date(at).toISOString();
    last = at;
  }
  return text;
}
