import pLimit, { type LimitFunction } from 'p-limit';
import type { ClaimedRequest } from '../claims/claimed-request.ts';

interface WaitingCall {
  readonly instance: string;
  recall(): void;
}

/**
 * The turns of calls that change a cloud: a few at a time for each instance. A call that waits for its turn can be
 * recalled, so that its request is planned again: the instance may not answer, or a caller wants something else.
 */
export class CallTurns {
  readonly #limits = new Map<string, LimitFunction>();
  readonly #waiting = new Set<WaitingCall>();
  readonly #mostAtOnce: (instance: string) => number;

  constructor(mostAtOnce: (instance: string) => number) {
    this.#mostAtOnce = mostAtOnce;
  }

  /** Makes a call for a request when it is its turn. Resolves with undefined when the call was recalled before. */
  take<T>(instance: string, claimed: ClaimedRequest, call: () => Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const waiting: WaitingCall = {
        instance,
        recall: () => {
          this.#waiting.delete(waiting);
          claimed.waitingCalls.delete(waiting);
          resolve(undefined);
        },
      };
      this.#waiting.add(waiting);
      claimed.waitingCalls.add(waiting);
      void this.#limitOf(instance)(async () => {
        if (!this.#waiting.delete(waiting)) return;
        claimed.waitingCalls.delete(waiting);
        await call().then(resolve, reject);
      });
    });
  }

  /** Recalls all calls that wait for an instance. */
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
