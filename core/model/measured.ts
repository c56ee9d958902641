/** Counters of an instance over all requests that ended. */
export interface Measured {
  readonly total_requests: number;
  /** Requests that got at least one machine from the instance. */
  readonly successful_requests: number;
  readonly failed_requests: number;
  /** The number of answered launches, and the sum of their durations in milliseconds. */
  readonly answers: number;
  readonly answer_ms: number;
}

export const nothingMeasured: Measured = {
  total_requests: 0,
  successful_requests: 0,
  failed_requests: 0,
  answers: 0,
  answer_ms: 0,
};
