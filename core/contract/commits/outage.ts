import type { BrokerError } from '../errors.ts';
import type { Log } from '../log.ts';

/** The shortest time between two log lines about an outage. */
const logIntervalMs = 10_000;

interface Since {
  readonly at: number;
  readonly logged: boolean;
  refused: number;
}

/**
 * Whether a database serves, according to the last reads and writes. The log gets a line for each change, not for each
 * try.
 */
export class Outage {
  readonly #log: Log;
  #since: Since | undefined;
  #nextLogAt = -Infinity;
  #wroteAt = -Infinity;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Whether the last write succeeded and is more recent than `ms`. */
  wroteWithin(ms: number): boolean {
    return !this.#since && performance.now() - this.#wroteAt < ms;
  }

  /** Records that `count` reads or writes were refused because the database cannot serve. */
  failed(error: BrokerError, count = 1): void {
    const now = performance.now();
    if (!this.#since) {
      const logged = now >= this.#nextLogAt;
      if (logged) {
        this.#nextLogAt = now + logIntervalMs;
        this.#log.error({ err: error.cause }, error.message);
      }
      this.#since = { at: now, logged, refused: 0 };
    }
    this.#since.refused += count;
  }

  /** Records a durable write. */
  wrote(): void {
    this.#wroteAt = performance.now();
    if (!this.#since) return;
    const { at, logged, refused } = this.#since;
    this.#since = undefined;
    if (logged)
      this.#log.info(
        { refused, seconds: Math.round((this.#wroteAt - at) / 1000) },
        'The database can be written again.',
      );
  }
}
