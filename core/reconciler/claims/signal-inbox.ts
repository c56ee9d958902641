import type { Clock } from '../../contract/clock.ts';
import type { Store } from '../../contract/storage.ts';
import type { Holding } from './claimed-request.ts';

/** Wishes are asked for this often without a word from the store, which may get lost. */
const unheardMs = 5_000;
const atOnce = 1_000;

/** Brings what callers wish to the requests that are held here. Wishes of others are theirs, or come with the next claim. */
export class WishInbox {
  readonly #store: Store;
  readonly #clock: Clock;
  #heard = true;
  /** Monotonic milliseconds. */
  #readAt = -Infinity;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The store told of a wish. */
  heard(): void {
    this.#heard = true;
  }

  get due(): boolean {
    return this.#heard || this.#clock.monotonic() - this.#readAt >= unheardMs;
  }

  /** Reads all that wait: what others leave waiting hides none. Rejects when the store does not answer, and is due again then. */
  async deliver(held: ReadonlyMap<string, Holding>): Promise<void> {
    this.#heard = false;
    try {
      for (let offset = 0; ; offset += atOnce) {
        const order = [['created_at', 'asc']] as const;
        const page = await this.#store.find('wish', { where: { absorbed: false }, order, limit: atOnce, offset });
        for (const wish of page) {
          const holding = held.get(wish.request_id);
          if (!holding || holding.incoming.has(wish.wish_id)) continue;
          holding.incoming.set(wish.wish_id, wish);
          holding.due_at = 0;
        }
        if (page.length < atOnce) break;
      }
      this.#readAt = this.#clock.monotonic();
    } catch (error) {
      this.#heard = true;
      throw error;
    }
  }
}
