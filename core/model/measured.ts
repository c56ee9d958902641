/** What an instance was measured to do, over all requests that ended. */
export interface Measured {
  readonly total_requests: number;
  /** It gave at least one machine. */
  readonly successful_requests: number;
  readonly failed_requests: number;
  /** Launches that were answered, and the milliseconds that all these answers took. */
  readonly answers: number;
  readonly answer_ms: number;
}

export const nothingMeasured: Measured = { total_requests: 0, successful_requests: 0, failed_requests: 0, answers: 0, answer_ms: 0 };
