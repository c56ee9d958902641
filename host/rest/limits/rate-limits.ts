import type { Clock } from '../../../core/contract/clock.ts';
import type { RestBinding } from '../../../core/operations/operation.ts';

/** Operations that count together. */
export type LimitGroup = NonNullable<RestBinding['limit']>;

/** What a client may still do. */
export interface Allowance {
  /** Whether this call is within the limit. */
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds: the client starts anew then. */
  readonly reset_at: number;
  /** Seconds until then, by a clock that does not jump. */
  readonly wait_s: number;
}

/** Counts calls. The counters may be kept elsewhere, so the answer may come later. */
export interface RateLimits {
  /** Counts one call of a client. A call that is not allowed counts nothing. */
  take(group: LimitGroup, client: string): Allowance | Promise<Allowance>;
}

/** Seconds. */
export const limitWindow = 60;

/** So many clients are remembered in each group, in at most four megabytes. Beyond them the one whose window began first is forgotten. */
const mostClients = 10_000;

interface Window {
  taken: number;
  /** Monotonic. */
  readonly ends: number;
  readonly reset_at: number;
}

/** Counts in this process: for each group and client so many calls in a minute, which begins with the first of them. */
export function rateLimits(
  limits: Readonly<Record<LimitGroup, number>>,
  clock: Pick<Clock, 'now' | 'monotonic'>,
  most = mostClients,
): RateLimits {
  const groups = new Map<LimitGroup, Map<string, Window>>();

  function begin(windows: Map<string, Window>, client: string, now: number): Window {
    // All windows are equally long: those that began first end first, and stand first. So the client's own that is over goes here too.
    for (const [oldest, { ends }] of windows) {
      if (ends > now && windows.size < most) break;
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
      // In whole milliseconds: the sum of a fraction and the window, less the fraction, may be a little more than the window.
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
