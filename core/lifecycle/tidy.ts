import type { Clock } from '../clock.ts';
import type { Store } from '../storage.ts';

const everyMs = 600_000;
const atOnce = 150;

/** Removes what holds no longer and that nobody would miss: facts whose time is over. */
export class Tidy {
  readonly #store: Store;
  readonly #clock: Clock;
  #next = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Does nothing most of the time. */
  async tidy(): Promise<void> {
    if (this.#clock.monotonic() < this.#next) return;
    this.#next = this.#clock.monotonic() + everyMs;
    const over = await this.#store.find('fact', { where: { until: { before: this.#clock.now() } }, limit: atOnce });
    // Asked again at the next turn when there were more.
    if (over.length === atOnce) this.#next = 0;
    if (over.length === 0) return;
    await this.#store.commit(over.map(({ topic, name, item }) => ({ op: 'delete', kind: 'fact', key: { topic, name, item } })));
  }
}
