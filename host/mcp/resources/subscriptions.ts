import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { WatchRequest } from '../sessions/request-changes.ts';
import { protocolError } from '../tools/protocol-error.ts';
import { asProtocolErrors, addressIn } from './resources.ts';

/** The most resources that one client follows: each takes a stream of the server. */
const most = 50;

/** The subscriptions of one client. Only requests and returns can be followed. */
export class Subscriptions {
  readonly #watch: WatchRequest;
  readonly #changed: (uri: string) => void;
  readonly #open = new Map<string, AbortController>();

  /** `changed` is called for a resource whenever it changed. */
  constructor(watch: WatchRequest, changed: (uri: string) => void) {
    this.#watch = watch;
    this.#changed = changed;
  }

  /** Resolves when the resource is followed; a second time without an effect. */
  async subscribe(uri: string): Promise<void> {
    const { kind, id } = addressIn(uri);
    if (kind !== 'requests' || id === undefined)
      throw protocolError(
        ErrorCode.InvalidParams,
        `Only single requests can be followed: muster://requests/{request_id}, not ${uri}.`,
      );
    if (this.#open.has(uri)) return;
    if (this.#open.size >= most)
      throw protocolError(ErrorCode.InvalidRequest, `${most} resources are followed; unsubscribe from one first.`);
    const stop = new AbortController();
    this.#open.set(uri, stop);
    try {
      const changes = await asProtocolErrors(() => this.#watch(id, stop.signal), uri);
      void this.#follow(uri, changes, stop.signal);
    } catch (error) {
      this.#open.delete(uri);
      throw error;
    }
  }

  unsubscribe(uri: string): void {
    this.#open.get(uri)?.abort();
    this.#open.delete(uri);
  }

  close(): void {
    for (const uri of this.#open.keys()) this.unsubscribe(uri);
  }

  async #follow(uri: string, changes: AsyncIterable<void>, signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of changes) {
        if (signal.aborted) return;
        this.#changed(uri);
      }
    } catch {
      // The request was removed, or the subscription ended.
    } finally {
      if (!signal.aborted) this.#open.delete(uri);
    }
  }
}
