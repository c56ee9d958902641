/** The simulator's time in milliseconds since 1970. Everything that has a date in the simulated cloud reads it here. */
export interface SimulatorClock {
  now(): number;
  /** Moves the clock forward. Negative steps are refused: the cloud's time never runs back. */
  advance(ms: number): void;
  /** Takes back every step that was made with `advance`. */
  reset(): void;
}

/** A clock that runs with the computer's own and can be pushed ahead of it. */
export function runningClock(): SimulatorClock {
  let ahead = 0;
  return { now: () => Date.now() + ahead, advance: (ms) => void (ahead += step(ms)), reset: () => void (ahead = 0) };
}

/** A clock that stands still until it is advanced: for tests. */
export function standingClock(start: number = Date.UTC(2026, 0, 1)): SimulatorClock {
  let now = start;
  return { now: () => now, advance: (ms) => void (now += step(ms)), reset: () => void (now = start) };
}

function step(ms: number): number {
  if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`The clock moves forward only: ${ms} ms is no step.`);
  return ms;
}
