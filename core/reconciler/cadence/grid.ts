/** The first multiple of `step` after a time. Observations at common times share calls. */
export const gridAfter = (time: number, step: number): number => (Math.floor(time / step) + 1) * step;
