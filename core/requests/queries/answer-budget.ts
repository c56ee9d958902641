/**
 * What one answer with a list may come to, about. A caller may ask for a thousand entries, each as large as a request may be, many times at once, and not
 * take the answers: what is beyond the budget is on a next page.
 */
export const answerBytes = 4 * 1024 * 1024;
/** What is read for it: records have more than lists show. */
export const readBytes = 16 * 1024 * 1024;

const entryBytes = 1_000;
export const machineBytes = 600;

/** What an entry of a list comes to, about, with so many machines. */
export const shownBytes = (machines: number): number => entryBytes + machines * machineBytes;

/** How many of these fit, in their order; at least one. */
export function fitting<T>(items: readonly T[], bytesOf: (item: T) => number, most: number): number {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += bytesOf(item);
    if (bytes > most && index > 0) return index;
  }
  return items.length;
}

/** Characters in a value, about, without making a text of it. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  if (Array.isArray(value)) return value.reduce((sum: number, each: unknown) => sum + weightOf(each) + 1, 2);
  let sum = 2;
  for (const [name, each] of Object.entries(value)) sum += name.length + 4 + weightOf(each);
  return sum;
}
