import { LRUCache } from 'lru-cache';
import type { RequestRecord } from '../../model/request.ts';
import type { Claim } from '../../storage.ts';
import type { Holding } from './holding.ts';

/** Most of those that were forgotten come back within a lease, or another process has them. */
const mostRemembered = 20_000;

interface Left {
  readonly epoch: number;
  /** How many jumps the times of the request had been moved by, and what was still to be stored then. */
  readonly shifts: number;
  readonly pending: number;
  /** By how much the clock was set since. */
  readonly since: number;
}

/** By how much the clock was set under claims of this process that ended before that could be stored, and since they ended. */
export class JumpsLeft {
  readonly #left = new LRUCache<string, Left>({ max: mostRemembered });

  /** The claim of a holding ended. */
  leave({ request_id, claim, pending_shift, case: { request } }: Holding): void {
    this.#left.set(request_id, { epoch: claim.epoch, shifts: request.shifts ?? 0, pending: pending_shift, since: 0 });
  }

  /** The clock was set by so many milliseconds. */
  jumped(ms: number): void {
    for (const [request_id, left] of [...this.#left.entries()]) this.#left.set(request_id, { ...left, since: left.since + ms });
  }

  /** By how much the times of a request have to be moved that is claimed again; 0 where another process held it meanwhile, which judged by a clock of its own. */
  take({ request_id, epoch }: Claim, loaded: RequestRecord): number {
    const left = this.#left.get(request_id);
    this.#left.delete(request_id);
    if (left === undefined || epoch > left.epoch + 1) return 0;
    // The outcome of the last commit may have been unknown: what was pending may be stored.
    const isStored = (loaded.shifts ?? 0) > left.shifts;
    return (isStored ? 0 : left.pending) + left.since;
  }
}
