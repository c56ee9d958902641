import type { CalledFor } from '../../../core/providers/guard/called-for.ts';
import type { Quarantined } from '../../../core/providers/guard/session-pool.ts';

const firstMs = 60_000;
const longestMs = 3_600_000;
/** An instance whose thread so many templates stopped within an hour is at fault itself. */
const templatesOfItsOwn = 3;

/** Says to people why, given for how long, and whether for requests of one template only. */
type Why = (charged: Omit<Quarantined, 'name' | 'why'>) => string;

interface Kept {
  readonly ms: number;
  readonly until: number;
  readonly why: string;
}

/**
 * Who is left alone because a call to its plugin stopped the loop's thread: a minute at first, twice as long each
 * time it happens again, an hour at most. After an hour without, it begins anew. Where it is known for which request
 * it was called, the template of that request is left alone at the instance, and the instance itself only after that
 * has happened with three templates.
 */
export class Quarantine {
  readonly #now: () => number;
  readonly #first: number;
  readonly #kept = new Map<string, Map<string | undefined, Kept>>();

  /** `now`: milliseconds that never jump. */
  constructor(now: () => number, first = firstMs) {
    this.#now = now;
    this.#first = first;
  }

  /** Who is left alone from now on, and for how long. `why` says it to people. */
  add(name: string, of: CalledFor | undefined, why: Why): Omit<Quarantined, 'why'> {
    const kept = this.#kept.get(name) ?? new Map<string | undefined, Kept>();
    this.#kept.set(name, kept);
    if (of) {
      const ms = this.#keep(kept, of.template_id, why);
      const now = this.#now();
      const lately = [...kept].filter(([template, { until }]) => template !== undefined && now - until < longestMs);
      if (lately.length < templatesOfItsOwn) return { name, template_id: of.template_id, ms };
    }
    return { name, ms: this.#keep(kept, undefined, why) };
  }

  /** Who is left alone now. */
  present(): readonly Quarantined[] {
    const now = this.#now();
    return [...this.#kept].flatMap(([name, kept]) =>
      [...kept].flatMap(([template_id, { until, why }]) =>
        until > now ? [{ name, ...(template_id === undefined ? {} : { template_id }), ms: until - now, why }] : [],
      ),
    );
  }

  #keep(kept: Map<string | undefined, Kept>, template_id: string | undefined, why: Why): number {
    const now = this.#now();
    const before = kept.get(template_id);
    const again = before !== undefined && now - before.until < longestMs;
    const ms = again ? Math.min(longestMs, before.ms * 2) : this.#first;
    kept.set(template_id, { ms, until: now + ms, why: why({ ms, ...(template_id === undefined ? {} : { template_id }) }) });
    return ms;
  }
}
