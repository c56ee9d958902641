import { setTimeout as after } from 'node:timers/promises';

/** The only source of time in muster, so that a test can be the clock. */
export interface Clock {
  /** Epoch milliseconds: for what is stored or shown. It may jump. */
  now(): number;
  /** Milliseconds that never jump: for intervals in a running process. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal aborts; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => after(ms, undefined, signal ? { signal, ref: true } : undefined).catch(() => undefined),
};
