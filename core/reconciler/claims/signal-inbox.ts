import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { Store } from '../../contract/storage.ts';
import { chunks } from '../../collections/chunks.ts';
import type { SignalRecord } from '../../model/signal.ts';
import type { ClaimedRequest } from './claimed-request.ts';

/** The interval of reads without a notice of the store, because a notice may get lost. */
const unheardMs = 5_000;
const atOnce = 1_000;
/** Storages limit how many values one comparison may list. */
const requestsAtOnce = 200;
/** So many requests whose signals cannot be read mean that the storage is away. */
const mostUnreadable = 20;

const inOrder = [['created_at', 'asc']] as const;

/**
 * Passes the signals of callers to the requests that are held here. Other requests get them from their holder or with
 * their next claim.
 */
export class SignalInbox {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  #heard = true;
  /** Monotonic milliseconds. */
  #readAt = -Infinity;
  /** The requests whose signals could not be read when those of others could. */
  #unreadable: ReadonlySet<string> = new Set();

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** The store reported a new signal. */
  heard(): void {
    this.#heard = true;
  }

  get due(): boolean {
    return this.#heard || this.#clock.monotonic() - this.#readAt >= unheardMs;
  }

  /**
   * Reads all waiting signals, also beyond those of other holders. A signal that cannot be read does not stop the
   * others. Rejects when the store does not answer, and is then due again.
   */
  async deliver(held: ReadonlyMap<string, ClaimedRequest>): Promise<void> {
    this.#heard = false;
    try {
      await this.#together(held).catch((error: unknown) => this.#apart(held, error));
      this.#readAt = this.#clock.monotonic();
    } catch (error) {
      this.#heard = true;
      throw error;
    }
  }

  async #together(held: ReadonlyMap<string, ClaimedRequest>): Promise<void> {
    for (let offset = 0; ; offset += atOnce) {
      const query = { where: { applied: false }, order: inOrder, limit: atOnce, offset };
      const page = await this.#store.find('signal', query);
      pass(page, held);
      if (page.length < atOnce) break;
    }
    this.#unreadable = new Set();
  }

  /** Finds out whose signals cannot be read. Rejects with the error when that is no matter of a few records. */
  async #apart(held: ReadonlyMap<string, ClaimedRequest>, error: unknown): Promise<void> {
    // Reads no record, so it fails only when the storage is away.
    await this.#store.count('signal', { applied: false });
    const unreadable = new Set<string>();
    const read = async (request_id: readonly string[]): Promise<void> => {
      try {
        pass(await this.#store.find('signal', { where: { request_id, applied: false }, order: inOrder }), held);
      } catch {
        const [only] = request_id;
        if (request_id.length === 1 && only !== undefined) unreadable.add(only);
        if (unreadable.size > mostUnreadable) throw error;
        const half = Math.ceil(request_id.length / 2);
        if (request_id.length > 1) for (const part of chunks(request_id, half)) await read(part);
      }
    };
    for (const ids of chunks([...held.keys()], requestsAtOnce)) await read(ids);
    for (const request_id of unreadable)
      if (!this.#unreadable.has(request_id))
        this.#log.error(
          { err: error, request_id },
          'The signals of a request cannot be read from the storage, so its callers have no effect on it. Other requests continue.',
        );
    this.#unreadable = unreadable;
  }
}

function pass(signals: readonly SignalRecord[], held: ReadonlyMap<string, ClaimedRequest>): void {
  for (const signal of signals) held.get(signal.request_id)?.told(signal);
}
