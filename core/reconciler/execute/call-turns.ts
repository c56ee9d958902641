import pLimit, { type LimitFunction } from 'p-limit';
import type { ClaimedRequest } from '../claims/claimed-request.ts';

interface WaitingLaunch {
  readonly instance: string;
  recall(): void;
}

/**
 * The turns of calls that change a cloud: a few at a time for each instance. A launch that waits for its turn can be
 * recalled: its order may be needless by now, or the instance does not answer. Releases keep their place.
 */
export class CallTurns {
  readonly #limits = new Map<string, LimitFunction>();
  readonly #waiting = new Set<WaitingLaunch>();
  readonly #mostAtOnce: (instance: string) => number;

  constructor(mostAtOnce: (instance: string) => number) {
    this.#mostAtOnce = mostAtOnce;
  }

  /** Makes a call in its turn. */
  take<T>(instance: string, call: () => Promise<T>): Promise<T> {
    return this.#limitOf(instance)(call);
  }

  /** Makes the call that sends an order in its turn. Resolves with undefined when it was recalled before. */
  takeForLaunch<T>(instance: string, claimed: ClaimedRequest, call: () => Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const waiting: WaitingLaunch = {
        instance,
        recall: () => {
          this.#waiting.delete(waiting);
          claimed.waitingLaunches.delete(waiting);
          resolve(undefined);
        },
      };
      this.#waiting.add(waiting);
      claimed.waitingLaunches.add(waiting);
      void this.#limitOf(instance)(async () => {
        if (!this.#waiting.delete(waiting)) return;
        claimed.waitingLaunches.delete(waiting);
        await call().then(resolve, reject);
      });
    });
  }

  /** Recalls all launches that wait for an instance. */
  recallAt(instance: string): void {
    for (const each of this.#waiting) if (each.instance === instance) each.recall();
  }

  #limitOf(instance: string): LimitFunction {
    const most = this.#mostAtOnce(instance);
    let limit = this.#limits.get(instance);
    if (!limit) this.#limits.set(instance, (limit = pLimit(most)));
    if (limit.concurrency !== most) limit.concurrency = most;
    return limit;
  }
}
