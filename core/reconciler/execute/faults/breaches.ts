import type { CalledFor } from '../../../providers/guard/called-for.ts';
import type { Verb } from '../../../providers/guard/time-outs.ts';

/**
 * So many templates in a row with which a verb breaks its contract, and none with which it does not, are no caller's
 * doing.
 */
const templatesOfItsOwn = 3;
/**
 * What one template has made of the order is its own affair: a failed preparation is never held against an instance.
 */
const alwaysCharged: ReadonlySet<Verb> = new Set(['prepare']);

/**
 * With which templates the plugin of an instance broke its contract in calls that it got for requests. Such a call
 * works on what a caller wrote: that it breaks may be the doing of one template, and must not cost others the
 * instance.
 */
export class Breaches {
  readonly #templates = new Map<Verb, Set<string>>();

  /** Whether what broke is the plugin's own doing, and not that of the requests that it was called for. */
  isItsOwn(verb: Verb, of: readonly CalledFor[]): boolean {
    if (alwaysCharged.has(verb)) return false;
    let templates = this.#templates.get(verb);
    if (!templates) this.#templates.set(verb, (templates = new Set()));
    for (const { template_id } of of) if (templates.size < templatesOfItsOwn) templates.add(template_id);
    return templates.size >= templatesOfItsOwn;
  }

  /** The verb was answered well. */
  over(verb: Verb): void {
    this.#templates.delete(verb);
  }
}
