import type { BudgetRules } from '../../budgets/budgets.ts';
import { chunks } from '../../collections/chunks.ts';
import type { Clock } from '../../contract/clock.ts';
import { isBrokerError } from '../../contract/errors.ts';
import type { FactRecord } from '../../model/records.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import { offerShortfallFact, type Facts } from '../../providers/facts.ts';
import type { CallTracking } from '../../providers/guard/call-tracking.ts';
import type { Stoppages } from '../../providers/quarantine/stoppages.ts';
import type { Change, Store } from '../../contract/storage.ts';
import { applyLoad } from '../apply/apply-load.ts';
import { followShift, shiftTimes } from '../clock-shift/shift-times.ts';
import { calledFor, type Apply } from '../execute/step-context.ts';
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
  readonly budgets: BudgetRules;
  readonly stoppages: Pick<Stoppages, 'excludedFor'>;
  readonly watch: CallTracking;
  /** The number of vCPUs of a machine type at an instance, also by what its plugin knows. Undefined: not known. */
  vcpusOf(instance: string, machine_type: string): number | undefined;
  /**
   * Must be called before each commit, so that an outcome that arrives just after a shift is not stored with an old
   * time.
   */
  compareClocks(): void;
  /** Called after the change is durable. */
  became(claimed: ClaimedRequest, before: RequestState['request'], change: StateChange): void;
}

/** Makes the outcome of steps durable, under the claim of the holder. */
export class Committer {
  readonly #parts: CommitterParts;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  /**
   * Makes the next state durable, then replaces the state. Retries while the storage does not answer, because an
   * outcome must never be dropped.
   */
  commit(claimed: ClaimedRequest, applies: readonly Apply[]): Promise<void> {
    // Steps of one request run concurrently, so each commit must start from the state that the commit before it left.
    return claimed.inTurn(() => this.#commit(claimed, applies));
  }

  async #commit(claimed: ClaimedRequest, applies: readonly Apply[]): Promise<void> {
    this.#parts.compareClocks();
    await this.#shift(claimed);
    const { load } = claimed;
    if (!claimed.derived)
      await this.#apply(claimed, [followShift, ...(load ? [(change: StateChange) => applyLoad(change, load)] : [])]);
    claimed.load = undefined;
    claimed.derived = true;
    await this.#apply(claimed, applies);
  }

  /**
   * What the load or a shift left to derive is committed separately: it may be many rows, and a condition is checked
   * only with the first rows of a change.
   */
  async #apply(claimed: ClaimedRequest, applies: readonly Apply[]): Promise<void> {
    const change = new StateChange(claimed.present(), claimed.now());
    for (const apply of applies) apply(change);
    const { vcpusOf, watch } = this.#parts;
    watch.about(calledFor(change.request), () => change.size(vcpusOf));
    change.derive();
    this.#reserve(claimed, change);
    if (change.changed) await this.#write(claimed, change);
  }

  /**
   * What the request takes of budgets follows from its records, like `holds`. Only a change that orders machines is
   * refused where a budget has no room: all others store what has happened already.
   */
  #reserve({ state: { request } }: ClaimedRequest, change: StateChange): void {
    const { budgets, stoppages, watch } = this.#parts;
    const before = request.reserves;
    const excluded = stoppages.excludedFor(request.request_id);
    change.reserve(watch.about(calledFor(request), () => budgets.reservations.of(change, excluded)));
    const { reserves: after, template_id } = change.request;
    if (!change.orders || template_id === null) return;
    for (const check of budgets.checks({ template_id, before, after })) change.require(check);
  }

  /** Commits the shift separately: then a new holder knows by how much the other records must still be moved. */
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
    const statistics = measured(claimed.state, change, change.now);
    await this.#parts.facts.learn(this.#offerShortfalls(claimed.state, change), async (shortfalls) => {
      const most = this.#parts.settings.rows_per_commit;
      // The last commit also contains the statistics, so its part has room for them, whatever the number of instances.
      const parts = change.commits(Math.max(most - statistics.length, Math.ceil(most / 2)));
      const last = [...(parts.at(-1) ?? []), ...statistics];
      // A lack of capacity is true by itself, so it may be committed separately.
      const together = last.length + shortfalls.length <= most;
      const alone = together ? [] : chunks(shortfalls, most);
      for (const part of [...alone, ...parts.slice(0, -1), together ? [...last, ...shortfalls] : last])
        await this.#insist(claimed, part);
    });
    const before = claimed.state.request;
    claimed.state = change.done(claimed.state.machines);
    claimed.applied(change.applied);
    for (const end of change.announcedEnds) claimed.announcedEnds.add(end, this.#parts.clock.monotonic());
    this.#parts.became(claimed, before, change);
  }

  /**
   * Whether the commit of unknown outcome was written. Only the holder raises the version of a held request; its
   * statistics and events must not be written twice. Rejects while the storage does not answer.
   */
  async #isWritten(claimed: ClaimedRequest, changes: readonly Change[]): Promise<boolean> {
    if (!changes.some(raisesVersion)) return false;
    const stored = await this.#parts.store.get('request', { request_id: claimed.request_id });
    return stored !== undefined && stored.version > claimed.version;
  }

  async #insist(claimed: ClaimedRequest, changes: readonly Change[]): Promise<void> {
    await this.#commitOnce(claimed, changes);
    if (changes.some(raisesVersion)) claimed.version += 1;
  }

  /** Repeats a commit that the storage did not answer, until it is written. */
  async #commitOnce(claimed: ClaimedRequest, changes: readonly Change[]): Promise<void> {
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

  /**
   * The facts about offers without capacity, which for some time come after all others for all requests. What only the
   * terms of one template lack, and offers that were perhaps never tried, are no facts about the offer.
   */
  #offerShortfalls(before: RequestState, change: StateChange): FactRecord[] {
    const changed = change.changedAttempts;
    const numbers = new Set(changed.map(({ attempt }) => attempt));
    const known = new Set(
      before.attempts.flatMap(({ attempt, shortfall }) => (numbers.has(attempt) ? shortfall : [])),
    );
    const now = this.#parts.clock.now();
    return changed.flatMap((attempt) => {
      const offers = (each: Shortfall) =>
        each.offer === undefined ? (attempt.order.offers ?? []).map((offer) => offer.key) : [each.offer];
      return attempt.shortfall
        .filter((each) => each.kind === 'capacity' && each.lack === undefined && !known.has(each))
        .flatMap((shortfall) =>
          offers(shortfall).map((offer) => {
            const { provider_instance: instance, api } = attempt;
            const known = this.#parts.facts.offerShortfall(instance, api, offer);
            const { settings } = this.#parts;
            return offerShortfallFact({ instance, api, offer }, shortfall, now, settings, known?.short_since);
          }),
        );
    });
  }
}

const raisesVersion = (change: Change): boolean => change.op === 'put' && change.kind === 'request';
