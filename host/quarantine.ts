import type { Quarantined } from '../core/providers/session-pool.ts';

const firstMs = 60_000;
const longestMs = 3_600_000;

/** Who is left alone because its plugin hung the loop's thread: a minute at first, twice as long each time it happens again, an hour at most. After an hour without, it begins anew. */
export class Quarantine {
  readonly #now: () => number;
  readonly #first: number;
  readonly #kept = new Map<string, { readonly ms: number; readonly until: number; readonly why: string }>();

  /** `now`: milliseconds that never jump. */
  constructor(now: () => number, first = firstMs) {
    this.#now = now;
    this.#first = first;
  }

  /** How long it is left alone from now on. `why` says it to people, given the moment until when. */
  add(name: string, why: (ms: number) => string): number {
    const now = this.#now();
    const before = this.#kept.get(name);
    const again = before !== undefined && now - before.until < longestMs;
    const ms = again ? Math.min(longestMs, before.ms * 2) : this.#first;
    this.#kept.set(name, { ms, until: now + ms, why: why(ms) });
    return ms;
  }

  /** Who is left alone now. */
  present(): readonly Quarantined[] {
    const now = this.#now();
    return [...this.#kept].flatMap(([name, { until, why }]) => (until > now ? [{ name, ms: until - now, why }] : []));
  }
}
