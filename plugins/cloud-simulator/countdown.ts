/** Counts what a rule of a knob has met, apart from the rule itself, since knobs are values. Rules start anew when their knob is set again. */
export interface Countdown {
  /** Whether this call, the next of its kind, falls into the `times` calls from the `nth` on (null = all from there on). */
  hit(rule: object, nth: number, times: number | null): boolean;
}

export function createCountdown(): Countdown {
  const seen = new WeakMap<object, number>();
  return {
    hit(rule, nth, times) {
      const call = (seen.get(rule) ?? 0) + 1;
      seen.set(rule, call);
      return call >= nth && (times === null || call < nth + times);
    },
  };
}
