import pLimit, { type LimitFunction } from 'p-limit';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { ClaimedRequest, WaitingCall } from '../claims/claimed-request.ts';

/** A call to make: a launch of an attempt, or what ends something of it. */
export interface CallInTurn {
  readonly attempt: AttemptRecord;
  readonly isLaunch: boolean;
}

/** One turn of so many is a first launch's, while some wait: releases that fail are repeated all the time. */
const turnsForLaunch = 4;

/** The calls that wait for an instance. */
interface Line {
  readonly limit: LimitFunction;
  readonly launches: Set<Waiting>;
  readonly urgent: Set<Waiting>;
  /** How many turns urgent calls had since a first launch had one. */
  urgentInRow: number;
}

interface Waiting extends WaitingCall {
  make(): Promise<void>;
}

/**
 * The turns of calls that change a cloud: a few at a time for each instance. What ends machines, and orders that are
 * repeated because their machines may run already, come before first launches. A first launch that waits for its turn
 * can be recalled: its order may be needless by now, or the instance does not answer. The others keep their place as
 * long as the claim is held.
 */
export class CallTurns {
  readonly #lines = new Map<string, Line>();
  readonly #mostAtOnce: (instance: string) => number;

  constructor(mostAtOnce: (instance: string) => number) {
    this.#mostAtOnce = mostAtOnce;
  }

  /** Makes a call in its turn. Resolves with undefined when it was recalled before. */
  take<T>({ attempt, isLaunch }: CallInTurn, claimed: ClaimedRequest, call: () => Promise<T>): Promise<T | undefined> {
    const line = this.#lineOf(attempt.provider_instance);
    const isFirstLaunch = isLaunch && attempt.unsent;
    const own = isFirstLaunch ? line.launches : line.urgent;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        own.delete(waiting);
        claimed.waitingCalls.delete(waiting);
      };
      const waiting: Waiting = {
        attempt: attempt.attempt,
        isFirstLaunch,
        recall() {
          leave();
          resolve(undefined);
        },
        make() {
          leave();
          return call().then(resolve, reject);
        },
      };
      own.add(waiting);
      claimed.waitingCalls.add(waiting);
      // Each turn goes to who is first then. The turn of a call that was recalled has nobody.
      void line.limit(async () => nextOf(line)?.make());
    });
  }

  /** Recalls all launches that wait for an instance. */
  recallAt(instance: string): void {
    for (const launch of this.#lines.get(instance)?.launches ?? []) launch.recall();
  }

  #lineOf(instance: string): Line {
    const most = this.#mostAtOnce(instance);
    let line = this.#lines.get(instance);
    if (!line)
      this.#lines.set(
        instance,
        (line = { limit: pLimit(most), launches: new Set(), urgent: new Set(), urgentInRow: 0 }),
      );
    if (line.limit.concurrency !== most) line.limit.concurrency = most;
    return line;
  }
}

function nextOf(line: Line): Waiting | undefined {
  const isLaunch = line.urgent.size === 0 || (line.launches.size > 0 && line.urgentInRow >= turnsForLaunch - 1);
  line.urgentInRow = isLaunch ? 0 : line.urgentInRow + 1;
  const [first] = isLaunch ? line.launches : line.urgent;
  return first;
}
