import type { Query, Store } from '../contract/storage.ts';
import type { EventRecord } from '../model/records.ts';
import { answerBytes, weightOf } from '../requests/queries/answer-budget.ts';
import { idsNamed, matching, type EventFilter } from './event-filter.ts';
import { lastRemoved } from './removed-events.ts';

/** Why events may be missing before those that were read. */
export interface Gap {
  /**
   * `removed`: the retention removed some of the events behind `after`, up to `until`. `unknown`: the journal never had
   * the event `after`; reading goes on behind `until`, its last one.
   */
  readonly reason: 'removed' | 'unknown';
  readonly after: number;
  readonly until: number;
}

/** A part of the journal. */
export interface JournalPart {
  /** In ascending order. */
  readonly events: readonly EventRecord[];
  /** The last event that was seen: the next part goes on behind it. Filtered events count as seen. */
  readonly next: number;
  /** Whether the part ends before the end of the journal. */
  readonly more: boolean;
  readonly gap?: Gap;
}

/** How many events are read at once, and examined for one part when no index has the filter. */
const windowSize = 200;
const maxExamined = 4_000;

type Where = NonNullable<Query<'event'>['where']>;

/**
 * Reads the journal in bounded parts, whatever the filter. Events are numbered in the order in which they become
 * visible, so a reader that goes on behind the last seen one misses none.
 */
export class Journal {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The number of the last event; 0 in an empty journal. */
  async last(): Promise<number> {
    const [newest] = await this.#store.find('event', { order: [['seq', 'desc']], limit: 1 });
    return newest?.seq ?? 0;
  }

  /** The next events of any kind. Without a check for gaps: for a reader that follows the journal. */
  next(after: number, limit: number): Promise<readonly EventRecord[]> {
    return this.#store.find('event', { where: { seq: { after } }, limit });
  }

  /** The events behind `after`, oldest first: at most `limit`, and as many as fit into one answer. */
  async after(after: number, filter: EventFilter, limit: number): Promise<JournalPart> {
    // Read before the events: all up to this one are visible to the reads below.
    const last = await this.last();
    const gap = await this.#gap(after, last, filter);
    if (gap?.reason === 'unknown') return { events: [], next: last, more: false, gap };
    const found = await this.#examine('asc', after, filter, limit);
    const next = found.more ? found.position : Math.max(last, found.position);
    return { events: found.events, next, more: found.more, ...(gap ? { gap } : {}) };
  }

  /** The latest events, oldest first: at most `limit`, and as many as fit into one answer. */
  async latest(filter: EventFilter, limit: number): Promise<JournalPart> {
    const last = await this.last();
    const { events } = await this.#examine('desc', last + 1, filter, limit);
    return { events: events.toReversed(), next: last, more: false };
  }

  /** Examines the events from a position on, until there are enough. */
  async #examine(direction: 'asc' | 'desc', from: number, filter: EventFilter, limit: number) {
    const { sources, exact } = await this.#sources(filter);
    const matches = matching(filter);
    const events: EventRecord[] = [];
    let position = from;
    let bytes = 0;
    for (let examined = 0; ; ) {
      const size = exact ? Math.min(windowSize, limit - events.length) : windowSize;
      const { found, complete } = await this.#window(sources, direction, position, size);
      for (const event of found) {
        const isMatch = matches(event);
        if (isMatch) bytes += weightOf(event);
        if (isMatch && bytes > answerBytes && events.length > 0) return { events, position, more: true };
        position = event.seq;
        if (isMatch) events.push(event);
        if (events.length === limit) return { events, position, more: true };
      }
      if (complete) return { events, position, more: false };
      examined += found.length;
      if (examined >= maxExamined) return { events, position, more: true };
    }
  }

  /** The next events of all sources together. */
  async #window(sources: readonly Where[], direction: 'asc' | 'desc', from: number, limit: number) {
    const seq = direction === 'asc' ? { after: from } : { before: from };
    const order = [['seq', direction]] as const;
    const parts = await Promise.all(
      sources.map((where) => this.#store.find('event', { where: { ...where, seq }, order, limit })),
    );
    const sign = direction === 'asc' ? 1 : -1;
    const all = parts.flat().toSorted((a, b) => sign * (a.seq - b.seq));
    const full = parts.filter((part) => part.length === limit);
    // What lies behind the end of a full part may have events between those of the others.
    const ends = full.map((part) => sign * (part.at(-1)?.seq ?? 0));
    const found = full.length === 0 ? all : all.filter((event) => sign * event.seq <= Math.min(...ends));
    return { found, complete: full.length === 0 };
  }

  /** Conditions that an index has, which together leave every event of the filter; `exact`: and no other event. */
  async #sources(filter: EventFilter): Promise<{ readonly sources: readonly Where[]; readonly exact: boolean }> {
    const { type, request_id, machine_id } = filter;
    if (request_id !== undefined)
      return { sources: [{ request_id }], exact: type === undefined && machine_id === undefined };
    if (machine_id !== undefined) {
      const requests = await this.#requestsOf(machine_id);
      // The record of a machine is removed before its events.
      return { sources: requests.length === 0 ? [{}] : requests.map((id) => ({ request_id: id })), exact: false };
    }
    return { sources: type?.map((each) => ({ type: each })) ?? [{}], exact: true };
  }

  /** The request of a machine and the return that took it back: their events are those of the machine. */
  async #requestsOf(name: string): Promise<readonly string[]> {
    const ids = idsNamed(name).map(({ machine_id }) => machine_id);
    const machines = await this.#store.find('machine', { where: { machine_id: ids } });
    return [...new Set(machines.flatMap(({ request_id, return_id }) => [request_id, return_id ?? []].flat()))];
  }

  async #gap(after: number, last: number, { request_id }: EventFilter): Promise<Gap | undefined> {
    if (after > last) return { reason: 'unknown', after, until: last };
    const removed = await lastRemoved(this.#store);
    if (after >= removed) return undefined;
    // Events of a request that exists are never removed.
    if (request_id !== undefined && (await this.#store.get('request', { request_id }))) return undefined;
    return { reason: 'removed', after, until: removed };
  }
}
