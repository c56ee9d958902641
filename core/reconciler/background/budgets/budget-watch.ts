import type { Budget } from '../../../budgets/budget.ts';
import type { Budgets } from '../../../budgets/budgets.ts';
import { nearTopic, ranTopic } from '../../../budgets/budget-topics.ts';
import type { RanToday } from '../../../budgets/ran-today.ts';
import { budgetUse, nearLimit, type LimitUse } from '../../../budgets/budget-use.ts';
import { newEvent } from '../../../contract/commits/new-event.ts';
import type { Change, Fence } from '../../../contract/storage.ts';
import type { FactRecord } from '../../../model/records.ts';
import type { BackgroundParts } from '../background-parts.ts';
import { Job } from '../job.ts';
import { DayCosts } from './day-costs.ts';

export interface BudgetWatchParts extends Omit<BackgroundParts, 'pool'> {
  readonly budgets: Budgets;
}

/** The interval between two looks at what is used, and between two sums of what ran in a day. */
const everyMs = 10_000;
const dayCostsEveryMs = 60_000;
/** A sum for a day says nothing after a day. */
const ranForMs = 86_400_000;

/** A limit of which less is used is reported again when it is nearly used up. */
const clearShare = 0.7;

/**
 * Sums up what the machines of budgets cost in a day, and reports budgets of which 80 % are used: once in the journal
 * and the log, until less than 70 % are used. One broker does it for all.
 */
export class BudgetWatch {
  readonly #parts: BudgetWatchParts;
  readonly #job: Job;
  #dayCosts: DayCosts | undefined;
  /** The budgets that `#dayCosts` adds up. */
  #counted: readonly Budget[] = [];
  #due = -Infinity;
  #dayCostsDue = -Infinity;
  #running: Promise<void> | undefined;

  constructor(parts: BudgetWatchParts) {
    this.#parts = parts;
    this.#job = new Job('budgets', parts);
  }

  /** Starts a look, if one is due. Does not wait for it. */
  begin(): void {
    const { budgets, clock, log, signal } = this.#parts;
    if (budgets.all.length === 0 || this.#running || clock.monotonic() < this.#due) return;
    this.#due = clock.monotonic() + everyMs;
    this.#running = this.#look()
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'Budgets could not be read; this will be retried.');
      })
      .finally(() => (this.#running = undefined));
  }

  /** Resolves when no look is running. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #look(): Promise<void> {
    const fence = await this.#job.take();
    if (!fence) {
      // Another broker has the job; its sums are those of all.
      this.#dayCosts = undefined;
      return;
    }
    await this.#sumDay(fence);
    for (const budget of this.#parts.budgets.all) await this.#report(budget, fence);
  }

  async #sumDay(fence: Fence): Promise<void> {
    const { budgets, clock, facts, store } = this.#parts;
    const limited = budgets.all.filter(({ max_usd_per_day }) => max_usd_per_day !== undefined);
    if (this.#counted !== budgets.all) {
      this.#counted = budgets.all;
      this.#dayCosts = undefined;
      this.#dayCostsDue = -Infinity;
    }
    if (limited.length === 0 || clock.monotonic() < this.#dayCostsDue) return;
    this.#dayCosts ??= new DayCosts(store, limited);
    const at = clock.now();
    const ran = await this.#dayCosts.read(at);
    const learned = [...ran].map(
      ([name, sum]): FactRecord => ({
        topic: ranTopic,
        name,
        item: '',
        value: { microusd: sum } satisfies RanToday,
        at,
        until: at + ranForMs,
      }),
    );
    await facts.learn(learned, (changes) => store.commit([fence, ...changes]));
    this.#dayCostsDue = clock.monotonic() + dayCostsEveryMs;
  }

  async #report(budget: Budget, fence: Fence): Promise<void> {
    const { budgets, clock, facts, store, log } = this.#parts;
    const uses = budgetUse(budget, await store.reserved(budget.scope), budgets.ranMicrousd(budget.name));
    const at = clock.now();
    const changes = uses.flatMap((use): Change[] => {
      const key = { topic: nearTopic, name: budget.name, item: use.limit };
      const known = facts.get(nearTopic, budget.name, use.limit);
      if (known && use.used < clearShare * use.max) return [{ op: 'delete', kind: 'fact', key }];
      if (known || !nearLimit(use)) return [];
      const message = sentenceOf(budget, use);
      log.warn({ budget: budget.name, ...use }, message);
      return [
        { op: 'put', kind: 'fact', record: { ...key, value: use, at } },
        newEvent(at, 'budget.nearly_used', { budget: budget.name, ...use, message }),
      ];
    });
    if (changes.length === 0) return;
    const learned = changes.flatMap((change) => (change.op === 'put' && change.kind === 'fact' ? change.record : []));
    await facts.learn(learned, () => store.commit([fence, ...changes]));
  }
}

const sentenceOf = ({ name }: Budget, { limit, used, max }: LimitUse): string =>
  `Budget '${name}' is nearly used up: ${used} of ${limit} ${max}.`;
