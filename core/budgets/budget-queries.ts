import type { Store } from '../contract/storage.ts';
import type { Reserved } from '../model/budget/reserved.ts';
import { budgetUse, type LimitUse } from './budget-use.ts';
import type { Budget } from './budget.ts';
import type { Budgets } from './budgets.ts';

/** What is used of a budget. */
export interface BudgetState {
  readonly budget: Budget;
  readonly reserved: Reserved;
  /** What its machines cost in the last 24 hours, in US dollars, as far as it is counted. */
  readonly usd_last_24h: number;
  readonly limits: readonly LimitUse[];
}

/** Reads what is used of the budgets. */
export class BudgetQueries {
  readonly #store: Store;
  readonly #budgets: Budgets;

  constructor(store: Store, budgets: Budgets) {
    this.#store = store;
    this.#budgets = budgets;
  }

  /** In the order of the configuration. */
  all(): Promise<readonly BudgetState[]> {
    return Promise.all(
      this.#budgets.all.map(async (budget) => {
        const reserved = await this.#store.reserved(budget.scope);
        const ran = this.#budgets.ranMicrousd(budget.name);
        return { budget, reserved, usd_last_24h: ran / 1e6, limits: budgetUse(budget, reserved, ran) };
      }),
    );
  }
}
