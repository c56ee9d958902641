/** The first multiple of `step` after a time. Observations at common times share calls. */
export const gridAfter = (time: number, step: number): number => (Math.floor(time / step) + 1) * step;

/** The last multiple of `step` at most `interval` after a time, or the first one after it. */
export const gridUntil = (time: number, interval: number, step: number): number =>
  Math.max(gridAfter(time, step), Math.floor((time + interval) / step) * step);
