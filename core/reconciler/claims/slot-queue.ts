import type { ClaimedRequest } from './claimed-request.ts';

/** The waits before a retry without a notice, because other processes have slots too. */
const firstAsksMs = 1_000;
const othersAskMs = 10_000;

/**
 * Held requests that wait for a slot of an instance, in the order of acceptance. The store assigns the slots; the
 * queue avoids commits of requests that cannot be next, and wakes the request that can.
 */
export class SlotQueue {
  readonly #waiting = new Map<string, ClaimedRequest[]>();
  readonly #wake: (claimed: ClaimedRequest) => void;

  constructor(wake: (claimed: ClaimedRequest) => void) {
    this.#wake = wake;
  }

  /** Whether no earlier request waits here for the instance. */
  mayAsk(claimed: ClaimedRequest, instance: string): boolean {
    const [first] = this.#of(instance).filter((each) => !each.lost);
    return first === undefined || first === claimed || isEarlier(claimed, first);
  }

  /** The request was refused, or must not ask yet. */
  wait(claimed: ClaimedRequest, instance: string, why: string): void {
    this.leave(claimed, instance);
    const others = this.#of(instance).filter((each) => each !== claimed);
    const waiting = [...others, claimed].toSorted((a, b) => (isEarlier(a, b) ? -1 : 1));
    this.#waiting.set(instance, waiting);
    claimed.holdBack(why, waiting[0] === claimed ? firstAsksMs : othersAskMs);
  }

  /** The request no longer waits, except for the instance `except`. The next request may ask. */
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

  /** An attempt at the instance ended. */
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
  const [x, y] = [a.state.request, b.state.request];
  return x.created_at < y.created_at || (x.created_at === y.created_at && x.request_id < y.request_id);
}
