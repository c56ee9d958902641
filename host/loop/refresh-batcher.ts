import { recentlyUsed } from '../../core/collections/recently-used.ts';
import type { Clock } from '../../core/contract/clock.ts';
import type { RefreshTrigger } from '../../core/requests/refresh-trigger.ts';

/** Milliseconds within which a request is sent at most once: the loop refreshes it at most once in this time. */
const minInterval_ms = 2_000;
/** Milliseconds in which requests are collected for one message. */
const collect_ms = 10;
const maxTracked = 20_000;

/**
 * Collects the requests that callers want refreshed, and records when the loop last refreshed each. In memory; callers
 * do not wait.
 */
export class RefreshBatcher implements RefreshTrigger {
  readonly #send: (request_ids: readonly string[]) => void;
  readonly #clock: Clock;
  readonly #sentAt = recentlyUsed<number>(maxTracked);
  readonly #refreshedAt = recentlyUsed<number>(maxTracked);
  #waiting: string[] = [];

  constructor(send: (request_ids: readonly string[]) => void, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
  }

  refresh(request_id: string): void {
    const now = this.#clock.monotonic();
    const last = this.#sentAt.get(request_id);
    if (last !== undefined && now - last < minInterval_ms) return;
    this.#sentAt.set(request_id, now);
    this.#waiting.push(request_id);
    if (this.#waiting.length > 1) return;
    void this.#sendLater();
  }

  async #sendLater(): Promise<void> {
    await this.#clock.sleep(collect_ms);
    const request_ids = this.#waiting;
    this.#waiting = [];
    this.#send(request_ids);
  }

  refreshedAt(request_id: string): number | undefined {
    return this.#refreshedAt.get(request_id);
  }

  /** Records the requests that the loop refreshed, and the time. */
  refreshed(request_ids: readonly string[], at: number): void {
    for (const id of request_ids) this.#refreshedAt.set(id, at);
  }
}
