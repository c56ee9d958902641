import type { Range } from './durations.ts';

export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** While a change may come at any moment, a window of expected changes is observed this many times. */
const observationsOfWindow = 40;
/** Without a known duration, a change is noticed at most this share of its duration late. */
const lateShare = 20;

/**
 * Milliseconds until the next observation of something that has been changing for `age_ms`. With a known range of
 * durations: seldom before the range, often within it. Without one, and after it: in proportion to the time that has
 * passed without the change.
 */
export function intervalOf(age_ms: number, expected: Range | undefined, { least, most }: Bounds): number {
  const within = (ms: number) => Math.min(most, Math.max(least, ms));
  if (expected === undefined) return within(age_ms / lateShare);
  if (age_ms < expected.from) return within(expected.from - age_ms);
  if (age_ms <= expected.to) return within((expected.to - expected.from) / observationsOfWindow);
  return within((age_ms - expected.to) / lateShare);
}
