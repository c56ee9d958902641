import type { CalledFor } from '../../providers/guard/called-for.ts';
import type { Verb } from '../../providers/guard/time-outs.ts';

/** The number of templates, without a success between them, after which a breach counts against the instance. */
const templatesOfItsOwn = 3;
/** Verbs that process the template of one caller. Their breaches never count against the instance. */
const alwaysCharged: ReadonlySet<Verb> = new Set(['prepare']);

/**
 * The templates with which the plugin of an instance broke its contract in calls for requests. Such a call processes
 * the input of a caller, so one template may cause the breach, and must not make the instance unavailable to other
 * templates.
 */
export class Breaches {
  readonly #templates = new Map<Verb, Set<string>>();

  /** Adds a breach. Returns whether it counts against the instance, and not only against the requests of the call. */
  countsAgainstInstance(verb: Verb, of: readonly CalledFor[]): boolean {
    if (alwaysCharged.has(verb)) return false;
    let templates = this.#templates.get(verb);
    if (!templates) this.#templates.set(verb, (templates = new Set()));
    for (const { template_id } of of) if (templates.size < templatesOfItsOwn) templates.add(template_id);
    return templates.size >= templatesOfItsOwn;
  }

  /** The verb succeeded. */
  over(verb: Verb): void {
    this.#templates.delete(verb);
  }
}
