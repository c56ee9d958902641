import type { Decided } from './decide.ts';

/** How often a machine may register wrongly before its node is set DOWN. */
const wrongLooks = 4;

interface Seen {
  readonly what: string;
  readonly times: number;
  /** When it counted last. Epoch milliseconds. */
  readonly at: number;
}

/**
 * Remembers what the last comparison wanted: what might end something is done when two comparisons in a row want it,
 * because each view may be old. Comparisons close together see the same old view, so they count as one.
 */
export class Looks {
  #seen = new Map<string, Seen>();

  /**
   * Those that are due now. Remembers the others for the next look. A comparison less than `apart_ms` after the one
   * that counted last does not count.
   */
  due(decided: readonly Decided[], now: number, apart_ms: number): Decided[] {
    const next = new Map<string, Seen>();
    const due = decided.filter((each) => {
      const what = each.action.do;
      const before = this.#seen.get(each.name);
      const seen = before?.what === what ? again(before, now, apart_ms) : { what, times: 1, at: now };
      const isDue = each.certain || seen.times >= (what === 'set-down' ? wrongLooks : 2);
      if (!isDue) next.set(each.name, seen);
      return isDue;
    });
    this.#seen = next;
    return due;
  }
}

/** A clock that was set back must not stop the count. */
const again = (before: Seen, now: number, apart_ms: number): Seen =>
  Math.abs(now - before.at) < apart_ms ? before : { ...before, times: before.times + 1, at: now };
