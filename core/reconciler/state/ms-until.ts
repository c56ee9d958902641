/** The longest stored wait in ms; see `recover_after_ms`, the back-off of launches and `repeat_release_ms`. */
export const longestWaitMs = 600_000;

/**
 * Milliseconds until a stored time; 0 when it has passed. Also 0 when it is further away than the longest wait: then
 * the clock was set back, and the wait would be as long as that shift.
 */
export function msUntil(moment: number | undefined, now: number): number {
  const ms = (moment ?? 0) - now;
  return ms > longestWaitMs ? 0 : Math.max(0, ms);
}
