/**
 * The approximate maximum size of one answer with a list, in characters. Without it a caller could request a thousand
 * entries of maximum size many times at once without reading the answers. The rest is on the next page.
 */
export const answerBytes = 4 * 1024 * 1024;
/** The maximum size of the records that are read for one answer. Records contain more than lists show. */
export const readBytes = 16 * 1024 * 1024;

const entryBytes = 1_000;
export const machineBytes = 600;

/** The approximate size of an entry with this number of machines. */
export const shownBytes = (machines: number): number => entryBytes + machines * machineBytes;

/** How many of the items fit into `most`, in order; at least one. */
export function fitting<T>(items: readonly T[], bytesOf: (item: T) => number, most: number): number {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += bytesOf(item);
    if (bytes > most && index > 0) return index;
  }
  return items.length;
}

/** The approximate size of a value in characters of JSON, without serializing it. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  if (Array.isArray(value)) return value.reduce((sum: number, each: unknown) => sum + weightOf(each) + 1, 2);
  let sum = 2;
  for (const [name, each] of Object.entries(value)) sum += name.length + 4 + weightOf(each);
  return sum;
}
