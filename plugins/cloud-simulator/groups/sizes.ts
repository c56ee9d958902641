import { validationError } from './refusals.ts';

/** The three sizes of a group, in units. */
export interface Sizes {
  readonly min: number;
  readonly max: number;
  readonly desired: number;
}

/**
 * The sizes after a change; throws if they contradict each other. Without a new desired capacity the old one is
 * limited to the bounds. Pure.
 */
export function changeSizes(
  now: Sizes | undefined,
  change: { min: number | undefined; max: number | undefined; desired: number | undefined },
): Sizes {
  const min = change.min ?? now?.min ?? 0;
  const max = change.max ?? now?.max ?? 0;
  if (min < 0 || max < 0 || (change.desired ?? 0) < 0) throw validationError('Sizes of a group must not be negative.');
  if (max < min) throw validationError(`Max bound, ${max}, must be greater than or equal to min bound, ${min}`);
  const desired = change.desired ?? Math.min(max, Math.max(min, now?.desired ?? min));
  if (desired < min || desired > max)
    throw validationError(
      `Desired capacity:${desired} must be between the specified min size:${min} and max size:${max}`,
    );
  return { min, max, desired };
}
