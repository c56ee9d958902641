import type { Clock } from '../../contract/clock.ts';

/** The number of remembered jumps. */
const remembered = 10;

/**
 * Compares the two clocks of this process. The wall clock jumps when it is set, and also when the host was suspended,
 * because the monotonic clock stops meanwhile.
 */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #jumpMs: number;
  #offset: number;
  #checked: number;
  /** The last jumps, with the wall time after each. */
  #jumps: readonly { readonly ms: number; readonly wall: number }[] = [];

  constructor(clock: Clock, everyMs: number, jumpMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#jumpMs = jumpMs;
    this.#checked = clock.monotonic();
    this.#offset = clock.now() - this.#checked;
  }

  /**
   * By how many whole milliseconds the wall clock jumped since the last comparison; 0 when it did not, undefined when
   * no comparison is due.
   */
  check(): number | undefined {
    const monotonic = this.#clock.monotonic();
    const offset = this.#clock.now() - monotonic;
    const difference = offset - this.#offset;
    if (monotonic - this.#checked < this.#everyMs && Math.abs(difference) <= this.#jumpMs) return undefined;
    this.#checked = monotonic;
    this.#offset = offset;
    if (Math.abs(difference) <= this.#jumpMs) return 0;
    const ms = Math.round(difference);
    this.#jumps = [...this.#jumps, { ms, wall: this.#clock.now() }].slice(-remembered);
    return ms;
  }

  /**
   * By how much a wall time must be moved that did not follow the jumps since then, because its request had no holder.
   */
  missedBy(time: number): number {
    let moved = time;
    for (const { ms, wall } of this.#jumps) {
      // Whether the time is from before the jump. After a forward jump such a time is before the jump; after a
      // backward jump it is in the future until the clock reaches it again.
      const isFromBefore = ms > 0 ? moved < wall - ms / 2 : moved > Math.max(this.#clock.now(), wall - ms / 2);
      if (isFromBefore) moved += ms;
    }
    return moved - time;
  }
}
