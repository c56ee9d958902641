let last = Number.NaN;
let text = '';

/** Epoch milliseconds as answers give a time, in ISO 8601. Under load many calls come in the same millisecond. */
export function isoTime(at: number): string {
  if (at !== last) {
    text = new Date(at).toISOString();
    last = at;
  }
  return text;
}
