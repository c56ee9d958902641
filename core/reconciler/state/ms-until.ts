/** No wait that is stored is longer; see `lost_looks_ms`, the back-off of launches and `repeat_release_ms`. */
export const longestWaitMs = 600_000;

/**
 * Milliseconds until a moment that was stored; 0 once it has come. Also 0 when it is farther away than anything is ever put off: then the clock was set
 * back since, and waiting for it would take as long as that.
 */
export function msUntil(moment: number | undefined, now: number): number {
  const ms = (moment ?? 0) - now;
  return ms > longestWaitMs ? 0 : Math.max(0, ms);
}
