import type { Clock } from '../../contract/clock.ts';
import type { KeyRecord } from '../../model/records.ts';
import type { Store } from '../../contract/storage.ts';

const week = 7 * 86_400_000;
const atOnce = 150;
/** Between two rounds, and between two steps of one. */
const roundMs = 3_600_000;
const stepMs = 1_000;

/**
 * Idempotency-Keys in their last stage. A key is kept as long as its request, and at least a week; what purges the request leaves a tombstone, which
 * refuses the key for a week more. Here the tombstones go; keys whose request lives are passed over, a few at a time.
 */
export class MachineRetention {
  readonly #store: Store;
  readonly #clock: Clock;
  #next = 0;
  #passed = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** One step, when it is time for one. */
  async retention(): Promise<void> {
    if (this.#clock.monotonic() < this.#next) return;
    const now = this.#clock.now();
    const old = await this.#store.find('key', {
      where: { created_at: { before: now - 2 * week, after: this.#passed } },
      order: [['created_at', 'asc']],
      limit: atOnce,
    });
    const over = old.filter((key) => isOver(key, now));
    if (over.length > 0) await this.#store.commit(over.map(({ scope, key }) => ({ op: 'delete', kind: 'key', key: { scope, key } })));
    const more = old.length === atOnce;
    this.#passed = more ? (old.at(-1)?.created_at ?? 0) : 0;
    this.#next = this.#clock.monotonic() + (more ? stepMs : roundMs);
  }
}

/** Of a key that is two weeks old already. */
const isOver = ({ purged_at }: KeyRecord, now: number): boolean => purged_at !== undefined && purged_at + week < now;
