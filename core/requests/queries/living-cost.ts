import type { Clock } from '../../contract/clock.ts';
import type { Store } from '../../contract/storage.ts';
import { costOf } from '../../model/cost/cost.ts';
import { turn } from '../../collections/turn.ts';

/** What all living machines cost together. */
export interface RunningCost {
  /** US dollars an hour. */
  readonly usd_per_hour: number;
  /** Machines without a known price, which the sum leaves out. */
  readonly unpriced_machines: number;
}

/** How many machines are read at a time: a few milliseconds of work. */
const atOnce = 500;
/** The pause after reading, as a multiple of the time that it took: adding up takes at most this part of the time. */
const restFactor = 20;

const nothing: RunningCost = { usd_per_hour: 0, unpriced_machines: 0 };

/**
 * Adds up the prices of all living machines, only when it is asked. With few machines the sum is that of this moment;
 * with 100 000 it may be half a minute old.
 */
export class LivingCost {
  readonly #store: Store;
  readonly #clock: Clock;
  #known: { readonly changes: number; readonly cost: RunningCost; readonly good_until: number } | undefined;
  #reading: Promise<RunningCost> | undefined;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Which sum `read` would return at these changes of machines: equal numbers are equal sums. */
  keyAt(changes: number): number {
    const known = this.#known;
    return known === undefined || this.#clock.monotonic() >= known.good_until ? changes : known.changes;
  }

  /** The sum at these changes of machines, or an earlier one while that is kept. */
  async read(changes: number): Promise<RunningCost> {
    const known = this.#known;
    if (known && (changes === known.changes || this.keyAt(changes) === known.changes)) return known.cost;
    // Callers at the same time share one reading.
    this.#reading ??= this.#add(changes).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #add(changes: number): Promise<RunningCost> {
    const began = this.#clock.monotonic();
    let { usd_per_hour, unpriced_machines } = nothing;
    for (let offset = 0; ; offset += atOnce) {
      const machines = await this.#store.find('machine', {
        where: { gone_at: null },
        order: [['created_at', 'asc']],
        limit: atOnce,
        offset,
      });
      const cost = costOf(machines, began);
      usd_per_hour += cost.usd_per_hour;
      unpriced_machines += cost.unpriced_machines ?? 0;
      if (machines.length < atOnce) break;
      await turn();
    }
    const cost = { usd_per_hour: Math.round(usd_per_hour * 1e6) / 1e6, unpriced_machines };
    const now = this.#clock.monotonic();
    this.#known = { changes, cost, good_until: now + (now - began) * restFactor };
    return cost;
  }
}
