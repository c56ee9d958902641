import type { Clock } from '../../../core/contract/clock.ts';
import type { RestBinding } from '../../../core/contract/service/rest-binding.ts';

/** The name of a group of operations with a common limit. */
export type LimitGroup = NonNullable<RestBinding['limit']>;

/** The state of the limit of a client after one call. */
export interface Allowance {
  /** Whether this call is within the limit. */
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** The end of the current window, in epoch seconds. */
  readonly reset_at: number;
  /** Seconds until the end of the window, measured by the monotonic clock. */
  readonly wait_s: number;
}

/** Counters of calls. They may live in another process, so the result may be a promise. */
export interface RateLimits {
  /** Counts one call of a client. A refused call is not counted. */
  take(group: LimitGroup, client: string): Allowance | Promise<Allowance>;
}

/** Length of a window in seconds. */
export const limitWindow = 60;

/**
 * Maximum number of clients per group, which take at most four megabytes. Beyond it, the client with the oldest window
 * is dropped.
 */
const maxClients = 10_000;

interface Window {
  taken: number;
  /** End of the window on the monotonic clock, in milliseconds. */
  readonly ends: number;
  readonly reset_at: number;
}

/** Counts in this process, per group and client, in fixed windows that begin with the first call of the client. */
export function rateLimits(
  limits: Readonly<Record<LimitGroup, number>>,
  clock: Pick<Clock, 'now' | 'monotonic'>,
  clientLimit = maxClients,
): RateLimits {
  const groups = new Map<LimitGroup, Map<string, Window>>();

  function begin(windows: Map<string, Window>, client: string, now: number): Window {
    // All windows have the same length, and the map keeps their order of insertion: the oldest come first. An expired
    // window of the client is removed here too.
    for (const [oldest, { ends }] of windows) {
      if (ends > now && windows.size < clientLimit) break;
      windows.delete(oldest);
    }
    const ms = limitWindow * 1000;
    const window = { taken: 0, ends: now + ms, reset_at: Math.ceil((clock.now() + ms) / 1000) };
    windows.set(client, window);
    return window;
  }

  return {
    take(group, client) {
      const windows = groups.get(group) ?? new Map<string, Window>();
      groups.set(group, windows);
      // Whole milliseconds: with fractions, the difference may exceed the window by a rounding error.
      const now = Math.floor(clock.monotonic());
      const known = windows.get(client);
      const window = known && known.ends > now ? known : begin(windows, client, now);
      const limit = limits[group];
      const allowed = window.taken < limit;
      if (allowed) window.taken += 1;
      return {
        allowed,
        limit,
        remaining: limit - window.taken,
        reset_at: window.reset_at,
        wait_s: Math.max(1, Math.ceil((window.ends - now) / 1000)),
      };
    },
  };
}
