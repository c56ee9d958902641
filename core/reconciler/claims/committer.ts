import { chunks } from '../../collections/chunks.ts';
import type { Clock } from '../../contract/clock.ts';
import { isBrokerError } from '../../contract/errors.ts';
import type { MachineRecord } from '../../model/machine.ts';
import type { FactRecord } from '../../model/records.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import { lackFact, type Facts } from '../../providers/facts.ts';
import type { Change, Store } from '../../contract/storage.ts';
import { followShift, shiftTimes } from '../apply/shift-times.ts';
import type { Apply } from '../execute/tools.ts';
import { StateChange, type RequestState } from '../state/request-state.ts';
import type { Settings } from '../settings.ts';
import type { ClaimedRequest } from './claimed-request.ts';
import { measured } from './statistics.ts';
import type { StorageTrouble } from './storage-trouble.ts';

export interface CommitterParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly trouble: StorageTrouble;
  readonly facts: Facts;
  readonly settings: Settings;
  /** What came of a call that was answered just after the clock was set must not be written down in the time from before. */
  compareClocks(): void;
  /** Told what is durable now. */
  became(claimed: ClaimedRequest, before: RequestState['request'], change: StateChange): void;
}

/** Makes durable what came of a step, under the claim of its holder. */
export class Committer {
  readonly #parts: CommitterParts;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  /** Makes the next state durable, then lets it hold. While the storage does not answer it is tried again: an outcome is never dropped. */
  commit(claimed: ClaimedRequest, applies: readonly Apply[]): Promise<void> {
    // Steps of one request run side by side: each commit has to start from what the one before it made of the case.
    return claimed.inTurn(() => this.#commit(claimed, applies));
  }

  async #commit(claimed: ClaimedRequest, applies: readonly Apply[]): Promise<void> {
    this.#parts.compareClocks();
    await this.#shift(claimed);
    const change = new StateChange(claimed.present(), claimed.now());
    if (!claimed.derived) followShift(change);
    for (const apply of applies) apply(change);
    change.derive();
    if (change.changed) await this.#write(claimed, change);
    claimed.derived = true;
  }

  /** In a commit of its own: from then on it is known how far the rows of the request have to follow, whoever dies in between. */
  async #shift(claimed: ClaimedRequest): Promise<void> {
    const shift = claimed.pending_shift;
    if (shift === 0) return;
    const change = new StateChange(claimed.present(), claimed.now() + shift);
    shiftTimes(change, shift);
    await this.#write(claimed, change);
    claimed.shifted(shift);
    claimed.derived = false;
  }

  async #write(claimed: ClaimedRequest, change: StateChange): Promise<void> {
    const statistics = measured(claimed.case, change, change.now);
    await this.#parts.facts.learn(this.#lacking(claimed.case, change), async (lacking) => {
      const most = this.#parts.settings.rows_per_commit;
      // However many instances it was tried at, the end has room beside their statistics.
      const parts = change.commits(Math.max(most - statistics.length, Math.ceil(most / 2)));
      const last = [...(parts.at(-1) ?? []), ...statistics];
      // That an offer lacked capacity is true by itself: it need not stand with the request.
      const together = last.length + lacking.length <= most;
      const alone = together ? [] : chunks(lacking, most);
      for (const part of [...alone, ...parts.slice(0, -1), together ? [...last, ...lacking] : last]) await this.#insist(claimed, part);
    });
    claimed.version += 1;
    const before = claimed.case.request;
    claimed.case = change.done(claimed.case.machines);
    this.#parts.became(claimed, before, change);
  }

  /**
   * Nobody else raises the version of a request that is held: what it adds to statistics, and its journal, must not be written twice. Rejects while the
   * storage does not say.
   */
  async #isWritten(claimed: ClaimedRequest, changes: readonly Change[]): Promise<boolean> {
    if (changes.some((change) => change.op === 'put' && change.kind === 'request')) {
      const stored = await this.#parts.store.get('request', { request_id: claimed.request_id });
      return stored !== undefined && stored.version > claimed.version;
    }
    for (const change of changes) {
      if (change.op !== 'put' || change.kind !== 'machine') continue;
      const stored = await this.#parts.store.get('machine', change.record);
      return stored !== undefined && sameFields(stored, change.record);
    }
    return false;
  }

  async #insist(claimed: ClaimedRequest, changes: readonly Change[]): Promise<void> {
    try {
      let isInDoubt = false;
      for (let tries = 0; ; tries++) {
        try {
          if (isInDoubt && (await this.#isWritten(claimed, changes))) return;
          isInDoubt = false;
          return await this.#parts.store.commit(changes);
        } catch (error) {
          if (!isBrokerError(error) || error.code !== 'UNAVAILABLE' || claimed.lost) throw error;
          isInDoubt ||= error.details['outcome'] === 'unknown';
          this.#parts.trouble.failed(changes, error);
          await this.#parts.clock.sleep(Math.min(5_000, 100 * 2 ** tries), claimed.signal);
        }
      }
    } finally {
      this.#parts.trouble.over(changes);
    }
  }

  /** Offers that turned out to have no capacity come behind all others, for everyone, for a while. */
  #lacking(before: RequestState, change: StateChange): FactRecord[] {
    const known = new Set(before.attempts.flatMap((attempt) => attempt.shortfall));
    const now = this.#parts.clock.now();
    return change.attempts.flatMap((attempt) => {
      const offers = (each: Shortfall) =>
        each.offer === undefined ? (attempt.order.offers ?? []).map((offer) => offer.key) : [each.offer];
      return attempt.shortfall
        .filter((each) => each.kind === 'capacity' && !known.has(each))
        .flatMap((lacked) =>
          offers(lacked).map((offer) =>
            lackFact({ instance: attempt.provider_instance, api: attempt.api, offer }, lacked, now, this.#parts.settings),
          ),
        );
    });
  }
}

const sameFields = (stored: MachineRecord, record: MachineRecord): boolean =>
  Object.entries(record).every(([name, value]) => JSON.stringify(stored[name as keyof MachineRecord]) === JSON.stringify(value));
