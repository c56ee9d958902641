import { wholeNumber, milliseconds, orNull, record, share, type Shapes } from './shapes.ts';

/** What reading calls see of what is. */
export interface ViewKnobs {
  /**
   * How long something new is invisible: machines to calls that name their ids, that filter or list, and that filter
   * by tag; launch templates, fleets and Spot fleets to calls that name or list them. Groups are visible at once, as
   * in Auto Scaling. /
   */
  readonly visible_ms: {
    readonly id: number;
    readonly filter: number;
    readonly tag: number;
    readonly template: number;
    readonly fleet: number;
  };
  /** A young machine comes and goes: until it is `until_ms` old each reading call misses it with this chance. */
  readonly flapping: { readonly share: number; readonly until_ms: number };
  readonly limits: {
    /** Pages of EC2's lists have at most so many entries, whatever was asked for; what is named by id comes whole. */
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
  visible_ms: { id: 0, filter: 0, tag: 0, template: 0, fleet: 0 },
  flapping: { share: 0, until_ms: 60_000 },
  limits: { page_size: null, page_token_ms: null, filters: 50, filter_values: 200, ids: 1000 },
};

export const viewShapes: Shapes = {
  visible_ms: record({
    id: milliseconds,
    filter: milliseconds,
    tag: milliseconds,
    template: milliseconds,
    fleet: milliseconds,
  }),
  flapping: record({ share, until_ms: milliseconds }),
  limits: record({
    page_size: wholeNumber(1, 'null'),
    page_token_ms: orNull(milliseconds),
    filters: wholeNumber(1),
    filter_values: wholeNumber(1),
    ids: wholeNumber(1),
  }),
};
