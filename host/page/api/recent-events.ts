import type { JournalEvent } from './shapes.ts';

/** The latest events up to a number, so that a day's events need no more memory than an hour's. */
export class RecentEvents {
  readonly most: number;
  #events: readonly JournalEvent[] = [];

  constructor(most: number) {
    this.most = most;
  }

  add(events: readonly JournalEvent[]): void {
    this.#events = [...this.#events, ...events].slice(-this.most);
  }

  clear(): void {
    this.#events = [];
  }

  newestFirst(): readonly JournalEvent[] {
    return this.#events.toReversed();
  }
}
