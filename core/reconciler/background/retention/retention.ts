import type { Clock } from '../../../contract/clock.ts';
import type { Store } from '../../../contract/storage.ts';
import { EventRetention } from './event-retention.ts';
import { KeyRetention } from './key-retention.ts';

const everyMs = 600_000;
const atOnce = 150;
const afterFailureMs = 60_000;

/** Removes expired facts, and the Idempotency-Keys and events of requests that were purged long ago. */
export class Retention {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #keyRetention: KeyRetention;
  readonly #journal: EventRetention;
  #next = 0;
  #notBefore = -Infinity;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#keyRetention = new KeyRetention(store, clock);
    this.#journal = new EventRetention(store, clock);
  }

  /** Runs the parts that are due. Pauses after a failure. */
  async run(): Promise<void> {
    if (this.#clock.monotonic() < this.#notBefore) return;
    try {
      await this.#runDue();
    } catch (error) {
      this.#notBefore = this.#clock.monotonic() + afterFailureMs;
      throw error;
    }
  }

  async #runDue(): Promise<void> {
    await this.#keyRetention.run();
    await this.#journal.run();
    if (this.#clock.monotonic() < this.#next) return;
    this.#next = this.#clock.monotonic() + everyMs;
    const over = await this.#store.find('fact', { where: { until: { before: this.#clock.now() } }, limit: atOnce });
    // When there were more, the next call continues.
    if (over.length === atOnce) this.#next = 0;
    if (over.length === 0) return;
    await this.#store.commit(
      over.map(({ topic, name, item }) => ({ op: 'delete', kind: 'fact', key: { topic, name, item } })),
    );
  }
}
