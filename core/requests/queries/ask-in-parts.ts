import { chunks } from '../../collections/chunks.ts';

/** A storage bounds how many values one comparison may list. */
const valuesAtOnce = 500;

/** What a storage answers about many values: a few questions, each value once. */
export async function askInParts<T>(
  values: Iterable<string>,
  ask: (some: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const wanted = [...new Set(values)];
  const found: T[] = [];
  for (const part of chunks(wanted, valuesAtOnce)) found.push(...(await ask(part)));
  return found;
}
