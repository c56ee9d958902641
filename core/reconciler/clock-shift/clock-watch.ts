import type { Clock } from '../../contract/clock.ts';

/** The number of remembered shifts. */
const remembered = 10;

/**
 * Compares the two clocks of this process. The wall clock shifts when it is set, and also when the host was suspended,
 * because the monotonic clock stops meanwhile.
 */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #shiftMs: number;
  #offset: number;
  #checked: number;
  /** The last shifts, with the wall time after each. */
  #shifts: readonly { readonly ms: number; readonly wall: number }[] = [];

  constructor(clock: Clock, everyMs: number, shiftMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#shiftMs = shiftMs;
    this.#checked = clock.monotonic();
    this.#offset = clock.now() - this.#checked;
  }

  /**
   * By how many whole milliseconds the wall clock shifted since the last comparison; 0 when it did not, undefined when
   * no comparison is due.
   */
  check(): number | undefined {
    const monotonic = this.#clock.monotonic();
    const offset = this.#clock.now() - monotonic;
    const difference = offset - this.#offset;
    if (monotonic - this.#checked < this.#everyMs && Math.abs(difference) <= this.#shiftMs) return undefined;
    this.#checked = monotonic;
    this.#offset = offset;
    if (Math.abs(difference) <= this.#shiftMs) return 0;
    const ms = Math.round(difference);
    this.#shifts = [...this.#shifts, { ms, wall: this.#clock.now() }].slice(-remembered);
    return ms;
  }

  /**
   * By how much a wall time must be moved that did not follow the shifts since then, because its request had no
   * holder.
   */
  missedBy(time: number): number {
    let moved = time;
    for (const { ms, wall } of this.#shifts) {
      // Whether the time is from before the shift. After a forward shift such a time is before the shift; after a
      // backward shift it is in the future until the clock reaches it again.
      const isFromBefore = ms > 0 ? moved < wall - ms / 2 : moved > Math.max(this.#clock.now(), wall - ms / 2);
      if (isFromBefore) moved += ms;
    }
    return moved - time;
  }
}
