import { chunks } from '../../collections/chunks.ts';

/** Storages limit how many values one comparison may list. */
const valuesAtOnce = 500;

/** Queries a storage for many values in a few queries; each value is used once. */
export async function askInParts<T>(
  values: Iterable<string>,
  ask: (some: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const unique = [...new Set(values)];
  const found: T[] = [];
  for (const part of chunks(unique, valuesAtOnce)) found.push(...(await ask(part)));
  return found;
}
