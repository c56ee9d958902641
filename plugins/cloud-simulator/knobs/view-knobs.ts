import { type Span, span } from './span.ts';
import { wholeNumber, milliseconds, orNull, record, share, type Shapes } from './shapes.ts';

/** What reading calls can see. */
export interface ViewKnobs {
  /**
   * How long a new resource is invisible. For machines: to calls by id, to calls by filter or without one, and to
   * calls by tag. For launch templates, fleets and Spot fleets: to all calls. `version`: a new version
   * of a launch template, the first one included, to all calls that name it. Groups are visible at once, as in Auto
   * Scaling.
   */
  readonly visible_ms: {
    readonly id: number;
    readonly filter: number;
    readonly tag: number;
    readonly template: number;
    readonly version: number;
    readonly fleet: number;
  };
  /** How old the states of machines are in an answer of DescribeInstances or DescribeInstanceStatus. */
  readonly state_lag_ms: Span;
  /** Each reading call misses a machine younger than `until_ms` with the probability `share`. */
  readonly flapping: { readonly share: number; readonly until_ms: number };
  readonly limits: {
    /**
     * Maximum number of entries in a page of EC2's lists, whatever the call asks for. Lists of named ids are not
     * paged.
     */
    readonly page_size: number | null;
    /** Page tokens are refused after this time: InvalidPaginationToken. */
    readonly page_token_ms: number | null;
    /** Filters in a call of EC2, and values in a filter: FilterLimitExceeded. */
    readonly filters: number;
    readonly filter_values: number;
    /** Ids that DescribeInstances takes: InvalidParameterValue. */
    readonly ids: number;
  };
}

export const viewDefaults: ViewKnobs = {
  visible_ms: { id: 0, filter: 0, tag: 0, template: 0, version: 0, fleet: 0 },
  state_lag_ms: 0,
  flapping: { share: 0, until_ms: 60_000 },
  limits: { page_size: null, page_token_ms: null, filters: 50, filter_values: 200, ids: 1000 },
};

export const viewShapes: Shapes = {
  visible_ms: record({
    id: milliseconds,
    filter: milliseconds,
    tag: milliseconds,
    template: milliseconds,
    version: milliseconds,
    fleet: milliseconds,
  }),
  state_lag_ms: span,
  flapping: record({ share, until_ms: milliseconds }),
  limits: record({
    page_size: wholeNumber(1, 'null'),
    page_token_ms: orNull(milliseconds),
    filters: wholeNumber(1),
    filter_values: wholeNumber(1),
    ids: wholeNumber(1),
  }),
};
