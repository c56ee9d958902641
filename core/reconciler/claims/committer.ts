import type { Clock } from '../../contract/clock.ts';
import { isBrokerError } from '../../contract/errors.ts';
import type { MachineRecord } from '../../model/machine.ts';
import type { FactRecord } from '../../model/records.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import { lackFact, type Facts } from '../../providers/facts.ts';
import type { Change, Store } from '../../contract/storage.ts';
import { followShift, shiftTimes } from '../apply/shift-times.ts';
import type { Absorb } from '../execute/tools.ts';
import { Draft, type Case } from '../state/request-state.ts';
import type { Settings } from '../settings.ts';
import type { Holding } from './claimed-request.ts';
import { measured } from './statistics.ts';
import type { StorageTrouble } from './storage-trouble.ts';

export interface RecorderParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly trouble: StorageTrouble;
  readonly facts: Facts;
  readonly settings: Settings;
  /** What came of a call that was answered just after the clock was set must not be written down in the time from before. */
  compareClocks(): void;
  /** Told what is durable now. */
  became(holding: Holding, before: Case['request'], draft: Draft): void;
}

/** Makes durable what came of a step, under the claim of its holder. */
export class Recorder {
  readonly #parts: RecorderParts;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** Makes the next state durable, then lets it hold. While the storage does not answer it is tried again: an outcome is never dropped. */
  commit(holding: Holding, absorbs: readonly Absorb[]): Promise<void> {
    // Steps of one request run side by side: each commit has to start from what the one before it made of the case.
    return holding.inTurn(() => this.#commit(holding, absorbs));
  }

  async #commit(holding: Holding, absorbs: readonly Absorb[]): Promise<void> {
    this.#parts.compareClocks();
    await this.#shift(holding);
    const draft = new Draft(holding.present(), holding.now());
    if (!holding.derived) followShift(draft);
    for (const absorb of absorbs) absorb(draft);
    draft.derive();
    if (draft.changed) await this.#write(holding, draft);
    holding.derived = true;
  }

  /** In a commit of its own: from then on it is known how far the rows of the request have to follow, whoever dies in between. */
  async #shift(holding: Holding): Promise<void> {
    const shift = holding.pending_shift;
    if (shift === 0) return;
    const draft = new Draft(holding.present(), holding.now() + shift);
    shiftTimes(draft, shift);
    await this.#write(holding, draft);
    holding.shifted(shift);
    holding.derived = false;
  }

  async #write(holding: Holding, draft: Draft): Promise<void> {
    const statistics = measured(holding.case, draft, draft.now);
    await this.#parts.facts.learn(this.#lacking(holding.case, draft), async (lacking) => {
      const most = this.#parts.settings.rows_per_commit;
      // However many instances it was tried at, the end has room beside their statistics.
      const parts = draft.commits(Math.max(most - statistics.length, Math.ceil(most / 2)));
      const last = [...(parts.at(-1) ?? []), ...statistics];
      // That an offer lacked capacity is true by itself: it need not stand with the request.
      const together = last.length + lacking.length <= most;
      const alone = Array.from({ length: together ? 0 : Math.ceil(lacking.length / most) }, (_, i) =>
        lacking.slice(i * most, (i + 1) * most),
      );
      for (const part of [...alone, ...parts.slice(0, -1), together ? [...last, ...lacking] : last]) await this.#insist(holding, part);
    });
    holding.version += 1;
    const before = holding.case.request;
    holding.case = draft.done(holding.case.machines);
    this.#parts.became(holding, before, draft);
  }

  /**
   * Nobody else raises the version of a request that is held: what it adds to statistics, and its journal, must not be written twice. Rejects while the
   * storage does not say.
   */
  async #isWritten(holding: Holding, changes: readonly Change[]): Promise<boolean> {
    if (changes.some((change) => change.op === 'put' && change.kind === 'request')) {
      const stored = await this.#parts.store.get('request', { request_id: holding.request_id });
      return stored !== undefined && stored.version > holding.version;
    }
    for (const change of changes) {
      if (change.op !== 'put' || change.kind !== 'machine') continue;
      const stored = await this.#parts.store.get('machine', change.record);
      return stored !== undefined && sameFields(stored, change.record);
    }
    return false;
  }

  async #insist(holding: Holding, changes: readonly Change[]): Promise<void> {
    try {
      let isInDoubt = false;
      for (let tries = 0; ; tries++) {
        try {
          if (isInDoubt && (await this.#isWritten(holding, changes))) return;
          isInDoubt = false;
          return await this.#parts.store.commit(changes);
        } catch (error) {
          if (!isBrokerError(error) || error.code !== 'UNAVAILABLE' || holding.lost) throw error;
          isInDoubt ||= error.details['outcome'] === 'unknown';
          this.#parts.trouble.failed(changes, error);
          await this.#parts.clock.sleep(Math.min(5_000, 100 * 2 ** tries), holding.signal);
        }
      }
    } finally {
      this.#parts.trouble.over(changes);
    }
  }

  /** Offers that turned out to have no capacity come behind all others, for everyone, for a while. */
  #lacking(before: Case, draft: Draft): FactRecord[] {
    const known = new Set(before.attempts.flatMap((attempt) => attempt.shortfall));
    const now = this.#parts.clock.now();
    return draft.attempts.flatMap((attempt) => {
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
