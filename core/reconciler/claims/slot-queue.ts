import type { ClaimedRequest } from './claimed-request.ts';

/** Asks again after this time without a word: requests of other processes have slots too. */
const firstAsksMs = 1_000;
const othersAskMs = 10_000;

/**
 * Requests held here that wait for a slot of an instance, in the order in which they were accepted. The store decides who gets one; the queue spares it the
 * questions of those who cannot be next, and wakes whoever can.
 */
export class SlotQueue {
  readonly #waiting = new Map<string, ClaimedRequest[]>();
  readonly #wake: (claimed: ClaimedRequest) => void;

  constructor(wake: (claimed: ClaimedRequest) => void) {
    this.#wake = wake;
  }

  /** Whether nobody who was accepted earlier waits here for the instance. */
  mayAsk(claimed: ClaimedRequest, instance: string): boolean {
    const [first] = this.#of(instance).filter((each) => !each.lost);
    return first === undefined || first === claimed || isEarlier(claimed, first);
  }

  /** It was refused, or may not ask yet. */
  wait(claimed: ClaimedRequest, instance: string, why: string): void {
    this.leave(claimed, instance);
    const others = this.#of(instance).filter((each) => each !== claimed);
    const waiting = [...others, claimed].toSorted((a, b) => (isEarlier(a, b) ? -1 : 1));
    this.#waiting.set(instance, waiting);
    claimed.holdBack(why, waiting[0] === claimed ? firstAsksMs : othersAskMs);
  }

  /** It waits no longer, but for this instance if one is named: the next may ask. */
  leave(claimed: ClaimedRequest, except?: string): void {
    for (const [instance, waiting] of this.#waiting) {
      if (instance === except || !waiting.includes(claimed)) continue;
      this.#waiting.set(
        instance,
        waiting.filter((each) => each !== claimed),
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

  #of(instance: string): ClaimedRequest[] {
    return this.#waiting.get(instance) ?? [];
  }
}

function isEarlier(a: ClaimedRequest, b: ClaimedRequest): boolean {
  const [x, y] = [a.case.request, b.case.request];
  return x.created_at < y.created_at || (x.created_at === y.created_at && x.request_id < y.request_id);
}
