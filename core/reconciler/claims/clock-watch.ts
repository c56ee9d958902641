import type { Clock } from '../../contract/clock.ts';

/** Of how many jumps it is known later. */
const remembered = 10;

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
  /** The last jumps, and what the wall clock said after each. */
  #jumps: readonly { readonly ms: number; readonly wall: number }[] = [];

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
    if (Math.abs(difference) <= this.#jumpMs) return 0;
    const ms = Math.round(difference);
    this.#jumps = [...this.#jumps, { ms, wall: this.#clock.now() }].slice(-remembered);
    return ms;
  }

  /** By how much a time has to be moved that was taken from the wall clock and followed no jump yet: nobody held the request that it is of. */
  missedBy(time: number): number {
    let moved = time;
    for (const { ms, wall } of this.#jumps) {
      // After a jump forward a time from before lies behind what the clock said then; after one back it lies ahead, until the clock has come there again.
      const isFromBefore = ms > 0 ? moved < wall - ms / 2 : moved > Math.max(this.#clock.now(), wall - ms / 2);
      if (isFromBefore) moved += ms;
    }
    return moved - time;
  }
}
