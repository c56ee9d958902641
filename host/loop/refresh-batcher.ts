import { LRUCache } from 'lru-cache';
import type { RefreshTrigger } from '../../core/requests/refresh-trigger.ts';

/** The loop looks at a request at most once in this time, so asking more often says nothing new. */
const again_ms = 2_000;
/** Questions that come within this time go to the loop together. */
const gather_ms = 10;
const kept = 20_000;

/** Gathers what callers want looked at, and keeps when the loop last looked. In memory, and nobody waits for it. */
export class RefreshBatcher implements RefreshTrigger {
  readonly #send: (request_ids: readonly string[]) => void;
  readonly #asked = new LRUCache<string, number>({ max: kept });
  readonly #looked = new LRUCache<string, number>({ max: kept });
  #waiting: string[] = [];

  constructor(send: (request_ids: readonly string[]) => void) {
    this.#send = send;
  }

  look(request_id: string): void {
    const now = performance.now();
    const last = this.#asked.get(request_id);
    if (last !== undefined && now - last < again_ms) return;
    this.#asked.set(request_id, now);
    this.#waiting.push(request_id);
    if (this.#waiting.length > 1) return;
    setTimeout(() => {
      const request_ids = this.#waiting;
      this.#waiting = [];
      this.#send(request_ids);
    }, gather_ms).unref();
  }

  lookedAt(request_id: string): number | undefined {
    return this.#looked.get(request_id);
  }

  /** The loop tells which requests it looked at. */
  looked(request_ids: readonly string[], at: number): void {
    for (const id of request_ids) this.#looked.set(id, at);
  }
}
