import type { Clock } from '../../contract/clock.ts';
import type { Store } from '../../contract/storage.ts';
import { takenByAll } from './sink-cursor.ts';

/** What the journal tells is kept so long at least. */
const keepMs = 30 * 86_400_000;
/** An event sink that took nothing for so long is not waited for: it is out of the configuration, or nobody cares that it fails. */
const patienceMs = 2 * keepMs;
const atOnce = 150;
/** A busy broker writes a few hundred entries a second, and as many have to go. */
const stepsAtOnce = 10;
const pauseMs = 1_000;
/** Between two looks at all that is old. */
const roundMs = 3_600_000;

/** The old end of the journal. An entry is kept as long as its request, and at least a month; here those go that are older and whose request was purged, unless an event sink has still to be told of them. */
export class EventRetention {
  readonly #store: Store;
  readonly #clock: Clock;
  #next = 0;
  #passed = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Some of it, when it is time. */
  async retention(): Promise<void> {
    if (this.#clock.monotonic() < this.#next) return;
    let more = true;
    for (let i = 0; more && i < stepsAtOnce; i++) more = await this.#step();
    this.#next = this.#clock.monotonic() + (more ? pauseMs : roundMs);
  }

  /** Whether there may be more to look at. */
  async #step(): Promise<boolean> {
    const now = this.#clock.now();
    const before = now - keepMs;
    const told = await takenByAll(this.#store, now, patienceMs);
    // In the order in which they were written: those after the first young one are as young.
    const oldest = await this.#store.find('event', { where: { seq: { after: this.#passed } }, limit: atOnce });
    const young = oldest.findIndex(({ at }) => at >= before);
    const old = young < 0 ? oldest : oldest.slice(0, young);
    const request_id = [...new Set(old.flatMap((event) => event.request_id ?? []))];
    const kept = new Set((await this.#store.versions({ where: { request_id } })).map((request) => request.request_id));
    const over = old.filter((event) => event.seq <= told && (event.request_id === undefined || !kept.has(event.request_id)));
    if (over.length > 0) await this.#store.commit(over.map(({ seq }) => ({ op: 'delete', kind: 'event', key: { seq } })));
    const more = old.length === atOnce;
    this.#passed = more ? (old.at(-1)?.seq ?? 0) : 0;
    return more;
  }
}
