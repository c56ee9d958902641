import type { Clock } from '../../contract/clock.ts';
import type { Store } from '../../contract/storage.ts';
import type { ClaimedRequest } from './claimed-request.ts';

/** The interval of reads without a notice of the store, because a notice may get lost. */
const unheardMs = 5_000;
const atOnce = 1_000;

/**
 * Passes the signals of callers to the requests that are held here. Other requests get them from their holder or with
 * their next claim.
 */
export class SignalInbox {
  readonly #store: Store;
  readonly #clock: Clock;
  #heard = true;
  /** Monotonic milliseconds. */
  #readAt = -Infinity;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The store reported a new signal. */
  heard(): void {
    this.#heard = true;
  }

  get due(): boolean {
    return this.#heard || this.#clock.monotonic() - this.#readAt >= unheardMs;
  }

  /**
   * Reads all waiting signals, also beyond those of other holders. Rejects when the store does not answer, and is then
   * due again.
   */
  async deliver(held: ReadonlyMap<string, ClaimedRequest>): Promise<void> {
    this.#heard = false;
    try {
      for (let offset = 0; ; offset += atOnce) {
        const order = [['created_at', 'asc']] as const;
        const page = await this.#store.find('signal', { where: { applied: false }, order, limit: atOnce, offset });
        for (const signal of page) {
          const claimed = held.get(signal.request_id);
          if (!claimed || claimed.new_signals.has(signal.signal_id)) continue;
          claimed.new_signals.set(signal.signal_id, signal);
          claimed.due_at = 0;
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
