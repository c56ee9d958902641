import type { ExecutionContext } from 'ava';

/** Keeps the process running until the test ends. What the test waits for may be a timer that does not: a time-out. */
export function keepRunning(t: ExecutionContext): void {
  const timer = setInterval(() => undefined, 60_000);
  t.teardown(() => clearInterval(timer));
}
