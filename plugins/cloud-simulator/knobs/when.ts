import { both, milliseconds, record, type Shape, type Shapes, string } from './shapes.ts';

/** Where and when a rule is in force; each field narrows it. Times count from the moment at which its knob was set. */
export interface When {
  /** An account number or an access key. */
  readonly account?: string;
  /** Two such rules, one for each region, make an outage of one region. */
  readonly region?: string;
  readonly from_ms?: number;
  readonly until_ms?: number;
}

export const when: Readonly<Record<keyof When, Shape>> = {
  account: string,
  region: string,
  from_ms: milliseconds,
  until_ms: milliseconds,
};

/** A rule with these fields beside those of `When`. */
export function rule(fields: Shapes, required: readonly string[] = []): Shape {
  return both(record({ ...when, ...fields }, required), ({ from_ms, until_ms }, path) =>
    typeof from_ms === 'number' && typeof until_ms === 'number' && until_ms <= from_ms
      ? [`${path}/until_ms: the rule is never in force, because from_ms is not lower`]
      : [],
  );
}
