/** A storage bounds how many values one comparison may list. */
const valuesAtOnce = 500;

/** What a storage answers about many values: a few questions, each value once. */
export async function askInParts<T>(
  values: Iterable<string>,
  ask: (some: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const wanted = [...new Set(values)];
  const found: T[] = [];
  for (let i = 0; i < wanted.length; i += valuesAtOnce) found.push(...(await ask(wanted.slice(i, i + valuesAtOnce))));
  return found;
}
