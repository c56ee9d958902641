import { recentlyUsed } from '../../collections/recently-used.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { Claim } from '../../contract/storage.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';

/** The maximum number of remembered requests. Most of them are claimed again within a lease, here or elsewhere. */
const mostRemembered = 20_000;

interface Left {
  epoch: number;
  /** By how much the request should have been moved in total, stored or not. */
  shifted_ms: number;
}

/**
 * The clock shifts of requests whose claim this process lost, because the clock may be set again before they are
 * claimed again.
 */
export class UnstoredShifts {
  readonly #left = recentlyUsed<Left>(mostRemembered);

  /** Remembers the shift of a request whose claim ended. */
  leave({ request_id, claim, pending_shift, state: { request } }: ClaimedRequest): void {
    this.#left.set(request_id, { epoch: claim.epoch, shifted_ms: (request.shifted_ms ?? 0) + pending_shift });
  }

  /** The request was claimed again and could not be loaded; no other process held it in between. */
  claimed({ request_id, epoch }: Claim): void {
    const left = this.#left.get(request_id);
    if (left?.epoch === epoch - 1) left.epoch = epoch;
  }

  /** The clock was set by this number of milliseconds. */
  shifted(ms: number): void {
    for (const left of this.#left.values()) left.shifted_ms += ms;
  }

  /**
   * By how much a newly claimed request must still be moved. Undefined: another process held it last, with its own
   * clock.
   */
  take({ request_id, epoch }: Claim, loaded: RequestRecord): number | undefined {
    const left = this.#left.get(request_id);
    this.#left.delete(request_id);
    return left === undefined || epoch > left.epoch + 1 ? undefined : left.shifted_ms - (loaded.shifted_ms ?? 0);
  }
}
