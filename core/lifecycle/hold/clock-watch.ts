import type { Clock } from '../../clock.ts';

/**
 * Compares the two clocks of this process. The wall clock jumps when somebody sets it, and seems to when the host was suspended, since the monotonic clock
 * stood still meanwhile.
 */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #jumpMs: number;
  #offset: number;
  #checked: number;

  constructor(clock: Clock, everyMs: number, jumpMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#jumpMs = jumpMs;
    this.#checked = clock.monotonic();
    this.#offset = clock.now() - this.#checked;
  }

  /** By how many whole milliseconds the wall clock jumped since the last comparison; 0 when it did not, undefined when none is due yet. */
  check(): number | undefined {
    const monotonic = this.#clock.monotonic();
    const offset = this.#clock.now() - monotonic;
    const difference = offset - this.#offset;
    if (monotonic - this.#checked < this.#everyMs && Math.abs(difference) <= this.#jumpMs) return undefined;
    this.#checked = monotonic;
    this.#offset = offset;
    return Math.abs(difference) > this.#jumpMs ? Math.round(difference) : 0;
  }
}
