import type { Clock } from '../../../contract/clock.ts';
import type { KeyRecord } from '../../../model/records.ts';
import type { Change, Store } from '../../../contract/storage.ts';

const week = 7 * 86_400_000;
const atOnce = 150;
/** The intervals between rounds, and between the steps of a round. */
const roundMs = 3_600_000;
const stepMs = 1_000;

/**
 * Removes old Idempotency-Keys. A key is kept as long as its request, and at least a week. When its request is purged,
 * the key is marked and refuses calls for another week; then it is removed here. Keys of existing requests are skipped
 * in small steps.
 */
export class KeyRetention {
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

  /** Runs one step when it is due. Its commit contains the conditions. */
  async run(conditions: readonly Change[] = []): Promise<void> {
    if (!this.due) return;
    const now = this.#clock.now();
    const old = await this.#store.find('key', {
      where: { created_at: { before: now - 2 * week, after: this.#passed } },
      order: [['created_at', 'asc']],
      limit: atOnce,
    });
    const over = old.filter((key) => isOver(key, now));
    if (over.length > 0)
      await this.#store.commit([
        ...conditions,
        ...over.map(({ scope, key }) => ({ op: 'delete', kind: 'key', key: { scope, key } }) as const),
      ]);
    const more = old.length === atOnce;
    this.#passed = more ? (old.at(-1)?.created_at ?? 0) : 0;
    this.#next = this.#clock.monotonic() + (more ? stepMs : roundMs);
  }
}

/** Only for keys that are at least two weeks old. */
const isOver = ({ purged_at }: KeyRecord, now: number): boolean => purged_at !== undefined && purged_at + week < now;
