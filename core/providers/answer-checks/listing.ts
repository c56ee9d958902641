import { ContractViolation } from './contract-violation.ts';

/**
 * Reads all entries that a plugin lists and checks each one. The number is limited too, because a time-out cannot
 * interrupt an endless list whose entries are available without waiting.
 */
export async function listing<T>(
  source: unknown,
  most: number,
  check: (entry: unknown) => void,
  take: (entry: T) => void,
): Promise<void> {
  const iterable = source as AsyncIterable<T> | null | undefined;
  if (typeof iterable?.[Symbol.asyncIterator] !== 'function')
    throw new ContractViolation('', source, 'an async iterable');
  let count = 0;
  for await (const entry of iterable) {
    if (count >= most) throw new ContractViolation('', `a list of more than ${most}`, `at most ${most} entries`);
    at(count, () => check(entry));
    take(entry);
    count += 1;
  }
}

function at(index: number, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof ContractViolation) error.message = `entry ${index}: ${error.message}`;
    throw error;
  }
}
