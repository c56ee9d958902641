let last = Number.NaN;
let text = '';

/** Epoch milliseconds as answers tell a moment, in ISO 8601. Under load many calls come in the same millisecond. */
export function moment(at: number): string {
  if (at !== last) {
    text = new Date(at).toISOString();
    last = at;
  }
  return text;
}
