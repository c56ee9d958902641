import type { Clock } from '../../../core/index.ts';

/** Less than this is delay, rounding and drift. */
const noticedMs = 60_000;

/**
 * What the cloud's clock shows. Moments that the cloud tells are the cloud's: on a host whose clock is wrong by an
 * hour a machine that was just started would look an hour old. Every answer carries the cloud's date; the SDK corrects
 * its signatures by it, we correct comparisons. /
 */
export interface CloudClock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * A moment that the cloud told, as the broker's clock would have shown it: for what the core compares with its own
   * time. ISO.
   */
  ours(moment: Date | string): string;
  /** The `Date` of an answer. */
  heard(date: string | undefined): void;
}

export function cloudClock(clock: Clock): CloudClock {
  let ahead = 0;
  return {
    now: () => clock.now() + ahead,
    ours(moment) {
      const told = new Date(moment);
      return (ahead === 0 ? told : new Date(told.getTime() - ahead)).toISOString();
    },
    heard(date) {
      const difference = Date.parse(date ?? '') - clock.now();
      if (Number.isFinite(difference)) ahead = Math.abs(difference) < noticedMs ? 0 : difference;
    },
  };
}
