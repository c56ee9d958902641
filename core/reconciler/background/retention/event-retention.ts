import type { Clock } from '../../../contract/clock.ts';
import type { Change, Store } from '../../../contract/storage.ts';
import { lastRemoved, removalRecorded } from '../../../journal/removed-events.ts';
import { takenByAll } from '../sink-cursor.ts';

/** The minimum age of removed events. */
const keepMs = 30 * 86_400_000;
/**
 * A sink without a delivery for this time no longer delays the removal: it was removed from the configuration, or its
 * failure is ignored.
 */
const patienceMs = 2 * keepMs;
const atOnce = 150;
/** The number of steps per call. A busy broker writes a few hundred events a second, and as many must be removed. */
const stepsAtOnce = 10;
const pauseMs = 1_000;
/** The interval between full passes over the old events. */
const roundMs = 3_600_000;

/**
 * Removes old events. An event is kept as long as its request, and at least a month. Older events of purged requests
 * are removed, unless an event sink has not received them yet.
 */
export class EventRetention {
  readonly #store: Store;
  readonly #clock: Clock;
  #next = 0;
  #passed = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  get due(): boolean {
    return this.#clock.monotonic() >= this.#next;
  }

  /** Runs a part of the removal when it is due. Each commit contains the conditions. */
  async run(conditions: readonly Change[] = []): Promise<void> {
    if (!this.due) return;
    let more = true;
    for (let i = 0; more && i < stepsAtOnce; i++) more = await this.#step(conditions);
    this.#next = this.#clock.monotonic() + (more ? pauseMs : roundMs);
  }

  /** Returns whether there may be more old events. */
  async #step(conditions: readonly Change[]): Promise<boolean> {
    const now = this.#clock.now();
    const before = now - keepMs;
    const deliveredToAll = await takenByAll(this.#store, now, patienceMs);
    // The events are in order of time, so everything after the first young one is young too.
    const oldest = await this.#store.find('event', { where: { seq: { after: this.#passed } }, limit: atOnce });
    const young = oldest.findIndex(({ at }) => at >= before);
    const old = young < 0 ? oldest : oldest.slice(0, young);
    const request_id = [...new Set(old.flatMap((event) => event.request_id ?? []))];
    const kept = new Set((await this.#store.versions({ where: { request_id } })).map((request) => request.request_id));
    const over = old.filter(
      (event) => event.seq <= deliveredToAll && (event.request_id === undefined || !kept.has(event.request_id)),
    );
    if (over.length > 0)
      await this.#store.commit([
        ...conditions,
        removalRecorded(over.at(-1)?.seq ?? 0, await lastRemoved(this.#store), now),
        ...over.map(({ seq }) => ({ op: 'delete', kind: 'event', key: { seq } }) as const),
      ]);
    const more = old.length === atOnce;
    this.#passed = more ? (old.at(-1)?.seq ?? 0) : 0;
    return more;
  }
}
