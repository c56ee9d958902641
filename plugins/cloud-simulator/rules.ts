import type { When } from './knobs/when.ts';
import { accountOf } from './wire/caller.ts';

/**
 * What the rules of the knobs have met, kept apart from the rules themselves, since knobs are values. A rule starts
 * anew when its knob is set again.
 */
export interface RuleBook {
  /** Dates every rule in a change of knobs. */
  begin(change: object, now: number): void;
  /** When a rule was set, in milliseconds of the simulator's clock; undefined = never. */
  begunAt(rule: object): number | undefined;
  /** Whether a rule is in force there and then. */
  inForce(rule: When, context: WhereAndWhen): boolean;
  /**
   * Whether this call, the next of its kind, falls into the `times` calls from the `nth` on (null = all from there
   * on).
   */
  hit(rule: object, nth: number, times: number | null): boolean;
}

/** What of a call context decides whether a rule is in force. */
interface WhereAndWhen {
  readonly state: { readonly account: string; readonly region: string };
  readonly now: number;
}

export function createRuleBook(): RuleBook {
  const seen = new WeakMap<object, number>();
  const begun = new WeakMap<object, number>();

  function begin(change: object, now: number): void {
    for (const value of Object.values(change)) {
      if (typeof value !== 'object' || value === null) continue;
      if (!begun.has(value)) begun.set(value, now);
      begin(value, now);
    }
  }

  return {
    begin,
    begunAt: (rule) => begun.get(rule),
    inForce(rule, { state: { account, region }, now }) {
      if (rule.account !== undefined && rule.account !== account && accountOf(rule.account) !== account) return false;
      if (rule.region !== undefined && rule.region !== region) return false;
      const age = now - (begun.get(rule) ?? now);
      return age >= (rule.from_ms ?? 0) && (rule.until_ms === undefined || age < rule.until_ms);
    },
    hit(rule, nth, times) {
      const call = (seen.get(rule) ?? 0) + 1;
      seen.set(rule, call);
      return call >= nth && (times === null || call < nth + times);
    },
  };
}
