import type { Clock } from '../../clock.ts';
import { isBrokerError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { FactRecord } from '../../model/records.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import { offerItem, type Facts } from '../../providers/facts.ts';
import type { Change, Store } from '../../storage.ts';
import type { Absorb } from '../act/tools.ts';
import { Draft, type Case } from '../case.ts';
import { isAlive } from '../counting.ts';
import type { Settings } from '../settings.ts';
import type { Holding } from './holding.ts';
import type { Holdings } from './holdings.ts';
import type { StorageTrouble } from './storage-trouble.ts';
import { measured } from './statistics.ts';
import { tellEnd } from './tell-end.ts';

/** Makes durable what came of a step, under the claim of its holder. */
export class Recorder {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #trouble: StorageTrouble;
  readonly #facts: Facts;
  readonly #settings: Settings;
  readonly #holdings: Holdings;
  readonly #log: Log;

  constructor(store: Store, clock: Clock, trouble: StorageTrouble, facts: Facts, settings: Settings, holdings: Holdings, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#trouble = trouble;
    this.#facts = facts;
    this.#settings = settings;
    this.#holdings = holdings;
    this.#log = log;
  }

  /** Makes the next state durable, then lets it hold. While the storage does not answer it is tried again: an outcome is never dropped. */
  commit(holding: Holding, absorbs: readonly Absorb[]): Promise<void> {
    // Steps of one request run side by side: each commit has to start from what the one before it made of the case.
    return holding.inTurn(() => this.#commit(holding, absorbs));
  }

  async #commit(holding: Holding, absorbs: readonly Absorb[]): Promise<void> {
    const draft = new Draft(holding.present(), this.#clock.now());
    for (const absorb of absorbs) absorb(draft);
    if (!draft.changed) return;
    const statistics = measured(holding.case, draft, (instance) => this.#facts.measured(instance), draft.now);
    const learned = this.#facts.learn([...this.#lacking(holding.case, draft), ...statistics]);
    const parts = draft.commits(this.#settings.rows_per_commit);
    for (const [index, part] of parts.entries()) await this.#insist(holding, index === parts.length - 1 ? [...part, ...learned] : part);
    const before = holding.case;
    holding.case = draft.done();
    tellEnd(this.#log, before.request, holding.case.request);
    this.#tellReturns(before, holding.case);
  }

  async #insist(holding: Holding, changes: readonly Change[]): Promise<void> {
    try {
      for (let tries = 0; ; tries++) {
        try {
          return await this.#store.commit(changes);
        } catch (error) {
          if (!isBrokerError(error) || error.code !== 'UNAVAILABLE' || holding.lost) throw error;
          this.#trouble.failed(changes, error);
          await this.#clock.sleep(Math.min(5_000, 100 * 2 ** tries), holding.signal);
        }
      }
    } finally {
      this.#trouble.over(changes);
    }
  }

  /** Offers that turned out to have no capacity are skipped by everyone for a while. */
  #lacking(before: Case, draft: Draft): FactRecord[] {
    const known = new Set(before.attempts.flatMap((attempt) => attempt.shortfall));
    const until = draft.now + this.#settings.offer_memory_ms;
    return draft.attempts.flatMap((attempt) => {
      const offers = (each: Shortfall) =>
        each.offer === undefined ? (attempt.order.offers ?? []).map((offer) => offer.key) : [each.offer];
      return attempt.shortfall
        .filter((each) => each.kind === 'capacity' && !known.has(each))
        .flatMap((value) =>
          offers(value).map((offer) => ({
            topic: 'offer',
            name: attempt.provider_instance,
            item: offerItem(attempt.api, offer),
            value,
            at: draft.now,
            until,
          })),
        );
    });
  }

  /** Returns held here need not wait for their next look to see that machines went. */
  #tellReturns(before: Case, after: Case): void {
    const gone = new Set(before.machines.filter((machine) => !isAlive(machine)).map((machine) => machine.machine_id));
    for (const machine of after.machines) {
      if (machine.return_id === undefined || isAlive(machine) || gone.has(machine.machine_id)) continue;
      const holding = this.#holdings.get(machine.return_id);
      if (holding) this.#holdings.due(holding, 0);
    }
  }
}
