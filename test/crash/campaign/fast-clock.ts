/** Time that passes so many times as fast as the computer's, from the same moment in every process that is told it. */
export interface FastClock {
  /** Epoch milliseconds at which both clocks show the same. */
  readonly from: number;
  readonly times: number;
  /** Milliseconds by which somebody set the clock of the broker. */
  readonly set_by?: number;
}

export const fastNow = ({ from, times, set_by = 0 }: FastClock, now: number): number =>
  from + (now - from) * times + set_by;
