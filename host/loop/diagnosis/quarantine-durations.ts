import type { CalledFor } from '../../../core/providers/guard/called-for.ts';
import type { Quarantined } from '../../../core/providers/quarantine/quarantine.ts';

const firstMs = 60_000;
const longestMs = 3_600_000;
/** Number of quarantined templates within an hour after which the instance itself is quarantined. */
const maxTemplates = 3;

/** Returns the reason as text, for a duration and optionally for the requests of one template. */
type Why = (charged: Omit<Quarantined, 'name' | 'why'>) => string;

interface Period {
  readonly ms: number;
  readonly until: number;
  readonly why: string;
}

/**
 * Names whose plugins are not called for some time because a call stopped the loop thread: first for a minute, doubled
 * at each repetition, at most an hour. After an hour without a repetition the time starts again at a minute. When the
 * request of the call is known, only its template is quarantined at the instance; the instance itself follows after
 * three templates.
 */
export class QuarantineDurations {
  readonly #now: () => number;
  readonly #first: number;
  readonly #periods = new Map<string, Map<string | undefined, Period>>();

  /** `now`: a monotonic clock in milliseconds. */
  constructor(now: () => number, first = firstMs) {
    this.#now = now;
    this.#first = first;
  }

  /**
   * Quarantines a name, or one template at it. Returns what is quarantined and for how many milliseconds. `why`
   * returns the reason as text.
   */
  add(name: string, of: CalledFor | undefined, why: Why): Omit<Quarantined, 'why'> {
    const kept = this.#periods.get(name) ?? new Map<string | undefined, Period>();
    this.#periods.set(name, kept);
    if (of) {
      const ms = this.#extend(kept, of.template_id, why);
      const now = this.#now();
      const lately = [...kept].filter(([template, { until }]) => template !== undefined && now - until < longestMs);
      if (lately.length < maxTemplates) return { name, template_id: of.template_id, ms };
    }
    return { name, ms: this.#extend(kept, undefined, why) };
  }

  /** Returns the active quarantines. */
  present(): readonly Quarantined[] {
    const now = this.#now();
    return [...this.#periods].flatMap(([name, kept]) =>
      [...kept].flatMap(([template_id, { until, why }]) =>
        until > now ? [{ name, ...(template_id === undefined ? {} : { template_id }), ms: until - now, why }] : [],
      ),
    );
  }

  #extend(kept: Map<string | undefined, Period>, template_id: string | undefined, why: Why): number {
    const now = this.#now();
    const before = kept.get(template_id);
    const repeated = before !== undefined && now - before.until < longestMs;
    const ms = repeated ? Math.min(longestMs, before.ms * 2) : this.#first;
    kept.set(template_id, {
      ms,
      until: now + ms,
      why: why({ ms, ...(template_id === undefined ? {} : { template_id }) }),
    });
    return ms;
  }
}
