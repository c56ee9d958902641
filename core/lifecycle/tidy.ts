import type { Clock } from '../clock.ts';
import type { Store } from '../storage.ts';
import { Tombstones } from './tombstones.ts';

const everyMs = 600_000;
const atOnce = 150;

/** Removes what holds no longer and that nobody would miss: facts whose time is over, Idempotency-Keys of requests that were purged long ago. */
export class Tidy {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #tombstones: Tombstones;
  #next = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#tombstones = new Tombstones(store, clock);
  }

  /** Does nothing most of the time. */
  async tidy(): Promise<void> {
    await this.#tombstones.tidy();
    if (this.#clock.monotonic() < this.#next) return;
    this.#next = this.#clock.monotonic() + everyMs;
    const over = await this.#store.find('fact', { where: { until: { before: this.#clock.now() } }, limit: atOnce });
    // Asked again at the next turn when there were more.
    if (over.length === atOnce) this.#next = 0;
    if (over.length === 0) return;
    await this.#store.commit(over.map(({ topic, name, item }) => ({ op: 'delete', kind: 'fact', key: { topic, name, item } })));
  }
}
