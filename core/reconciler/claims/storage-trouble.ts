import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';

/** The shortest interval between two log lines. */
const quietMs = 10_000;

/**
 * Whether the storage serves the loop. Hundreds of requests may retry at once: the log gets one line every few
 * seconds, and one at the end.
 */
export class StorageTrouble {
  readonly #clock: Clock;
  readonly #log: Log;
  /** The tasks that wait for the storage. */
  readonly #waiting = new Set<object>();
  #message: string | undefined;
  #since = 0;
  #tries = 0;
  #logged = false;
  #logAt = -Infinity;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Why the loop cannot continue; undefined when it can. */
  get message(): string | undefined {
    return this.#message;
  }

  /** The storage did not serve `who`, which retries. */
  failed(who: object, error: unknown): void {
    const now = this.#clock.monotonic();
    if (this.#waiting.size === 0) [this.#since, this.#tries, this.#logged] = [now, 0, false];
    this.#waiting.add(who);
    this.#tries += 1;
    this.#message = error instanceof Error ? error.message : String(error);
    if (now < this.#logAt) return;
    this.#logAt = now + quietMs;
    this.#logged = true;
    this.#log.error(
      { err: error, waiting: this.#waiting.size, tries: this.#tries },
      'The storage does not serve the loop; retrying.',
    );
  }

  /** `who` was served, or stopped retrying. */
  over(who: object): void {
    if (!this.#waiting.delete(who) || this.#waiting.size > 0) return;
    this.#message = undefined;
    const seconds = Math.round((this.#clock.monotonic() - this.#since) / 1000);
    if (this.#logged) this.#log.info({ tries: this.#tries, seconds }, 'The storage serves the loop again.');
  }
}
