import type { Params } from '../../wire/form.ts';
import { flag, required } from '../../wire/values.ts';

/** Reads `ShouldDecrementDesiredCapacity`, which must be given. */
export function readDecrement(params: Params): boolean {
  required(params, 'ShouldDecrementDesiredCapacity');
  return flag(params, 'ShouldDecrementDesiredCapacity') ?? false;
}
