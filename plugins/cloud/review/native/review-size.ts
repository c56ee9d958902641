import type { Finding } from '../../../../core/index.ts';

/**
 * Beyond what any call of EC2 takes: what is prepared for an order is stored, and goes to the cloud as one value
 * after another.
 */
const mostValues = 20_000;
const deepest = 32;

/** A native specification that is larger, or deeper, than any call. Pure. */
export function reviewSize(value: unknown, path: string): Finding[] {
  let level: readonly unknown[] = [value];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (depth > deepest) return [{ level: 'error', path, message: `must not be deeper than ${deepest} levels` }];
    if (values > mostValues)
      return [{ level: 'error', path, message: `must not have more than ${mostValues} values` }];
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return [];
}
