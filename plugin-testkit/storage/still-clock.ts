import type { Clock } from '../../core/index.ts';

/** A clock that stands still until it is set. */
export interface StillClock extends Clock {
  time: number;
}

export const stillClock = (time = 10_000): StillClock => ({
  time,
  now() {
    return this.time;
  },
  monotonic() {
    return this.time;
  },
  sleep: () => Promise.resolve(),
});
