import pLimit, { type LimitFunction } from 'p-limit';
import type { ClaimedRequest, WaitingCall } from '../claims/claimed-request.ts';

/**
 * The turns of calls that change a cloud: a few at a time for each instance. A launch that waits for its turn can be
 * recalled: its order may be needless by now, or the instance does not answer. Releases keep their place as long as
 * the claim is held.
 */
export class CallTurns {
  readonly #limits = new Map<string, LimitFunction>();
  readonly #launches = new Map<WaitingCall, string>();
  readonly #mostAtOnce: (instance: string) => number;

  constructor(mostAtOnce: (instance: string) => number) {
    this.#mostAtOnce = mostAtOnce;
  }

  /** Makes a call in its turn. Resolves with undefined when it was recalled before. */
  take<T>(
    instance: string,
    claimed: ClaimedRequest,
    isLaunch: boolean,
    call: () => Promise<T>,
  ): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const leave = (): boolean => {
        this.#launches.delete(waiting);
        return claimed.waitingCalls.delete(waiting);
      };
      const waiting: WaitingCall = {
        isLaunch,
        recall() {
          leave();
          resolve(undefined);
        },
      };
      claimed.waitingCalls.add(waiting);
      if (isLaunch) this.#launches.set(waiting, instance);
      void this.#limitOf(instance)(async () => {
        if (leave()) await call().then(resolve, reject);
      });
    });
  }

  /** Recalls all launches that wait for an instance. */
  recallAt(instance: string): void {
    for (const [launch, where] of this.#launches) if (where === instance) launch.recall();
  }

  #limitOf(instance: string): LimitFunction {
    const most = this.#mostAtOnce(instance);
    let limit = this.#limits.get(instance);
    if (!limit) this.#limits.set(instance, (limit = pLimit(most)));
    if (limit.concurrency !== most) limit.concurrency = most;
    return limit;
  }
}
