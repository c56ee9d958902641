import type { Finding } from '../../../../core/index.ts';

/** More than any call of EC2 accepts. The limits bound the stored parameters of an order. */
const maxValues = 20_000;
const maxDepth = 32;

/** Reports a native specification that is larger or deeper than any call. */
export function reviewSize(value: unknown, path: string): Finding[] {
  let level: readonly unknown[] = [value];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (depth > maxDepth) return [{ level: 'error', path, message: `must not be deeper than ${maxDepth} levels` }];
    if (values > maxValues) return [{ level: 'error', path, message: `must not have more than ${maxValues} values` }];
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return [];
}
