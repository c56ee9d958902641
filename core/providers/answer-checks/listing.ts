import { Broken } from './broken.ts';

/**
 * Everything that a plugin lists, each entry checked as it comes. Bounded in number too: a list without an end whose entries are at hand would leave no
 * time for a time-out to pass.
 */
export async function listing<T>(source: unknown, most: number, check: (entry: unknown) => void, take: (entry: T) => void): Promise<void> {
  const iterable = source as AsyncIterable<T> | null | undefined;
  if (typeof iterable?.[Symbol.asyncIterator] !== 'function') throw new Broken('', source, 'an async iterable');
  let count = 0;
  for await (const entry of iterable) {
    if (count >= most) throw new Broken('', `a list that goes on after ${most}`, `at most ${most} entries`);
    at(count, () => check(entry));
    take(entry);
    count += 1;
  }
}

function at(index: number, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof Broken) error.message = `entry ${index}: ${error.message}`;
    throw error;
  }
}
