import { chunks } from './chunks.ts';
import { turn } from './turn.ts';

/** Storages limit how many values one comparison may list. */
const valuesAtOnce = 500;

/**
 * Queries a storage for many values in a few queries; each value is used once. Other work of the thread runs between
 * the queries, because parsing their records blocks it.
 */
export async function queryInParts<T>(
  values: Iterable<string>,
  query: (some: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (const [index, part] of chunks([...new Set(values)], valuesAtOnce).entries()) {
    if (index > 0) await turn();
    for (const each of await query(part)) found.push(each);
  }
  return found;
}
