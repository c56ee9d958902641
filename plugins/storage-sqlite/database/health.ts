import type { BrokerError, Log } from '../../../core/index.ts';
import { isDamage } from './failures.ts';

/** A line about the same trouble comes no sooner again. */
const quietMs = 10_000;

interface Trouble {
  readonly since: number;
  readonly told: boolean;
  refused: number;
}

/**
 * Whether the database serves, by what became of the last reads and writes. The log gets a line when that changes, not
 * one a try.
 */
export class Health {
  readonly #log: Log;
  #trouble: Trouble | undefined;
  #damage: BrokerError | undefined;
  #tellAt = -Infinity;
  #wroteAt = -Infinity;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Damage that was met. It does not heal, so it holds as long as the database is open. */
  get damage(): BrokerError | undefined {
    return this.#damage;
  }

  /** Whether the last write went well, and is not longer ago than this. */
  wroteWithin(ms: number): boolean {
    return !this.#trouble && performance.now() - this.#wroteAt < ms;
  }

  /** So many reads or writes were refused because the database cannot serve. */
  failed(error: BrokerError, count = 1): void {
    if (isDamage(error.cause)) {
      if (!this.#damage) this.#log.error({ err: error.cause }, error.message);
      this.#damage ??= error;
      return;
    }
    const now = performance.now();
    if (!this.#trouble) {
      const told = now >= this.#tellAt;
      if (told) {
        this.#tellAt = now + quietMs;
        this.#log.error({ err: error.cause }, error.message);
      }
      this.#trouble = { since: now, told, refused: 0 };
    }
    this.#trouble.refused += count;
  }

  /** Something is durable. */
  wrote(): void {
    this.#wroteAt = performance.now();
    if (!this.#trouble) return;
    const { since, told, refused } = this.#trouble;
    this.#trouble = undefined;
    if (told)
      this.#log.info(
        { refused, seconds: Math.round((this.#wroteAt - since) / 1000) },
        'The database can be written again.',
      );
  }
}
