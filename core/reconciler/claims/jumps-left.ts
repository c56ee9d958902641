import { LRUCache } from 'lru-cache';
import type { RequestRecord } from '../../model/request.ts';
import type { Claim } from '../../contract/storage.ts';
import type { ClaimedRequest } from './claimed-request.ts';

/** Most of those that were forgotten come back within a lease, or another process has them. */
const mostRemembered = 20_000;

interface Left {
  epoch: number;
  /** By how much the request shall have been moved, whether or not that is stored. */
  moved_ms: number;
}

/** By how much requests shall have been moved of which this process lost the claim: the clock may be set again before it gets it back. */
export class JumpsLeft {
  readonly #left = new LRUCache<string, Left>({ max: mostRemembered });

  /** The claim of a holding ended. */
  leave({ request_id, claim, pending_shift, case: { request } }: ClaimedRequest): void {
    this.#left.set(request_id, { epoch: claim.epoch, moved_ms: (request.moved_ms ?? 0) + pending_shift });
  }

  /** It is claimed again, and cannot be loaded yet: nobody else had it in between. */
  claimed({ request_id, epoch }: Claim): void {
    const left = this.#left.get(request_id);
    if (left?.epoch === epoch - 1) left.epoch = epoch;
  }

  /** The clock was set by so many milliseconds. */
  jumped(ms: number): void {
    for (const left of this.#left.values()) left.moved_ms += ms;
  }

  /** By how much a request still has to be moved that is claimed again. Undefined: it was not held here last, and whoever held it judged by a clock of its own. */
  take({ request_id, epoch }: Claim, loaded: RequestRecord): number | undefined {
    const left = this.#left.get(request_id);
    this.#left.delete(request_id);
    return left === undefined || epoch > left.epoch + 1 ? undefined : left.moved_ms - (loaded.moved_ms ?? 0);
  }
}
