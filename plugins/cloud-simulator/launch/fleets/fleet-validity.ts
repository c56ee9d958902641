import { time } from '../../wire/values.ts';
import { invalidParameter } from '../../wire/errors.ts';
import type { Params } from '../../wire/form.ts';

/** From when to when a fleet starts machines. */
export interface Validity {
  readonly validFrom: number | undefined;
  readonly validUntil: number | undefined;
}

/** Reads `ValidFrom` and `ValidUntil`. */
export function readValidity(params: Params, now: number): Validity {
  const validFrom = time(params, 'ValidFrom');
  const validUntil = time(params, 'ValidUntil');
  if (validUntil !== undefined && validUntil <= Math.max(now, validFrom ?? now))
    throw invalidParameter('ValidUntil must be in the future and later than ValidFrom.');
  return { validFrom, validUntil };
}
