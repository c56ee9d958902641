import type { When } from './knobs/when.ts';
import { accountOf } from './wire/caller.ts';

/**
 * The start times and call counts of the rules in the knobs, stored apart from the knobs, which are immutable values.
 * A rule starts again when its knob is set again.
 */
export interface RuleState {
  /** Records the start time of every new rule in the knobs. */
  begin(change: object, now: number): void;
  /** When a rule was set, in milliseconds of the simulator's clock; undefined = never. */
  begunAt(rule: object): number | undefined;
  /** Whether a rule is in force in the context. */
  inForce(rule: When, context: WhereAndWhen): boolean;
  /**
   * Counts a call for a rule, and returns whether it is one of the `times` calls from the `nth` on (null = all from
   * there on).
   */
  hit(rule: object, nth: number, times: number | null): boolean;
}

/** The part of a call context that determines whether a rule is in force. */
interface WhereAndWhen {
  readonly state: { readonly account: string; readonly region: string };
  readonly now: number;
}

export function createRuleState(): RuleState {
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
