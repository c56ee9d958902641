import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';

/** Between two lines of the log, however often it is tried meanwhile. */
const quietMs = 10_000;

/** Whether the storage serves the loop. Hundreds of requests may be trying at once: the log gets a line every few seconds, and one at the end. */
export class StorageTrouble {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Who is waiting for the storage at this moment. */
  readonly #waiting = new Set<object>();
  #message: string | undefined;
  #since = 0;
  #tries = 0;
  #told = false;
  #tellAt = -Infinity;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Why nothing goes on; undefined: it does. */
  get message(): string | undefined {
    return this.#message;
  }

  /** The storage did not serve `who`, which tries again. */
  failed(who: object, error: unknown): void {
    const now = this.#clock.monotonic();
    if (this.#waiting.size === 0) [this.#since, this.#tries, this.#told] = [now, 0, false];
    this.#waiting.add(who);
    this.#tries += 1;
    this.#message = error instanceof Error ? error.message : String(error);
    if (now < this.#tellAt) return;
    this.#tellAt = now + quietMs;
    this.#told = true;
    this.#log.error({ err: error, waiting: this.#waiting.size, tries: this.#tries }, 'The storage does not serve the loop; trying on.');
  }

  /** `who` was served, or no longer tries. */
  over(who: object): void {
    if (!this.#waiting.delete(who) || this.#waiting.size > 0) return;
    this.#message = undefined;
    const seconds = Math.round((this.#clock.monotonic() - this.#since) / 1000);
    if (this.#told) this.#log.info({ tries: this.#tries, seconds }, 'The storage serves the loop again.');
  }
}
