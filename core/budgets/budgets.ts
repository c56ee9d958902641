import { recentlyUsed } from '../collections/recently-used.ts';
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
  readonly all: readonly Budget[];
  readonly reservations: Pick<Reservations, 'ofNew' | 'of' | 'tagsByPlace'>;
  checks: Budgets['checks'];
}

/** Conditions are kept of reservations up to this length. */
const maxLength = 2_000;

/** The configured budgets, and what requests take of them. A change of the configuration replaces them. */
export class Budgets implements BudgetRules {
  readonly valuation: Valuation;
  readonly #facts: Facts;
  #all: readonly Budget[] = [];
  #reservations: Reservations;
  #limitedByDay: readonly Budget[] = [];
  readonly #known = recentlyUsed<readonly BudgetCheck[]>(500);
  #ran = '';

  constructor(all: readonly Budget[], directory: ProviderDirectory, facts: Facts) {
    this.valuation = new Valuation(directory);
    this.#facts = facts;
    this.#reservations = new Reservations(this.valuation, all);
    this.replace(all);
  }

  /**
   * From now on these budgets count. What machines take that run already follows from their requests; the sum of a
   * scope that is new is read when it is first needed.
   */
  replace(all: readonly Budget[]): void {
    this.#all = all;
    this.#reservations = new Reservations(this.valuation, all);
    this.#limitedByDay = all.filter(({ max_usd_per_day }) => max_usd_per_day !== undefined);
    this.#known.clear();
  }

  get all(): readonly Budget[] {
    return this.#all;
  }

  get reservations(): Reservations {
    return this.#reservations;
  }

  /** The conditions under which a commit may change a reservation so. None: it increases nothing that is limited. */
  checks(change: ReservationChange): readonly BudgetCheck[] {
    if (this.all.length === 0) return [];
    return change.before === undefined ? this.#ofNew(change) : this.#checks(change);
  }

  #checks(change: ReservationChange): readonly BudgetCheck[] {
    return budgetChecks(this.all, change, (name) => this.ranMicrousd(name));
  }

  /** Many new requests reserve the same, and so have the same conditions until the cost of the day changes. */
  #ofNew(change: ReservationChange): readonly BudgetCheck[] {
    const { template_id, after = '' } = change;
    const ran = this.#limitedByDay.map(({ name }) => this.ranMicrousd(name)).join();
    if (ran !== this.#ran) this.#known.clear();
    this.#ran = ran;
    if (after.length > maxLength) return this.#checks(change);
    const key = `${template_id}\n${after}`;
    let checks = this.#known.get(key);
    if (!checks) this.#known.set(key, (checks = this.#checks(change)));
    return checks;
  }

  /** What the machines of a budget cost in the last 24 hours, in millionths of a dollar, as far as it is counted. */
  ranMicrousd(name: string): number {
    return ranMicrousd(this.#facts, name);
  }
}
