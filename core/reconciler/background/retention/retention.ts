import type { Clock } from '../../../contract/clock.ts';
import type { Fence, Store } from '../../../contract/storage.ts';
import { Job, type JobParts } from '../job.ts';
import { EventRetention } from './event-retention.ts';
import { KeyRetention } from './key-retention.ts';

const everyMs = 600_000;
const atOnce = 150;
const afterFailureMs = 60_000;
/** The time after which the job is asked for again when another broker has it. */
const otherMs = 60_000;

/**
 * Removes expired facts, and the Idempotency-Keys and events of requests that were purged long ago. One broker on a
 * store does it.
 */
export class Retention {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #job: Job;
  readonly #keyRetention: KeyRetention;
  readonly #journal: EventRetention;
  #next = 0;
  #notBefore = -Infinity;

  constructor(parts: JobParts) {
    const { store, clock } = parts;
    this.#store = store;
    this.#clock = clock;
    this.#job = new Job('retention', parts);
    this.#keyRetention = new KeyRetention(store, clock);
    this.#journal = new EventRetention(store, clock);
  }

  /** Runs the parts that are due. Pauses after a failure. */
  async run(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now < this.#notBefore || !(now >= this.#next || this.#keyRetention.due || this.#journal.due)) return;
    // Rounds overlap: only one of them works.
    this.#notBefore = Infinity;
    let pauseMs = 0;
    try {
      const fence = await this.#job.take();
      if (fence) await this.#runDue(fence);
      else pauseMs = otherMs;
    } catch (error) {
      pauseMs = afterFailureMs;
      throw error;
    } finally {
      this.#notBefore = this.#clock.monotonic() + pauseMs;
    }
  }

  async #runDue(fence: Fence): Promise<void> {
    await this.#keyRetention.run([fence]);
    await this.#journal.run([fence]);
    if (this.#clock.monotonic() < this.#next) return;
    this.#next = this.#clock.monotonic() + everyMs;
    const over = await this.#store.find('fact', { where: { until: { before: this.#clock.now() } }, limit: atOnce });
    // When there were more, the next call continues.
    if (over.length === atOnce) this.#next = 0;
    if (over.length === 0) return;
    await this.#store.commit([
      fence,
      ...over.map(({ topic, name, item }) => ({ op: 'delete', kind: 'fact', key: { topic, name, item } }) as const),
    ]);
  }
}
