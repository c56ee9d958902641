import type { Decided } from './decide.ts';

/** How often a machine may register wrongly before its node is set DOWN. */
const wrongLooks = 4;

/**
 * Remembers what the last comparison wanted: what might end something is done when two comparisons in a row want it,
 * because each view may be old.
 */
export class Looks {
  #seen = new Map<string, { readonly what: string; readonly times: number }>();

  /** Those that are due now. Remembers the others for the next look. */
  due(decided: readonly Decided[]): Decided[] {
    const next = new Map<string, { readonly what: string; readonly times: number }>();
    const due = decided.filter((each) => {
      const what = each.action.do;
      const before = this.#seen.get(each.name);
      const times = before?.what === what ? before.times + 1 : 1;
      const isDue = each.certain || times >= (what === 'set-down' ? wrongLooks : 2);
      if (!isDue) next.set(each.name, { what, times });
      return isDue;
    });
    this.#seen = next;
    return due;
  }
}
