import type { BudgetCheck } from '../contract/storage.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { Facts } from '../providers/facts.ts';
import type { Budget } from './budget.ts';
import { budgetChecks, type ReservationChange } from './budget-checks.ts';
import { ranMicrousd } from './ran-today.ts';
import { Reservations } from './reservations.ts';
import { Valuation } from './valuation.ts';

/** What the acceptance of requests and the commits of the loop need of budgets. */
export interface BudgetRules {
  readonly reservations: Pick<Reservations, 'ofNew' | 'of'>;
  checks: Budgets['checks'];
}

/** The configured budgets, and what requests take of them. */
export class Budgets implements BudgetRules {
  readonly all: readonly Budget[];
  readonly reservations: Reservations;
  readonly valuation: Valuation;
  readonly #facts: Facts;

  constructor(all: readonly Budget[], directory: ProviderDirectory, facts: Facts) {
    this.all = all;
    this.valuation = new Valuation(directory);
    this.reservations = new Reservations(this.valuation, all);
    this.#facts = facts;
  }

  /** The conditions under which a commit may change a reservation so. None: it increases nothing that is limited. */
  checks(change: ReservationChange): readonly BudgetCheck[] {
    if (this.all.length === 0) return [];
    return budgetChecks(this.all, change, (name) => this.ranMicrousd(name));
  }

  /** What the machines of a budget cost in the last 24 hours, in millionths of a dollar, as far as it is counted. */
  ranMicrousd(name: string): number {
    return ranMicrousd(this.#facts, name);
  }
}
