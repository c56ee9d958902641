import type { Clock } from '../../../core/index.ts';

/** A smaller difference is network delay, rounding and drift. */
const toleranceMs = 60_000;

/**
 * The clock of the cloud. Times in answers are times of the cloud: on a host whose clock is wrong by an hour, a
 * machine that was just started would look an hour old. Every answer carries the date of the cloud. The SDK corrects
 * its signatures with it; the broker corrects its comparisons.
 */
export interface CloudClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Converts a time of the cloud to the clock of the broker, for comparisons in the core. ISO 8601. */
  toBrokerTime(time: Date | string): string;
  /** Adjusts the clock to the `Date` header of an answer. */
  adjust(date: string | undefined): void;
}

export function cloudClock(clock: Clock): CloudClock {
  let offsetMs = 0;
  return {
    now: () => clock.now() + offsetMs,
    toBrokerTime(time) {
      const at = new Date(time);
      return (offsetMs === 0 ? at : new Date(at.getTime() - offsetMs)).toISOString();
    },
    adjust(date) {
      const difference = Date.parse(date ?? '') - clock.now();
      if (Number.isFinite(difference)) offsetMs = Math.abs(difference) < toleranceMs ? 0 : difference;
    },
  };
}
