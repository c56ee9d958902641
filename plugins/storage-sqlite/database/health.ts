import { Outage, type BrokerError, type Log } from '../../../core/index.ts';
import { isDamage } from './failures.ts';

/** Whether the database serves, according to the last reads and writes, and whether it is damaged. */
export class Health {
  readonly #log: Log;
  readonly #outage: Outage;
  #damage: BrokerError | undefined;

  constructor(log: Log) {
    this.#log = log;
    this.#outage = new Outage(log);
  }

  /** Damage that a statement found. It lasts as long as the database is open. */
  get damage(): BrokerError | undefined {
    return this.#damage;
  }

  /** Whether the last write succeeded and is more recent than `ms`. */
  wroteWithin(ms: number): boolean {
    return this.#outage.wroteWithin(ms);
  }

  /** Records that `count` reads or writes were refused because the database cannot serve. */
  failed(error: BrokerError, count = 1): void {
    if (!isDamage(error.cause)) return this.#outage.failed(error, count);
    if (!this.#damage) this.#log.error({ err: error.cause }, error.message);
    this.#damage ??= error;
  }

  /** Records a durable write. */
  wrote(): void {
    this.#outage.wrote();
  }
}
