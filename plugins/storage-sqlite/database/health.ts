import type { BrokerError, Log } from '../../../core/index.ts';
import { isDamage } from './failures.ts';

/** The shortest time between two log lines about an outage. */
const logIntervalMs = 10_000;

interface Outage {
  readonly since: number;
  readonly logged: boolean;
  refused: number;
}

/**
 * Whether the database serves, according to the last reads and writes. The log gets a line for each change, not for
 * each try.
 */
export class Health {
  readonly #log: Log;
  #outage: Outage | undefined;
  #damage: BrokerError | undefined;
  #nextLogAt = -Infinity;
  #wroteAt = -Infinity;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Damage that a statement found. It lasts as long as the database is open. */
  get damage(): BrokerError | undefined {
    return this.#damage;
  }

  /** Whether the last write succeeded and is more recent than `ms`. */
  wroteWithin(ms: number): boolean {
    return !this.#outage && performance.now() - this.#wroteAt < ms;
  }

  /** Records that `count` reads or writes were refused because the database cannot serve. */
  failed(error: BrokerError, count = 1): void {
    if (isDamage(error.cause)) {
      if (!this.#damage) this.#log.error({ err: error.cause }, error.message);
      this.#damage ??= error;
      return;
    }
    const now = performance.now();
    if (!this.#outage) {
      const logged = now >= this.#nextLogAt;
      if (logged) {
        this.#nextLogAt = now + logIntervalMs;
        this.#log.error({ err: error.cause }, error.message);
      }
      this.#outage = { since: now, logged, refused: 0 };
    }
    this.#outage.refused += count;
  }

  /** Records a durable write. */
  wrote(): void {
    this.#wroteAt = performance.now();
    if (!this.#outage) return;
    const { since, logged, refused } = this.#outage;
    this.#outage = undefined;
    if (logged)
      this.#log.info(
        { refused, seconds: Math.round((this.#wroteAt - since) / 1000) },
        'The database can be written again.',
      );
  }
}
