import { newEvent } from '../../contract/commits/new-event.ts';
import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { Claim, Store } from '../../contract/storage.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { Settings } from '../settings.ts';
import { ClockWatch } from './clock-watch.ts';
import { UnstoredShifts } from './unstored-shifts.ts';

/** The epoch of a request that was never claimed before. */
const firstEpoch = 1;

export interface ClockShiftParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
}

/** Moves the times of the requests of this process when the clock of the host was set; see `shiftTimes`. */
export class ClockShifts {
  readonly #parts: ClockShiftParts;
  readonly #watch: ClockWatch;
  readonly #unstored = new UnstoredShifts();

  constructor(parts: ClockShiftParts) {
    this.#parts = parts;
    this.#watch = new ClockWatch(parts.clock, parts.settings.clock_check_ms, parts.settings.clock_shift_ms);
  }

  /** Marks the held requests that must be moved. Cheap: called before every decision by time. */
  compare(held: Iterable<ClaimedRequest>): void {
    const shift = this.#watch.check();
    if (shift === undefined) return;
    for (const claimed of held) {
      if (shift === 0) claimed.follow();
      else {
        claimed.pending_shift += shift;
        claimed.due_at = 0;
        claimed.planAgain();
      }
    }
    if (shift === 0) return;
    this.#unstored.shifted(shift);
    const { store, clock, log } = this.#parts;
    const seconds = Math.round(shift / 1000);
    log.warn(
      { seconds },
      'The clock of this host was set, or the host was suspended; the times of open requests are moved accordingly.',
    );
    store
      .commit([newEvent(clock.now(), 'clock.shifted', { seconds })])
      .catch((error: unknown) =>
        log.warn({ err: error }, 'The event about the shift of the clock could not be stored.'),
      );
  }

  /** Remembers the shift of a request whose claim ended. */
  leave(claimed: ClaimedRequest): void {
    this.#unstored.leave(claimed);
  }

  /** The request was claimed again and could not be loaded. */
  notLoaded(claim: Claim): void {
    this.#unstored.claimed(claim);
  }

  /** By how many milliseconds a newly claimed request must still be moved. */
  missedBy(claim: Claim, loaded: RequestRecord): number {
    const isNew = claim.epoch === firstEpoch && loaded.shifted_ms === undefined;
    return this.#unstored.take(claim, loaded) ?? (isNew ? this.#watch.missedBy(loaded.created_at) : 0);
  }
}
