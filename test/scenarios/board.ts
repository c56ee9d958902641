import type { MachineRecord } from '../../core/model/machine.ts';
import { isTerminal, type RequestRecord } from '../../core/model/request.ts';
import type { Store } from '../../core/contract/storage.ts';
import type { Clock } from '../../core/contract/clock.ts';

const everyMs = 100;
/** No request may take so long. */
const patienceMs = 5_400_000;

/** Looks at what a broker has stored, once for all who wait for something of it. */
export class Board {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  readonly #histories = new Map<string, string[]>();
  #requests: ReadonlyMap<string, RequestRecord> = new Map();
  #next = Promise.withResolvers<void>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#timer = setTimeout(() => this.#look(), everyMs);
  }

  request(id: string): RequestRecord {
    const found = this.#requests.get(id);
    if (!found) throw new Error(`${id} is not stored`);
    return found;
  }

  machines(request_id: string): Promise<readonly MachineRecord[]> {
    return this.#store.find('machine', { where: { request_id } });
  }

  /** Every status that was seen of a request, in order. */
  history = (id: string): readonly string[] => this.#histories.get(id) ?? [];

  /** Asks again after each look until the answer is true. */
  async until(what: string, ask: () => boolean | Promise<boolean>, withinMs = patienceMs): Promise<void> {
    const end = this.#clock.now() + withinMs;
    do {
      await this.#next.promise;
      if (await ask()) return;
    } while (this.#clock.now() < end);
    throw new Error(`waited ${withinMs / 1000} s in vain: ${what}`);
  }

  async ended(id: string): Promise<RequestRecord> {
    await this.until('it ends', () => isTerminal(this.request(id).status));
    return this.request(id);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const requests = await this.#store.find('request', {}).catch(() => undefined);
    if (!requests) return;
    this.#requests = new Map(requests.map((request) => [request.request_id, request]));
    for (const { request_id, status } of requests) {
      const history = this.#histories.get(request_id);
      if (!history) this.#histories.set(request_id, [status]);
      else if (history.at(-1) !== status) history.push(status);
    }
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers();
    resolve();
    this.#timer.refresh();
  }
}
