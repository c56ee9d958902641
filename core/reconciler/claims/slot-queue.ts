import type { Holding } from './claimed-request.ts';

/** Asks again after this time without a word: requests of other processes have slots too. */
const firstAsksMs = 1_000;
const othersAskMs = 10_000;

/**
 * Requests held here that wait for a slot of an instance, in the order in which they were accepted. The store decides who gets one; the queue spares it the
 * questions of those who cannot be next, and wakes whoever can.
 */
export class SlotQueue {
  readonly #waiting = new Map<string, Holding[]>();
  readonly #wake: (holding: Holding) => void;

  constructor(wake: (holding: Holding) => void) {
    this.#wake = wake;
  }

  /** Whether nobody who was accepted earlier waits here for the instance. */
  mayAsk(holding: Holding, instance: string): boolean {
    const [first] = this.#of(instance).filter((each) => !each.lost);
    return first === undefined || first === holding || isEarlier(holding, first);
  }

  /** It was refused, or may not ask yet. */
  wait(holding: Holding, instance: string, why: string): void {
    this.leave(holding, instance);
    const others = this.#of(instance).filter((each) => each !== holding);
    const waiting = [...others, holding].toSorted((a, b) => (isEarlier(a, b) ? -1 : 1));
    this.#waiting.set(instance, waiting);
    holding.holdBack(why, waiting[0] === holding ? firstAsksMs : othersAskMs);
  }

  /** It waits no longer, but for this instance if one is named: the next may ask. */
  leave(holding: Holding, except?: string): void {
    for (const [instance, waiting] of this.#waiting) {
      if (instance === except || !waiting.includes(holding)) continue;
      this.#waiting.set(
        instance,
        waiting.filter((each) => each !== holding),
      );
      this.freed(instance);
    }
  }

  /** An attempt at the instance came to its end. */
  freed(instance: string): void {
    const present = this.#of(instance).filter((each) => !each.lost);
    this.#waiting.set(instance, present);
    const [first] = present;
    if (!first) return;
    first.held_back = undefined;
    this.#wake(first);
  }

  #of(instance: string): Holding[] {
    return this.#waiting.get(instance) ?? [];
  }
}

function isEarlier(a: Holding, b: Holding): boolean {
  const [x, y] = [a.case.request, b.case.request];
  return x.created_at < y.created_at || (x.created_at === y.created_at && x.request_id < y.request_id);
}
