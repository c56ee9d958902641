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
  /** The last shifts, with the wall time after each, and within which time before it the shift happened. */
  #shifts: readonly { readonly ms: number; readonly wall: number; readonly within: number }[] = [];

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
    const within = Math.max(monotonic - this.#checked, this.#everyMs) + this.#shiftMs;
    this.#checked = monotonic;
    this.#offset = offset;
    if (Math.abs(difference) <= this.#shiftMs) return 0;
    const ms = Math.round(difference);
    this.#shifts = [...this.#shifts, { ms, wall: this.#clock.now(), within }].slice(-remembered);
    return ms;
  }

  /**
   * By how much a wall time must be moved that did not follow the shifts since then, because its request had no
   * holder. A time can be read before and after a backward shift; then it is taken for the later of the two.
   */
  missedBy(time: number): number {
    const distances = this.#eras().map(({ from, to }) => Math.max(from - time, time - to, 0));
    const era = distances.lastIndexOf(Math.min(...distances));
    return this.#shifts.slice(era).reduce((sum, { ms }) => sum + ms, 0);
  }

  /**
   * The wall times between the shifts, before the first, and since the last. A shift is noticed some time after it
   * happened: this process may stand still between two comparisons.
   */
  #eras(): readonly { readonly from: number; readonly to: number }[] {
    const last = this.#shifts.at(-1);
    const now = Math.max(this.#clock.now(), last ? last.wall - last.ms / 2 : -Infinity);
    const starts = [
      -Infinity,
      ...this.#shifts.map(({ ms, wall, within }) => wall - (ms < 0 ? within : Math.min(within, ms))),
    ];
    const ends = [...this.#shifts.map(({ ms, wall }) => wall - ms), now];
    return starts.map((from, index) => ({ from, to: ends[index] ?? now }));
  }
}
