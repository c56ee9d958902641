import type { Store } from '../contract/storage.ts';
import type { EventRecord } from '../model/records.ts';
import { requestNotFound } from '../requests/request-service.ts';
import type { Journal } from './journal.ts';
import { MilestoneFinder, type Milestones } from './timeline.ts';

/** The most events of one answer, and of one read. The milestones take all events into account. */
const eventsShown = 1_000;
const atOnce = 200;

export interface Timeline {
  readonly milestones: Milestones;
  /** The first events of the request. */
  readonly events: readonly EventRecord[];
  /** The request has more events than these. */
  readonly more: boolean;
}

/** Reads how a request or a return went. */
export class Timelines {
  readonly #store: Store;
  readonly #journal: Journal;

  constructor(store: Store, journal: Journal) {
    this.#store = store;
    this.#journal = journal;
  }

  /** Throws REQUEST_NOT_FOUND. */
  async of(request_id: string): Promise<Timeline> {
    const request = await this.#store.get('request', { request_id });
    if (!request) throw requestNotFound(request_id);
    const finder = new MilestoneFinder(request);
    const events: EventRecord[] = [];
    let count = 0;
    for (let after = 0, more = true; more; ) {
      const part = await this.#journal.after(after, { request_id }, atOnce);
      for (const event of part.events) {
        finder.add(event);
        if (events.length < eventsShown) events.push(event);
      }
      count += part.events.length;
      ({ more, next: after } = part);
    }
    const living = await this.#store.count('machine', { request_id, gone_at: null });
    return { milestones: finder.milestones(living), events, more: count > events.length };
  }
}
