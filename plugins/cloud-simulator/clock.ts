/**
 * The simulator's time in milliseconds since 1970. Everything that has a date in the simulated cloud reads it here.
 */
export interface SimulatorClock {
  now(): number;
  /** Moves the clock forward. Negative steps are refused: the cloud's time never runs back. */
  advance(ms: number): void;
  /** Undoes all calls of `advance`. */
  reset(): void;
}

/**
 * A clock that follows the computer's clock and can be advanced ahead of it. After the computer's clock is set back,
 * this clock stands still until the computer's clock has caught up.
 */
export function runningClock(): SimulatorClock {
  let ahead = 0;
  let last = 0;
  return {
    now: () => (last = Math.max(last, Date.now() + ahead)),
    advance: (ms) => void (ahead += step(Date.now() + ahead, ms)),
    reset() {
      ahead = 0;
      last = 0;
    },
  };
}

/** A clock that stands still until it is advanced: for tests. */
export function standingClock(start: number = Date.UTC(2026, 0, 1)): SimulatorClock {
  let now = start;
  return { now: () => now, advance: (ms) => void (now += step(now, ms)), reset: () => void (now = start) };
}

// After this date, some timestamps would have more digits than the wire format allows.
const end = Date.UTC(9000, 0, 1);

function step(now: number, ms: number): number {
  if (!Number.isFinite(ms) || ms < 0)
    throw new RangeError(`The clock moves forward only: ${ms} ms is not a valid step.`);
  if (now + ms > end) throw new RangeError(`The clock ends with the year 9000: ${ms} ms is too long a step.`);
  return ms;
}
